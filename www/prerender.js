// Shows the prerendered picture, after the first frame and in parts, each in a task of its own: the panes, the graph, the
// rows of the text. `www/theme.js` hides them until then.
//
// The graph is placed as `Camera::first_look` in web/src/state/camera.rs will place it; a browser test checks
// that nothing shifts when the page takes over. A development build has no picture. `www/boot.js` starts the page's program
// when the panes are shown: it measures them.
const root = document.documentElement;
const scene = document.getElementById("scene");

function place() {
  const pane = document.getElementById("graph");
  const [x, y, width, height, ...entry] = scene.dataset.extent.split(" ").map(Number);
  const [across, down, margin] = [pane.clientWidth, pane.clientHeight, 24];
  if (across > 0 && entry.length === 4) {
    const clamp = (value, least, most) => Math.min(Math.max(value, least), most);
    const fit = (size, room) => clamp(Math.floor((Math.max(room, 1) * 10000) / Math.max(size, 1)), 10, 30000);
    const [wide, high] = [across - 2 * margin, down - 2 * margin];
    let zoom = Math.min(fit(width, wide), fit(height, high), 10000);
    const px = (length) => Math.floor((length * zoom) / 10000);
    const middle = (room, from, size) => Math.trunc(room / 2) - px(from + Math.trunc(size / 2));
    let left, top;
    if (zoom < 6200) {
      const below = high - Math.trunc((clamp(Math.trunc((across * 28) / 100), 76, 168) * 3) / 4) - 12;
      zoom = clamp(Math.min(fit(width, wide), fit(entry[2], wide), fit(entry[3], below)), 6200, 10000);
      left = px(width) <= wide ? middle(across, x, width) : middle(across, entry[0], entry[2]);
      left = Math.max(left, margin - px(entry[0]));
      top = margin - px(entry[1]);
    } else {
      [left, top] = [middle(across, x, width), middle(down, y, height)];
    }
    const scale = `${Math.trunc(zoom / 10000)}.${String(zoom % 10000).padStart(4, "0")}`;
    scene.setAttribute("transform", `translate(${left} ${top}) scale(${scale})`);
    document.getElementById("zoom").textContent = `${Math.trunc((zoom + 50) / 100)} %`;
  }
}

function scroll() {
  const steps = document.getElementById("steps");
  const chip = steps.querySelector("[aria-current]");
  if (chip && chip.offsetLeft + chip.offsetWidth > steps.clientWidth) steps.scrollLeft = chip.offsetLeft - Math.trunc(steps.clientWidth / 2);
}

// A page in the background has no frames.
const nextFrame = () => new Promise((done) => (document.hidden ? setTimeout(done) : requestAnimationFrame(() => setTimeout(done))));

async function show() {
  await nextFrame();
  scroll();
  root.dataset.later = "scene rows";
  await nextFrame();
  place();
  root.dataset.later = "rows";
  nextFrame().then(() => delete root.dataset.later);
}
self.prerendered = show();
