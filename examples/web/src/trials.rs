//! Scenes of a size that can be checked by brute force.

use crate::scenes::{self, Counters, Ferry};

/// A scene with some shapes, after some frames.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The number of the scene.
    pub scene: u32,
    /// How many shapes.
    pub len: u32,
    /// What they are made from.
    pub seed: u32,
    /// After how many frames.
    pub frames: u32,
}

/// One of each scene that moves.
pub const TRIALS: [Trial; 6] = [
    Trial {
        scene: 0,
        len: 1_000,
        seed: 7,
        frames: 40,
    },
    Trial {
        scene: 1,
        len: 400,
        seed: 7,
        frames: 90,
    },
    Trial {
        scene: 2,
        len: 200,
        seed: 7,
        frames: 110,
    },
    Trial {
        scene: 4,
        len: 2_000,
        seed: 7,
        frames: 30,
    },
    Trial {
        scene: 5,
        len: 1_000,
        seed: 7,
        frames: 240,
    },
    Trial {
        scene: 6,
        len: 1_500,
        seed: 7,
        frames: 30,
    },
];

impl Trial {
    /// What is counted in its last frame, and the state of the scene then.
    ///
    /// # Errors
    ///
    /// What the library says.
    pub fn run(self) -> Result<(Counters, Vec<u8>), phalanx::Error> {
        let mut state = Ferry::out();
        let mut counters = Counters::default();
        if let Some(mut scene) = scenes::make(self.scene, self.len, self.seed) {
            for _ in 0..self.frames {
                scene.frame()?;
            }
            counters = scene.counters();
            scene.carry(&mut state);
        }
        Ok((counters, state.into_bytes()))
    }
}
