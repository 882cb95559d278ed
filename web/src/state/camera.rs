//! The part of the graph in view, and its scale. Whole numbers only: pixels of the screen, hundredths of a
//! percent.
//!
//! A point of the graph is drawn at `point * zoom / LIFE + offset`.

/// The zoom at which one pixel of the graph is one pixel of the screen.
pub const LIFE: i32 = 10_000;
/// Smallest and largest zoom: a graph of half a million pixels still fits.
const ZOOM: [i32; 2] = [10, 3 * LIFE];
/// Space around a fitted graph, in px.
const MARGIN: i32 = 24;
/// The smallest zoom of a first view: characters are still legible.
const READABLE: i32 = 6_200;

/// A rectangle: left, top, width, height.
pub type Rect = [i32; 4];

/// The position from which the graph is viewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Camera {
    /// The place of the graph's origin in the pane, in px.
    pub x: i32,
    /// See `x`.
    pub y: i32,
    /// Hundredths of a percent.
    pub zoom: i32,
    /// Width and height of the pane in px.
    pub pane: [i32; 2],
}

impl Default for Camera {
    fn default() -> Camera {
        Camera { x: MARGIN, y: MARGIN, zoom: LIFE, pane: [0, 0] }
    }
}

impl Camera {
    /// Fits the whole graph, never larger than actual size.
    pub fn fit(&mut self, extent: Rect) {
        self.zoom = fitting(extent, self.pane.map(|px| px - 2 * MARGIN)).min(LIFE);
        self.center(extent);
    }

    /// The first view: the whole graph if it is legible then. Otherwise its width if that is legible, with the entry
    /// block at the top and in the middle, or from its upper left corner if it is wider than the pane.
    pub fn first_look(&mut self, extent: Rect, entry: Rect) {
        let room = self.pane.map(|px| px - 2 * MARGIN);
        self.zoom = fitting(extent, room).min(LIFE);
        if self.zoom >= READABLE {
            return self.center(extent);
        }
        let below = room[1] - self.corner()[1];
        let across = fitting([0, 0, extent[2], 0], room);
        self.zoom = across.min(fitting(entry, [room[0], below])).clamp(READABLE, LIFE);
        self.center(if self.px(extent[2]) <= room[0] { extent } else { entry });
        self.x = self.x.max(MARGIN - self.px(entry[0]));
        self.y = MARGIN - self.px(entry[1]);
    }

    /// Shows a rectangle at a legible zoom: the zoom changes only if it is too small.
    pub fn read(&mut self, rect: Rect) {
        if self.zoom < READABLE {
            self.zoom = fitting(rect, self.pane.map(|px| px - 2 * MARGIN)).clamp(READABLE, LIFE);
            self.center(rect);
        }
        self.reveal(rect);
    }

    /// Width and height of the lower right corner that the minimap covers, as `#map` in `www/style/graph.css`.
    fn corner(&self) -> [i32; 2] {
        let width = (self.pane[0] * 28 / 100).clamp(76, 168);
        [width, (width * 3 / 4).min(self.pane[1] * 30 / 100)].map(|px| px + 12)
    }

    /// Returns true if the minimap would cover a part of a rectangle that fits into the pane, but neither above the minimap
    /// nor beside it: it could not be moved free.
    pub fn must_hide_map(&self, [x, y, width, height]: Rect) -> bool {
        let (corner, size) = (self.corner(), [self.px(width), self.px(height)]);
        let end = [self.x + self.px(x) + size[0], self.y + self.px(y) + size[1]];
        (0..2).all(|axis| {
            let free = self.pane[axis] - corner[axis];
            end[axis] > free
                && end[axis] - size[axis] < self.pane[axis]
                && size[axis] <= self.pane[axis]
                && size[axis] > free - MARGIN
        })
    }

    /// The camera for a pane of another size: the same column is in its middle, and the same row at its top, because rows
    /// below the graph come and go.
    #[must_use]
    pub fn in_pane(self, pane: [i32; 2]) -> Camera {
        Camera { x: self.x + (pane[0] - self.pane[0]) / 2, pane, ..self }
    }

