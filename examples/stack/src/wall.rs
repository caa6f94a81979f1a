//! The scene: walls of bricks on the ground, which is at height 0.

use phalanx::Obb;

/// Number of walls, one behind another.
pub const WALLS: usize = 4;
/// Height of a brick. Its length is twice the height, its depth equals the height.
pub const HEIGHT: f32 = 0.5;
/// Number of frames: ten seconds.
pub const FRAMES: u32 = 600;
/// Maximum displacement of a brick, in heights of a brick.
pub const TOLERANCE: f32 = 0.05;
/// Distance within which surfaces have a contact: more than they approach in a frame.
pub const MARGIN: f32 = 0.01;

const ROWS: usize = 10;
/// Bricks in a row; every second row has half a brick at both ends, and one brick less in between.
const BRICKS: usize = 10;
/// Gap between bricks of a row.
const GAP: f32 = 0.02;
/// Largest rotation of a brick, in radians.
const ASKEW: f32 = 0.01;

/// The bricks of all walls.
pub fn walls() -> Vec<Obb> {
    let mut bricks = Vec::new();
    for wall in 0..WALLS {
        for row in 0..ROWS {
            let (y, z) = ((row as f32 + 0.5) * HEIGHT, 3.0 * wall as f32);
            let length = 2.0 * HEIGHT;
            let mut lay = |x: f32, length: f32| {
                let half_turn = 0.5 * ASKEW * (2.4 * bricks.len() as f32).sin();
                bricks.push(Obb {
                    center: [x, y, z],
                    half_extents: [0.5 * (length - GAP), 0.5 * HEIGHT, 0.5 * HEIGHT],
                    rotation: [0.0, half_turn.sin(), 0.0, half_turn.cos()],
                });
            };
            if row % 2 == 0 {
                (0..BRICKS).for_each(|i| lay((i as f32 + 0.5) * length, length));
            } else {
                lay(0.25 * length, 0.5 * length);
                (1..BRICKS).for_each(|i| lay(i as f32 * length, length));
                lay((BRICKS as f32 - 0.25) * length, 0.5 * length);
            }
        }
    }
    bricks
}
