//! The way of a shape that searches a tree by time.

/// The path of a shape's bounds, on each axis in the direction of its displacement.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Index of the near side in a block.
    pub near: [usize; 3],
    /// Index of the far side.
    pub far: [usize; 3],
    /// The front at the start of the frame.
    pub lead: [f32; 3],
    /// The back at the start of the frame.
    pub tail: [f32; 3],
    /// One over the length of the displacement.
    pub before: [f32; 3],
    /// The same, negated.
    pub after: [f32; 3],
    /// The times at which the way begins and ends.
    pub from: f64,
    pub to: f64,
    /// Above the rounding of times of hits, relative to them.
    pub later: f64,
}

impl Way {
    /// The way of a static point at the origin.
    pub const NONE: Way = Way {
        near: [0; 3],
        far: [0; 3],
        lead: [0.0; 3],
        tail: [0.0; 3],
        before: [0.0; 3],
        after: [0.0; 3],
        from: 0.0,
        to: 1.0,
        later: 1.0,
    };

    /// A way that reaches everything on each axis, until an axis is set.
    pub const EVERYWHERE: Way = Way {
        lead: [f32::MAX; 3],
        tail: [-f32::MAX; 3],
        before: [1.0; 3],
        after: [-1.0; 3],
        ..Way::NONE
    };

    /// Sets the sides of a block that are near and far on an axis.
    pub fn set_sides(&mut self, k: usize, back: bool) {
        [self.near[k], self.far[k]] = if back { [3 + k, k] } else { [k, 3 + k] };
    }

    /// Sets the speed on an axis.
    pub fn set_length(&mut self, k: usize, length: f32) {
        let slowness = (1.0 / length).min(f32::MAX);
        (self.before[k], self.after[k]) = (slowness, -slowness);
    }
}
