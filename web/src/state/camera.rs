//! Which part of the graph is in sight, and how large. Whole numbers only: px of the screen, per cent.
//!
//! A point of the graph is drawn at `point * zoom / 100 + offset`.

/// Smallest and largest zoom, in per cent.
const ZOOM: [i32; 2] = [4, 300];
/// Room that is left around the graph when it is fitted.
const MARGIN: i32 = 24;
/// The smallest zoom at which a first look begins: letters can still be read.
const READABLE: i32 = 62;

/// A rectangle: left, upper edge, width, height.
pub type Rect = [i32; 4];

/// The place from which one looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Camera {
    /// Where the graph's origin is on the screen, in px of the pane.
    pub x: i32,
    /// See `x`.
    pub y: i32,
    /// Per cent.
    pub zoom: i32,
    /// Width and height of the pane in px.
    pub pane: [i32; 2],
}

impl Default for Camera {
    fn default() -> Camera {
        Camera { x: MARGIN, y: MARGIN, zoom: 100, pane: [0, 0] }
    }
}

impl Camera {
    /// All of the graph, never larger than life.
    pub fn fit(&mut self, extent: Rect) {
        self.zoom = self.fitting(extent, true).min(100);
        self.centre(extent);
    }

    /// The first look: all of the graph if it can be read then, else its upper part in full width.
    pub fn first_look(&mut self, extent: Rect) {
        self.zoom = self.fitting(extent, true).min(100);
        if self.zoom < READABLE {
            self.zoom = self.fitting(extent, false).clamp(READABLE, 100);
        }
        self.centre(extent);
        let [_, top, _, height] = extent;
        if height * self.zoom / 100 > self.pane[1] - 2 * MARGIN {
            self.y = MARGIN - top * self.zoom / 100;
        }
    }

    fn fitting(&self, [_, _, width, height]: Rect, whole: bool) -> i32 {
        let across = (self.pane[0] - 2 * MARGIN).max(1).saturating_mul(100) / width.max(1);
        let down = (self.pane[1] - 2 * MARGIN).max(1).saturating_mul(100) / height.max(1);
        if whole { across.min(down) } else { across }.clamp(ZOOM[0], ZOOM[1])
    }

    /// Brings the middle of a rectangle to the middle of the pane.
    pub fn centre(&mut self, [x, y, width, height]: Rect) {
        let middle = |pane: i32, from: i32, size: i32| pane / 2 - (2 * from + size) * self.zoom / 200;
        self.x = middle(self.pane[0], x, width);
        self.y = middle(self.pane[1], y, height);
    }

    /// Moves as little as it takes to show a rectangle; its upper left part if it is larger than the pane.
    pub fn reveal(&mut self, [x, y, width, height]: Rect) {
        let near = |offset: &mut i32, zoom: i32, pane: i32, from: i32, size: i32| {
            let (start, end) = (from * zoom / 100 + *offset, (from + size) * zoom / 100 + *offset);
            if end > pane - MARGIN {
                *offset -= end - (pane - MARGIN);
            }
            let start = start.min(from * zoom / 100 + *offset);
            if start < MARGIN {
                *offset += MARGIN - start;
            }
        };
        near(&mut self.x, self.zoom, self.pane[0], x, width);
        near(&mut self.y, self.zoom, self.pane[1], y, height);
    }

    /// Another zoom, in per cent of the one now; the point `at` of the pane stays where it is.
    pub fn zoom_by(&mut self, per_cent: i32, at: [i32; 2]) {
        let step = (self.zoom * per_cent / 100 - self.zoom).clamp(-100, 100);
        // At the smallest zooms a step of some per cent would be none.
        let step = if step == 0 { (per_cent - 100).signum() } else { step };
        self.zoom_to(self.zoom + step, at);
    }

    /// A zoom in per cent; the point `at` of the pane stays where it is.
    pub fn zoom_to(&mut self, zoom: i32, at: [i32; 2]) {
        let zoom = zoom.clamp(ZOOM[0], ZOOM[1]);
        self.x = at[0] - (at[0] - self.x) * zoom / self.zoom;
        self.y = at[1] - (at[1] - self.y) * zoom / self.zoom;
        self.zoom = zoom;
    }

    /// The part of the graph in sight.
    pub fn sight(&self) -> Rect {
        let back = |px: i32| px * 100 / self.zoom;
        [back(-self.x), back(-self.y), back(self.pane[0]), back(self.pane[1])]
    }
}

/// Whether two rectangles have a point in common.
pub fn overlap(a: Rect, b: Rect) -> bool {
    a[0] <= b[0] + b[2] && b[0] <= a[0] + a[2] && a[1] <= b[1] + b[3] && b[1] <= a[1] + a[3]
}

/// Whether `inner` is in `outer`.
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
        assert_eq!((camera.zoom, camera.x, camera.y), (100, 300, 250));
        camera.fit([0, 0, 1600, 100]);
        assert_eq!(camera.zoom, 47);
        assert!(inside([0, 0, 1600, 100], camera.sight()));
    }

    #[test]
    fn a_tall_graph_begins_at_its_top() {
        let mut camera = camera();
        camera.first_look([0, 0, 400, 20_000]);
        assert_eq!((camera.zoom, camera.y), (100, MARGIN));
        camera.first_look([0, 0, 4_000, 20_000]);
        assert_eq!(camera.zoom, READABLE);
    }

    #[test]
    fn the_point_under_the_pointer_stays() {
        let mut camera = camera();
        let before = camera.sight();
        camera.zoom_by(200, [0, 0]);
        assert_eq!((camera.zoom, camera.sight()[..2].to_vec()), (200, before[..2].to_vec()));
        camera.zoom_by(1, [400, 300]);
        assert_eq!(camera.zoom, 100, "one step is not more than a factor");
        camera.zoom_to(1, [0, 0]);
        assert_eq!(camera.zoom, ZOOM[0]);
        camera.zoom_by(110, [0, 0]);
        assert_eq!(camera.zoom, ZOOM[0] + 1);
    }

    #[test]
    fn what_is_asked_for_comes_into_sight_and_nothing_moves_for_what_is() {
        let mut camera = camera();
        let before = camera;
        camera.reveal([10, 10, 50, 50]);
        assert_eq!(camera, before);
        camera.reveal([2_000, 3_000, 100, 100]);
        assert!(inside([2_000, 3_000, 100, 100], camera.sight()));
        camera.reveal([-500, -500, 9_000, 9_000]);
        assert!(inside([-500, -500, 10, 10], camera.sight()));
    }
}
