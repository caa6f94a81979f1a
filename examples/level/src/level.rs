//! The generated level: terrain, stairs, a bridge, a ramp, a tunnel, crates, a steep bank, houses and a surrounding wall.
//!
//! Coordinates are in metres, z points up. All numbers come from additions, multiplications and integers, so the level
//! is the same on every machine. The page in `examples/web` also uses this file.

/// Half the width of the level.
pub const HALF: f32 = 60.0;
/// Maximum size of a cell of a wall.
const CELL: f32 = 1.5;
/// Bottom of everything in the ground.
const BOTTOM: f32 = -7.0;

/// Triangles between shared vertices.
#[derive(Default)]
pub struct Soup {
    pub vertices: Vec<[f32; 3]>,
    pub indices: Vec<[u32; 3]>,
}

/// The place where the character begins.
pub const START: [f32; 2] = [-40.0, 0.0];

/// Height of the deck of the bridge.
const DECK: f32 = 2.4;

/// The level, with the number of cells of the terrain along each axis. Its triangles are the first.
pub fn make(cells: usize) -> Soup {
    let mut soup = Soup::default();
    soup.terrain(cells);

    // Along the x axis, the path of the character: stairs, a bridge over the valley, a ramp.
    let (rise, tread, steps) = (0.12, 0.3, 20);
    for step in 0..steps {
        let from = -32.0 + tread * step as f32;
        let top = DECK - rise * (steps - 1 - step) as f32;
        soup.block([from, -2.0], [from + tread, 2.0], BOTTOM, top);
    }
    soup.block([-26.0, -2.0], [-22.0, 2.0], BOTTOM, DECK);
    soup.block([-22.0, -1.5], [-8.0, 1.5], DECK - 0.4, DECK);
    for pillar in [-19.0, -15.0, -11.0] {
        soup.block(
            [pillar - 0.3, -1.2],
            [pillar + 0.3, 1.2],
            BOTTOM,
            DECK - 0.4,
        );
    }
    for side in [-1.5, 1.3] {
        soup.block([-22.0, side], [-8.0, side + 0.2], DECK, DECK + 1.0);
    }
    soup.column(
        [[-8.0, -2.0], [-1.0, -2.0], [-1.0, 2.0], [-8.0, 2.0]],
        BOTTOM,
        [DECK, -1.0, -1.0, DECK],
    );
    // The tunnel.
    for side in [-2.0, 1.5] {
        soup.block([3.0, side], [13.0, side + 0.5], BOTTOM, 3.5);
    }
    soup.block([3.0, -2.0], [13.0, 2.0], 3.5, 4.0);
    // Crates across the path, too high to step on.
    for crate_ in -4..4 {
        let y = crate_ as f32;
        let top = terrain_height(17.0, y + 0.5) + 1.0;
        soup.block([16.5, y + 0.02], [17.5, y + 0.98], BOTTOM, top);
    }
    // A bank too steep to walk on, 60 degrees, and a wall to walk along behind it.
    soup.column(
        [[22.0, -5.0], [25.0, -5.0], [25.0, 5.0], [22.0, 5.0]],
        BOTTOM,
        [-0.8, 4.4, 4.4, -0.8],
    );
    soup.column(
        [[24.0, 6.0], [40.0, 14.0], [39.8, 14.4], [23.8, 6.4]],
        BOTTOM,
        [3.0; 4],
    );

    // Beside the path: houses and crates. The path itself is free.
    let mut random = Random(2026);
    for house in 0..10 {
        let x = -48.0 + 24.0 * (house / 2) as f32 + random.between(-4.0, 4.0);
        let y = random.between(22.0, 46.0) * if house % 2 == 0 { 1.0 } else { -1.0 };
        let size = [random.between(4.0, 7.0), random.between(3.0, 5.0)];
        soup.house([x, y], random.turn(), size, random.between(2.5, 4.0));
    }
    for _ in 0..120 {
        let x = random.between(-55.0, 55.0);
        let y = random.between(9.0, 55.0) * random.sign();
        if x > 20.0 && y.abs() < 18.0 {
            continue;
        }
        let half = [random.between(0.3, 1.2), random.between(0.3, 1.2)];
        let top = terrain_height(x, y) + random.between(0.4, 2.0);
        let footprint = rectangle([x, y], random.turn(), [-half[0], -half[1]], half);
        soup.column(footprint, BOTTOM, [top; 4]);
    }
    // The wall around.
    let (from, to) = (HALF - 1.5, HALF - 0.5);
    soup.block([-to, -to], [to, -from], BOTTOM, 7.0);
    soup.block([-to, from], [to, to], BOTTOM, 7.0);
    soup.block([-to, -from], [-from, from], BOTTOM, 7.0);
    soup.block([from, -from], [to, from], BOTTOM, 7.0);
    soup
}

/// Height of the terrain: hills, lower along the path, and a valley under the bridge.
pub fn terrain_height(x: f32, y: f32) -> f32 {
    let bump = |x: f32| {
        let rest = (1.0 - x * x).max(0.0);
        rest * rest
    };
    let way = 1.0 - 0.85 * bump(y / 12.0);
    let hills = 4.5 * noise(x / 19.0, y / 19.0, 1) + 1.2 * noise(x / 6.0, y / 6.0, 2);
    let stones = 0.04 * noise(x / 0.9, y / 0.9, 3);
    hills * way + stones - 4.0 * bump((x + 15.0) / 8.0)
}

