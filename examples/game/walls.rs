//! Ways of bullets against walls, in `f64`: the center of a bullet that tunnels crosses the wall.

use phalanx::Mesh;

use crate::bullets::Flight;
use crate::doors::HALF_EXTENTS;
use crate::vector::{Vector, cross, dot, sub, wide};

/// Whether the center crosses a triangle.
pub fn crosses_mesh(flight: &Flight, mesh: &Mesh) -> bool {
    let way = sub(flight.to, flight.from);
    let triangles = mesh.triangles();
    let mut corners = triangles.iter().map(|triangle| triangle.corners.map(wide));
    corners.any(|[a, b, c]| {
        let (u, v) = (sub(b, a), sub(c, a));
        let normal = cross(u, v);
        let (from, slope) = (sub(flight.from, a), dot(way, normal));
        let time = -dot(from, normal) / slope;
        // Parallel ways have no time.
        if !(0.0..=1.0).contains(&time) {
            return false;
        }
        let at: Vector = [0, 1, 2].map(|k| from[k] + time * way[k]);
        let square = dot(normal, normal);
        let x = dot(cross(at, v), normal) / square;
        let y = dot(cross(u, at), normal) / square;
        x >= 0.0 && y >= 0.0 && x + y <= 1.0
    })
}

/// Whether the center enters a door and leaves it. A door that moves may close over a bullet.
pub fn crosses_door(flight: &Flight, center: Vector) -> bool {
    let (from, to) = (sub(flight.from, center), sub(flight.to, center));
    let half = HALF_EXTENTS.map(f64::from);
    let is_inside = |at: Vector| (0..3).all(|k| at[k].abs() <= half[k]);
    let (mut enter, mut exit) = (0.0_f64, 1.0_f64);
    for k in 0..3 {
        let way = to[k] - from[k];
        if way == 0.0 {
            if from[k].abs() > half[k] {
                return false;
            }
            continue;
        }
        let times = [-half[k], half[k]].map(|side| (side - from[k]) / way);
        enter = enter.max(times[0].min(times[1]));
        exit = exit.min(times[0].max(times[1]));
    }
    enter <= exit && !is_inside(from) && !is_inside(to)
}
