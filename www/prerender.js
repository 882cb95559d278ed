// Places the prerendered picture as `Camera::first_look` in web/src/state/camera.rs will; a browser test checks
// that nothing shifts when the page takes over. A development build has no picture.
const scene = document.getElementById("scene");
const pane = document.getElementById("graph");
const [x, y, width, height] = scene.dataset.extent.split(" ").map(Number);
const [across, down, margin] = [pane.clientWidth, pane.clientHeight, 24];
if (across > 0 && height !== undefined) {
  const clamp = (value, least, most) => Math.min(Math.max(value, least), most);
  const fit = (size, room) => Math.trunc((Math.max(room - 2 * margin, 1) * 100) / Math.max(size, 1));
  let zoom = Math.min(clamp(Math.min(fit(width, across), fit(height, down)), 4, 300), 100);
  if (zoom < 62) zoom = clamp(clamp(fit(width, across), 4, 300), 62, 100);
  const middle = (room, from, size) => Math.trunc(room / 2) - Math.trunc(((2 * from + size) * zoom) / 200);
  const top = Math.trunc((height * zoom) / 100) > down - 2 * margin ? margin - Math.trunc((y * zoom) / 100) : middle(down, y, height);
  const scale = `${Math.trunc(zoom / 100)}.${String(zoom % 100).padStart(2, "0")}`;
  scene.setAttribute("transform", `translate(${middle(across, x, width)} ${top}) scale(${scale})`);
  document.getElementById("zoom").textContent = `${zoom} %`;
}
const steps = document.getElementById("steps");
const chip = steps.querySelector("[aria-current]");
if (chip && chip.offsetLeft + chip.offsetWidth > steps.clientWidth) steps.scrollLeft = chip.offsetLeft - Math.trunc(steps.clientWidth / 2);