    /// Converts a length of the graph to pixels of the screen.
    pub fn px(&self, length: i32) -> i32 {
        scaled(length, self.zoom, LIFE)
    }

    /// In percent, for display.
    pub fn per_cent(&self) -> i32 {
        (self.zoom + 50) / 100
    }

    /// Returns true if the whole rectangle is in view.
    pub fn shows(&self, extent: Rect) -> bool {
        let visible = self.visible();
        // Rounding may cut off a pixel.
        inside(extent, [visible[0] - 1, visible[1] - 1, visible[2] + 2, visible[3] + 2])
    }

    /// Brings the middle of a rectangle to the middle of the pane.
    pub fn center(&mut self, [x, y, width, height]: Rect) {
        self.x = self.pane[0] / 2 - self.px(x + width / 2);
        self.y = self.pane[1] / 2 - self.px(y + height / 2);
    }

    /// Moves as little as necessary to show a rectangle, or its upper left part if it is larger than the pane; a
    /// rectangle below the minimap moves out of it if there is space.
    pub fn reveal(&mut self, [x, y, width, height]: Rect) {
        let zoom = self.zoom;
        let near = |offset: &mut i32, pane: i32, from: i32, size: i32| {
            let (from, to) = (scaled(from, zoom, LIFE), scaled(from + size, zoom, LIFE));
            if to + *offset > pane - MARGIN {
                *offset = pane - MARGIN - to;
            }
            if from + *offset < MARGIN {
                *offset = MARGIN - from;
            }
        };
        near(&mut self.x, self.pane[0], x, width);
        near(&mut self.y, self.pane[1], y, height);
        let corner = self.corner();
        let end = [self.x + self.px(x + width), self.y + self.px(y + height)];
        let [right, down] = [0, 1].map(|axis| end[axis] - (self.pane[axis] - corner[axis]));
        if right > 0 && down > 0 {
            if self.y + self.px(y) - down >= MARGIN {
                self.y -= down;
            } else if self.x + self.px(x) - right >= MARGIN {
                self.x -= right;
            }
        }
    }

    /// Multiplies the zoom by `per_mille` thousandths; the point `at` of the pane does not move.
    pub fn zoom_by(&mut self, per_mille: i32, at: [i32; 2]) {
        let to = scaled(self.zoom, per_mille, 1000).clamp(self.zoom / 2, self.zoom.saturating_mul(2));
        // At the smallest zooms a change of a few thousandths would round to nothing.
        let step = if to == self.zoom { (per_mille - 1000).signum() } else { 0 };
        self.zoom_to(to + step, at);
    }

    /// Sets the zoom; the point `at` of the pane does not move.
    pub fn zoom_to(&mut self, zoom: i32, at: [i32; 2]) {
        let zoom = zoom.clamp(ZOOM[0], ZOOM[1]);
        self.x = at[0] - scaled(at[0] - self.x, zoom, self.zoom);
        self.y = at[1] - scaled(at[1] - self.y, zoom, self.zoom);
        self.zoom = zoom;
    }

    /// A camera between this one and another, `per_mille` thousandths of the distance; the zoom changes by equal ratios.
    pub fn towards(&self, to: &Camera, per_mille: i32) -> Camera {
        let between = |from: i32, to: i32| from + scaled(to - from, per_mille, 1000);
        Camera {
            x: between(self.x, to.x),
            y: between(self.y, to.y),
            zoom: between(self.zoom, to.zoom),
            pane: to.pane,
        }
    }

    /// The point of the graph at a point of the pane.
    pub fn point(&self, at: [i32; 2]) -> [i32; 2] {
        [at[0] - self.x, at[1] - self.y].map(|px| scaled(px, LIFE, self.zoom))
    }

    /// The part of the graph in view.
    pub fn visible(&self) -> Rect {
        let back = |px: i32| scaled(px, LIFE, self.zoom);
        [back(-self.x), back(-self.y), back(self.pane[0]), back(self.pane[1])]
    }
}

