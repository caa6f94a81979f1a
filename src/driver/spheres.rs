//! Points as spheres of radius zero, for the kernels of contacts and distances.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;

use crate::driver::rows::PairShapes;
use crate::memory::pages;
use crate::shapes::shape::Shape;
use crate::shapes::sphere::Sphere;
use crate::store::columns::AnyColumns;

/// Reserves the radii of points up to given indices, for the sides that are points.
pub fn reserve(
    of_points: [bool; 2],
    columns: [&AnyColumns<'_>; 2],
    ends: [usize; 2],
    radii: &mut Vec<f32>,
) -> Result<(), TryReserveError> {
    for ((columns, of_points), end) in columns.into_iter().zip(of_points).zip(ends) {
        let numbers = columns.numbers(end);
        if of_points && numbers > radii.len() {
            pages::try_resize(radii, numbers, 0.0)?;
        }
    }
    Ok(())
}

/// Passes the shapes on, with spheres in place of points.
pub fn with_spheres(
    of_points: [bool; 2],
    shapes: PairShapes<'_>,
    swapped: bool,
    radii: &[f32],
    run: impl FnOnce(PairShapes<'_>),
) {
    let [first, second] = shapes.columns;
    let mut fields: [[&[f32]; Sphere::FIELDS]; 2] = Default::default();
    let [fields_a, fields_b] = &mut fields;
    let [of_points_a, of_points_b] = of_points;
    let spheres_a = of_points_a.then(|| first.points_as_spheres(radii, fields_a));
    let spheres_b = of_points_b.then(|| second.points_as_spheres(radii, fields_b));
    run(PairShapes {
        columns: [
            spheres_a.as_ref().unwrap_or(first),
            spheres_b.as_ref().unwrap_or(second),
        ],
        // Rows of one type are never read in reverse: points against spheres, in that order, read columns.
        rows: shapes.rows.filter(|_| !(of_points_a && swapped)),
        ..shapes
    });
}
