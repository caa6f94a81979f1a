//! A work cell: a table, racks with boxes, a curved panel of sheet metal, and a lidar cloud of the cell and a person.

use phalanx::{
    Aabb, Aabbs, Capsule, Capsules, Detector, Error, FirstHits, Mesh, Obb, Obbs, Point, Points,
};

pub const BOXES: usize = 1000;
pub const POINTS: usize = 20_000;
/// Number of squares of the panel along each side, of two triangles each.
const PANEL: u32 = 100;
/// The body of the first link and of the table below it.
pub const MOUNT: u32 = 1;

pub struct Cell {
    pub boxes: Obbs,
    pub cloud: Points,
    pub panel: Mesh,
}

impl Cell {
    pub fn new(random: &mut impl FnMut(f32, f32) -> f32) -> Result<Self, Error> {
        let boxes = boxes(random)?;
        let panel = panel()?;
        let cloud = cloud(&boxes, &panel, random)?;
        Ok(Cell {
            boxes,
            cloud,
            panel,
        })
    }
}

/// A box rotated about z.
fn upright(center: [f32; 3], half_extents: [f32; 3], angle: f32) -> Obb {
    let (sin, cos) = (0.5 * angle).sin_cos();
    Obb {
        center,
        half_extents,
        rotation: [0.0, 0.0, sin, cos],
    }
}

/// The table comes first.
fn boxes(random: &mut impl FnMut(f32, f32) -> f32) -> Result<Obbs, Error> {
    let mut boxes = Obbs::new();
    let table = boxes.push(upright([0.0, 0.0, -0.03], [0.45, 0.35, 0.03], 0.0));
    boxes.set_body(table, MOUNT)?;
    for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
        boxes.push(upright([0.4 * x, 0.3 * y, -0.43], [0.03, 0.03, 0.37], 0.0));
    }
    // Racks around the arm, open to the person in front of it.
    for rack in 0..6 {
        add_rack(&mut boxes, 1.2 + 0.7 * rack as f32, random);
    }
    // Parts on the table, and cartons on the floor.
    for part in 0..24 {
        let angle = 0.7 + part as f32;
        let [x, y] = [0.4 * angle.cos(), 0.3 * angle.sin()];
        let half = [(); 3].map(|()| random(0.01, 0.04));
        boxes.push(upright([x, y, half[2]], half, random(0.0, 3.0)));
    }
    while boxes.len() < BOXES {
        let half = [(); 3].map(|()| random(0.05, 0.15));
        let [x, y] = [(); 2].map(|()| random(-2.5, 2.5));
        boxes.push(upright([x, y, half[2] - 0.8], half, random(0.0, 3.0)));
    }
    Ok(boxes)
}

/// A rack with four boards at a direction from the arm, and boxes on it.
fn add_rack(boxes: &mut Obbs, angle: f32, random: &mut impl FnMut(f32, f32) -> f32) {
    let (sin, cos) = angle.sin_cos();
    // Along the ray from the arm, across it, and up.
    let at = |along: f32, across: f32, z: f32| {
        [
            along * cos - across * sin,
            along * sin + across * cos,
            z - 0.8,
        ]
    };
    const NEAR: f32 = 0.75;
    for (along, across) in [(0.0, -0.3), (0.0, 0.3), (0.4, -0.3), (0.4, 0.3)] {
        boxes.push(upright(
            at(NEAR + along, across, 0.9),
            [0.02, 0.02, 0.9],
            angle,
        ));
    }
    for board in 0..4 {
        let top = 0.2 + 0.45 * board as f32;
        let half = [0.22, 0.32, 0.01];
        boxes.push(upright(at(NEAR + 0.2, 0.0, top - 0.01), half, angle));
        for (row, column) in (0..5).flat_map(|row| (0..7).map(move |column| (row, column))) {
            let half = [
                random(0.015, 0.035),
                random(0.015, 0.035),
                random(0.03, 0.15),
            ];
            let [along, across] = [0.04 + 0.08 * row as f32, 0.08 * (column as f32 - 3.0)];
            let center = at(NEAR + along, across, top + half[2]);
            boxes.push(upright(center, half, angle + random(-0.3, 0.3)));
        }
    }
}

/// A panel like a car door: it stands in front of the arm, curved in both directions.
fn panel() -> Result<Mesh, Error> {
    let at = |row: u32, column: u32| {
        let [u, v] = [row, column].map(|k| k as f32 / PANEL as f32 - 0.5);
        [0.62 - 0.5 * v * v - 0.3 * u * u, 1.1 * v, 0.45 + 0.7 * u]
    };
    let side = PANEL + 1;
    let grid = (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
    let vertices: Vec<_> = grid.map(|(row, column)| at(row, column)).collect();
    let squares = (0..PANEL).flat_map(|row| (0..PANEL).map(move |column| row * side + column));
    let triangles = squares.flat_map(|k| [[k, k + 1, k + side + 1], [k, k + side + 1, k + side]]);
    Mesh::new(&vertices, &triangles.collect::<Vec<_>>())
}

/// The first hits of rays from a corner of the room: walls, floor, boxes, panel, a person, and a cable in the air.
fn cloud(
    boxes: &Obbs,
    panel: &Mesh,
    random: &mut impl FnMut(f32, f32) -> f32,
) -> Result<Points, Error> {
    let room = [
        ([-3.1, -3.0, -0.8], [-3.0, 3.0, 2.5]),
        ([3.0, -3.0, -0.8], [3.1, 3.0, 2.5]),
        ([-3.0, -3.1, -0.8], [3.0, -3.0, 2.5]),
        ([-3.0, 3.0, -0.8], [3.0, 3.1, 2.5]),
        ([-3.1, -3.1, -0.9], [3.1, 3.1, -0.8]),
        ([-3.1, -3.1, 2.5], [3.1, 3.1, 2.6]),
    ];
    let room: Aabbs = room
        .into_iter()
        .map(|(min, max)| Aabb { min, max })
        .collect();
    let unknown = Capsules::from_slice(&[
        Capsule::between([0.75, -0.75, 0.1], [0.75, -0.75, 0.55], 0.2),
        Capsule::between([0.75, -0.75, 0.8], [0.75, -0.75, 0.85], 0.12),
        Capsule::between([0.75, -0.5, 0.5], [0.45, -0.35, 0.35], 0.05),
        Capsule::between([-0.3, 0.45, 0.7], [0.35, 0.5, 0.9], 0.006),
    ]);
    let mut rays = Points::new();
    let from = [2.2, -2.6, 2.2];
    for _ in 0..POINTS {
        let to = [random(-1.4, 1.4), random(-1.4, 1.4), random(-0.6, 1.2)];
        let way = [0, 1, 2].map(|k| 4.0 * (to[k] - from[k]));
        rays.push_moving(Point { position: from }, way);
    }
    let (mut detector, mut firsts) = (Detector::new(), FirstHits::new());
    detector.first_hits(&rays, &room, &mut firsts)?;
    detector.nearer_hits(&rays, boxes, &mut firsts)?;
    detector.nearer_hits(&rays, panel, &mut firsts)?;
    detector.nearer_hits(&rays, &unknown, &mut firsts)?;
    let mut cloud = Points::new();
    for hit in &firsts {
        let point = rays.at(hit.a, hit.time.enter).unwrap_or_default();
        let index = cloud.push(point);
        if (hit.store, hit.b) == (1, 0) {
            cloud.set_body(index, MOUNT)?; // on the table
        }
    }
    assert_eq!(cloud.len(), POINTS, "a ray left the room");
    Ok(cloud)
}
