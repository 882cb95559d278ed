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
        self.zoom = self.fitting(extent, true).min(LIFE);
        self.center(extent);
    }

    /// The first view: the whole graph if it is legible then, otherwise its upper part in full width.
    pub fn first_look(&mut self, extent: Rect) {
        self.zoom = self.fitting(extent, true).min(LIFE);
        if self.zoom < READABLE {
            self.zoom = self.fitting(extent, false).clamp(READABLE, LIFE);
        }
        self.center(extent);
        let [_, top, _, height] = extent;
        if self.px(height) > self.pane[1] - 2 * MARGIN {
            self.y = MARGIN - self.px(top);
        }
    }

    fn fitting(&self, [_, _, width, height]: Rect, whole: bool) -> i32 {
        let room = |pane: i32, size: i32| {
            scaled((pane - 2 * MARGIN).max(1), LIFE, size.max(1)).clamp(ZOOM[0], ZOOM[1])
        };
        let across = room(self.pane[0], width);
        if whole { across.min(room(self.pane[1], height)) } else { across }
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

    /// Moves as little as necessary to show a rectangle, or its upper left part if it is larger than the pane.
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
        camera.first_look([0, 0, 200, 100]);
        assert_eq!((camera.zoom, camera.x, camera.y), (LIFE, 300, 250));
        assert!(camera.shows([0, 0, 200, 100]));
        camera.fit([0, 0, 1600, 100]);
        assert_eq!((camera.zoom, camera.per_cent()), (4_700, 47));
        assert!(camera.shows([0, 0, 1600, 100]));
        camera.fit([0, 0, 20_000, 500_000]);
        assert!(camera.shows([0, 0, 20_000, 500_000]), "{camera:?}");
        camera.zoom_to(LIFE, [0, 0]);
        assert!(!camera.shows([0, 0, 1600, 100]));
    }

    #[test]
    fn a_tall_graph_begins_at_its_top() {
        let mut camera = camera();
        camera.first_look([0, 0, 400, 20_000]);
        assert_eq!((camera.zoom, camera.y), (LIFE, MARGIN));
        camera.first_look([0, 0, 4_000, 20_000]);
        assert_eq!(camera.zoom, READABLE);
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
}
