//! The level: one mesh of a floor with bumps, walls, stairs, and a thin wall with three doorways; and the layers.

use phalanx::{Collider, ColliderId, Error, Groups, Mark, Mesh, Pose, Scene};

/// Half the width of the level, in metres. `y` is up.
pub const HALF: f64 = 16.0;
/// The places of the doorways along `z`. They are 2 m wide and 2.5 m high.
pub const DOORWAYS: [f64; 3] = [-9.0, 0.0, 9.0];

/// The layers: a bit each.
pub const LEVEL: u32 = 1;
pub const DOOR: u32 = 2;
pub const GLASS: u32 = 4;
pub const PROP: u32 = 8;
pub const BULLET: u32 = 16;
pub const PLAYER: u32 = 32;
pub const TRIGGER: u32 = 64;

/// The layers that each layer meets. Two colliders meet if each layer admits the other.
pub const fn layer(is: u32) -> Groups {
    let meets = match is {
        BULLET => LEVEL | DOOR | PROP,
        TRIGGER => PROP | PLAYER,
        // Bullets pass panes and the player.
        GLASS | PLAYER => !BULLET,
        _ => u32::MAX,
    };
    Groups { is, meets }
}

/// Adds the level and two panes.
pub fn add(scene: &mut Scene) -> Result<ColliderId, Error> {
    let mesh = scene.add_mesh(mesh()?);
    let fixed = |is| Mark {
        groups: layer(is),
        ..Mark::fixed()
    };
    let level = scene.add(Collider::Mesh(mesh), Pose::default(), fixed(LEVEL))?;
    for x in [-6.0, 6.0] {
        let pane = Collider::Obb([0.02, 1.5, 3.0]);
        scene.add(pane, Pose::at([x, 1.5, 4.5]), fixed(GLASS))?;
    }
    Ok(level)
}

#[derive(Default)]
struct Triangles {
    vertices: Vec<[f32; 3]>,
    indices: Vec<[u32; 3]>,
}

fn mesh() -> Result<Mesh, Error> {
    let mut level = Triangles::default();
    level.floor();
    let (inner, outer) = (HALF as f32, HALF as f32 + 1.0);
    for side in [-1.0, 1.0] {
        let [low, high] = if side < 0.0 {
            [-outer, -inner]
        } else {
            [inner, outer]
        };
        level.block([low, -1.0, -outer], [high, 6.0, outer]);
        level.block([-outer, -1.0, low], [outer, 6.0, high]);
    }
    // The wall between both halves is 20 cm thick.
    let mut from = -inner;
    for z in DOORWAYS.map(|z| z as f32) {
        level.block([-0.1, -1.0, from], [0.1, 5.0, z - 1.0]);
        level.block([-0.1, 2.5, z - 1.0], [0.1, 5.0, z + 1.0]);
        from = z + 1.0;
    }
    level.block([-0.1, -1.0, from], [0.1, 5.0, inner]);
    for (step, x) in [5.0, 6.0, 7.0].into_iter().enumerate() {
        let height = 0.2 * (step + 1) as f32;
        level.block([x, -1.0, -11.0], [x + 1.0, height, -7.0]);
    }
    Mesh::new(&level.vertices, &level.indices)
}

impl Triangles {
    /// Cells of 2 m, flat near the doorways.
    fn floor(&mut self) {
        let cells = HALF as u32;
        let row = cells + 1;
        for k in 0..row * row {
            let (i, j) = (k % row, k / row);
            let [x, z] = [i, j].map(|n| 2.0 * n as f32 - HALF as f32);
            let is_flat = x.abs() < 5.0;
            let y = if is_flat {
                0.0
            } else {
                0.05 * ((3 * i + 5 * j) % 4) as f32
            };
            self.vertices.push([x, y, z]);
        }
        for k in 0..cells * cells {
            let a = k / cells * row + k % cells;
            let (b, c, d) = (a + row, a + row + 1, a + 1);
            self.indices.extend([[a, b, c], [a, c, d]]);
        }
    }

    /// A box.
    fn block(&mut self, min: [f32; 3], max: [f32; 3]) {
        let first = self.vertices.len() as u32;
        for k in 0..8 {
            let corner = [0, 1, 2].map(|axis| [min[axis], max[axis]][k >> axis & 1]);
            self.vertices.push(corner);
        }
        // Seen from outside, the corners of a face turn to the left.
        for [a, b, c, d] in [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ] {
            let faces = [[a, b, c], [a, c, d]];
            self.indices
                .extend(faces.map(|face| face.map(|k| first + k)));
        }
    }
}