/// Smooth noise from −1 to 1.
fn noise(x: f32, y: f32, seed: u64) -> f32 {
    let (i, j) = (x.floor(), y.floor());
    let at = |di: f32, dj: f32| {
        let place = [i + di, j + dj].map(|x| u64::from((x as i32).cast_unsigned()));
        Random(place[0] << 32 ^ place[1] ^ seed << 60).between(-1.0, 1.0)
    };
    let [u, v] = [x - i, y - j].map(|t| t * t * (3.0 - 2.0 * t));
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    mix(
        mix(at(0.0, 0.0), at(1.0, 0.0), u),
        mix(at(0.0, 1.0), at(1.0, 1.0), u),
        v,
    )
}

impl Soup {
    fn terrain(&mut self, cells: usize) {
        let at = |i: usize| -HALF + 2.0 * HALF * i as f32 / cells as f32;
        self.grid([cells, cells], |i, j| {
            [at(i), at(j), terrain_height(at(i), at(j))]
        });
    }

    /// An axis-aligned box.
    fn block(&mut self, from: [f32; 2], to: [f32; 2], bottom: f32, top: f32) {
        let footprint = [from, [to[0], from[1]], to, [from[0], to[1]]];
        self.column(footprint, bottom, [top; 4]);
    }

    /// A closed column over a footprint of counterclockwise corners, with the height of each corner.
    fn column(&mut self, footprint: [[f32; 2]; 4], bottom: f32, tops: [f32; 4]) {
        let cells = |length: f32| (length / CELL).ceil().max(1.0) as usize;
        let side = |k: usize, l: usize| {
            let [d, e] = [0, 1].map(|axis| footprint[l][axis] - footprint[k][axis]);
            (d * d + e * e).sqrt()
        };
        let along = [
            cells(side(0, 1).max(side(3, 2))),
            cells(side(1, 2).max(side(0, 3))),
        ];
        let up = cells(tops.into_iter().fold(0.0, f32::max) - bottom);
        let low = |k: usize| [footprint[k][0], footprint[k][1], bottom];
        let high = |k: usize| [footprint[k][0], footprint[k][1], tops[k]];
        self.patch([high(0), high(1), high(2), high(3)], along);
        self.patch([low(0), low(3), low(2), low(1)], [along[1], along[0]]);
        for k in 0..4 {
            let l = (k + 1) % 4;
            self.patch([low(k), low(l), high(l), high(k)], [along[k % 2], up]);
        }
    }

    /// Four walls with a door, and a roof.
    fn house(&mut self, center: [f32; 2], turn: [f32; 2], half: [f32; 2], height: f32) {
        let ground = terrain_height(center[0], center[1]);
        let mut part = |from: [f32; 2], to: [f32; 2], bottom: f32, top: f32| {
            self.column(rectangle(center, turn, from, to), bottom, [top; 4]);
        };
        let ([x, y], thick, top) = (half, 0.3, ground + height);
        part([-x, -y], [-0.6, -y + thick], BOTTOM, top);
        part([0.6, -y], [x, -y + thick], BOTTOM, top);
        part([-0.6, -y], [0.6, -y + thick], ground + 2.1, top);
        part([-x, y - thick], [x, y], BOTTOM, top);
        part([-x, -y + thick], [-x + thick, y - thick], BOTTOM, top);
        part([x - thick, -y + thick], [x, y - thick], BOTTOM, top);
        part([-x - 0.4, -y - 0.4], [x + 0.4, y + 0.4], top, top + 0.3);
    }

    /// A patch between four corners.
    fn patch(&mut self, corners: [[f32; 3]; 4], cells: [usize; 2]) {
        let [m, n] = cells;
        self.grid(cells, |i, j| {
            let (u, v) = (i as f32 / m as f32, j as f32 / n as f32);
            let weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), u * v, (1.0 - u) * v];
            let mut point = [0.0; 3];
            for (weight, corner) in weights.into_iter().zip(corners) {
                for (x, c) in point.iter_mut().zip(corner) {
                    *x += weight * c;
                }
            }
            point
        });
    }

    /// Two triangles for each cell of a grid.
    fn grid(&mut self, [m, n]: [usize; 2], vertex: impl Fn(usize, usize) -> [f32; 3]) {
        let first = self.vertices.len();
        for j in 0..=n {
            self.vertices.extend((0..=m).map(|i| vertex(i, j)));
        }
        for j in 0..n {
            for i in 0..m {
                let a = (first + j * (m + 1) + i) as u32;
                let (b, c, d) = (a + 1, a + m as u32 + 2, a + m as u32 + 1);
                self.indices.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
}

/// The corners of a rectangle rotated about its center.
fn rectangle(center: [f32; 2], turn: [f32; 2], from: [f32; 2], to: [f32; 2]) -> [[f32; 2]; 4] {
    let [cos, sin] = turn;
    [from, [to[0], from[1]], to, [from[0], to[1]]]
        .map(|[x, y]| [center[0] + cos * x - sin * y, center[1] + sin * x + cos * y])
}

/// Random numbers by SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn between(&mut self, from: f32, to: f32) -> f32 {
        let part = (self.bits() >> 40) as f32 / (1u32 << 24) as f32;
        from + (to - from) * part
    }

    fn sign(&mut self) -> f32 {
        if self.bits().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        }
    }

    /// Cosine and sine of an angle up to 90°.
    fn turn(&mut self) -> [f32; 2] {
        let t = self.between(0.0, 1.0);
        let r = 1.0 + t * t;
        [(1.0 - t * t) / r, 2.0 * t / r]
    }
}
