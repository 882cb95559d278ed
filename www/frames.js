// The page around embedded views: frames get the height that their view reports. Copy it into a page of your own.

addEventListener("message", ({ data, source }) => {
  if (data?.type !== "vitrine-height" || !Number.isFinite(data.height)) return;
  const frame = [...document.querySelectorAll("iframe")].find(({ contentWindow }) => contentWindow === source);
  if (frame) frame.style.height = `${data.height}px`;
});