/// The zoom at which the size of a rectangle fits into some space.
fn fitting([_, _, width, height]: Rect, room: [i32; 2]) -> i32 {
    let fit = |room: i32, size: i32| scaled(room.max(1), LIFE, size.max(1)).clamp(ZOOM[0], ZOOM[1]);
    fit(room[0], width).min(fit(room[1], height))
}

/// `value * by / of`, rounded down, without overflow in between.
fn scaled(value: i32, by: i32, of: i32) -> i32 {
    let exact = (i64::from(value) * i64::from(by)).div_euclid(i64::from(of.max(1)));
    exact.clamp(-(1 << 30), 1 << 30) as i32
}

/// Returns true if two rectangles have a point in common.
pub fn overlap(a: Rect, b: Rect) -> bool {
    a[0] <= b[0] + b[2] && b[0] <= a[0] + a[2] && a[1] <= b[1] + b[3] && b[1] <= a[1] + a[3]
}

/// Returns true if `inner` is in `outer`.
pub fn inside(inner: Rect, outer: Rect) -> bool {
    outer[0] <= inner[0]
        && outer[1] <= inner[1]
        && inner[0] + inner[2] <= outer[0] + outer[2]
        && inner[1] + inner[3] <= outer[1] + outer[3]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        Camera { pane: [800, 600], ..Camera::default() }
    }

    #[test]
    fn a_small_graph_is_shown_whole_and_not_enlarged() {
        let mut camera = camera();
        camera.first_look([0, 0, 200, 100], [0, 0, 200, 40]);
        assert_eq!((camera.zoom, camera.x, camera.y), (LIFE, 300, 250));
        assert!(camera.shows([0, 0, 200, 100]));
        camera.first_look([0, 0, 1000, 100], [900, 0, 100, 40]);
        assert_eq!((camera.zoom, camera.shows([0, 0, 1000, 100])), (7_520, true));
        camera.fit([0, 0, 1600, 100]);
        assert_eq!((camera.zoom, camera.per_cent()), (4_700, 47));
        assert!(camera.shows([0, 0, 1600, 100]));
        camera.fit([0, 0, 20_000, 500_000]);
        assert!(camera.shows([0, 0, 20_000, 500_000]), "{camera:?}");
        camera.zoom_to(LIFE, [0, 0]);
        assert!(!camera.shows([0, 0, 1600, 100]));
    }

    #[test]
    fn a_tall_graph_begins_at_its_entry() {
        let mut camera = camera();
        camera.first_look([0, 0, 400, 20_000], [0, 30, 100, 50]);
        assert_eq!((camera.zoom, camera.x, camera.y), (LIFE, 200, MARGIN - 30), "the width is in view");
        camera.first_look([0, 0, 400, 20_000], [0, 0, 100, 500]);
        assert!((READABLE..LIFE).contains(&camera.zoom), "the entry is above the minimap");
        assert!(camera.y + camera.px(500) + camera.corner()[1] <= 600);
    }

    #[test]
    fn a_wide_graph_is_legible_and_its_entry_is_in_the_middle() {
        for entry in [[0, 0, 300, 200], [3_000, 400, 300, 200], [3_900, 0, 100, 40]] {
            let mut camera = camera();
            camera.first_look([0, -100, 4_000, 20_000], entry);
            assert_eq!((camera.zoom, camera.y + camera.px(entry[1])), (READABLE, MARGIN));
            let middle = camera.x + camera.px(entry[0] + entry[2] / 2);
            assert!((399..=401).contains(&middle) && camera.shows(entry), "{entry:?}: {camera:?}");
        }
    }

    #[test]
    fn an_entry_that_is_wider_than_the_pane_begins_at_its_upper_left_corner() {
        let mut camera = Camera { pane: [250, 400], ..Camera::default() };
        let entry = [500, 60, 455, 300];
        camera.first_look([0, 0, 2_000, 3_000], entry);
        assert_eq!(camera.zoom, READABLE);
        assert_eq!([camera.x + camera.px(500), camera.y + camera.px(60)], [MARGIN; 2]);
    }

    #[test]
    fn a_match_is_shown_at_a_legible_zoom() {
        let mut camera = camera();
        camera.fit([0, 0, 8_000, 90_000]);
        camera.read([4_000, 50_000, 300, 17]);
        assert!((READABLE..=LIFE).contains(&camera.zoom) && camera.shows([4_000, 50_000, 300, 17]));
        let before = camera;
        camera.read([4_010, 50_020, 300, 17]);
        assert_eq!(camera, before, "it is in view already");
    }

    #[test]
    fn the_minimap_hides_from_what_cannot_be_moved_free_of_it() {
        let low = Camera { x: 0, y: 0, zoom: LIFE, pane: [600, 200] };
        assert_eq!(low.corner(), [180, 72], "as low as the pane");
        assert!(low.must_hide_map([50, 20, 500, 160]));
        assert!(!low.must_hide_map([50, 20, 500, 80]), "there is space above");
        assert!(!low.must_hide_map([50, 20, 300, 160]), "and beside");
        assert!(!low.must_hide_map([50, -100, 500, 160]), "it is not covered");
        assert!(
            !low.must_hide_map([50, 20, 500, 900]),
            "each part of what is larger than the pane can be moved free"
        );
    }

    #[test]
    fn nothing_is_revealed_below_the_minimap() {
        let mut camera = camera();
        let covered = |camera: &Camera, [x, y, width, height]: Rect| {
            let [across, down] = camera.corner();
            camera.x + camera.px(x + width) > 800 - across && camera.y + camera.px(y + height) > 600 - down
        };
        for rect in [[2_000, 3_000, 100, 100], [600, 450, 50, 50], [500, 0, 200, 540]] {
            camera.reveal(rect);
            assert!(!covered(&camera, rect) && camera.shows(rect), "{rect:?}: {camera:?}");
        }
    }

    #[test]
    fn the_point_under_the_pointer_does_not_move() {
        let mut camera = camera();
        let before = camera.visible();
        camera.zoom_by(2_000, [0, 0]);
        assert_eq!((camera.zoom, camera.visible()[..2].to_vec()), (2 * LIFE, before[..2].to_vec()));
        camera.zoom_by(1, [400, 300]);
        assert_eq!(camera.zoom, LIFE, "one step is not more than a factor of two");
        camera.zoom_to(1, [0, 0]);
        assert_eq!(camera.zoom, ZOOM[0]);
        camera.zoom_by(1_010, [0, 0]);
        assert_eq!(camera.zoom, ZOOM[0] + 1);
    }

    #[test]
    fn a_glide_begins_here_and_ends_there() {
        let (from, mut to) = (camera(), camera());
        to.zoom_to(5_000, [400, 300]);
        assert_eq!((from.towards(&to, 0), from.towards(&to, 1000)), (from, to));
        assert_eq!(from.towards(&to, 500).zoom, 7_500);
    }

    #[test]
    fn a_hidden_rectangle_is_scrolled_into_view_and_a_visible_one_is_not() {
        let mut camera = camera();
        let before = camera;
        camera.reveal([10, 10, 50, 50]);
        assert_eq!(camera, before);
        camera.reveal([2_000, 3_000, 100, 100]);
        assert!(inside([2_000, 3_000, 100, 100], camera.visible()));
        camera.reveal([-500, -500, 9_000, 9_000]);
        assert!(inside([-500, -500, 10, 10], camera.visible()));
    }

    #[test]
    fn a_camera_for_a_pane_of_another_size_has_the_same_middle_and_top() {
        assert_eq!(camera().in_pane([800, 600]), camera());
        let other = camera().in_pane([400, 500]);
        assert_eq!((other.pane, other.point([200, 0])), ([400, 500], camera().point([400, 0])));
    }
}
