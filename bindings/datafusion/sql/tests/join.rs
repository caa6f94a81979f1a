//! The join by cells, compared with all pairs.

mod common;

use std::sync::Arc;

use common::{column, doubles, error, floats, random, session, table};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array, StructArray};
use datafusion::arrow::datatypes::{Float32Type, Int64Type};
use datafusion::common::TableReference;
use datafusion::prelude::SessionContext;
use phalanx_datafusion::{CellJoin, JoinSide, Kind, MAX_CELLS};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

const LEN: usize = 150;

fn side(name: &str, kind: Kind) -> JoinSide {
    JoinSide::new(name, "shape", kind).column("id", &format!("{name}_id"))
}

fn shapes_table(context: &SessionContext, name: &str, shapes: StructArray) {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..shapes.len() as i64));
    context
        .deregister_table(TableReference::bare(name))
        .unwrap();
    table(context, name, [("id", ids), ("shape", Arc::new(shapes))]);
}

/// The pairs of ids that a query returns, sorted.
async fn pairs(context: &SessionContext, sql: &str) -> Vec<[i64; 2]> {
    let both = format!("SELECT named_struct('a', l_id, 'b', r_id) FROM ({sql})");
    let found = column(context, &both).await;
    let [a, b] = [0, 1].map(|k| {
        found
            .as_struct()
            .column(k)
            .as_primitive::<Int64Type>()
            .values()
            .to_vec()
    });
    let mut pairs: Vec<_> = a.into_iter().zip(b).map(|(a, b)| [a, b]).collect();
    pairs.sort();
    pairs
}

/// The pairs that a function finds among all, sorted.
async fn all_pairs(context: &SessionContext, test: &str) -> Vec<[i64; 2]> {
    let sql = format!("SELECT l.id AS l_id, r.id AS r_id FROM l CROSS JOIN r WHERE {test}");
    pairs(context, &sql).await
}

const BOUNDED: [Kind; 5] = [
    Kind::Point,
    Kind::Sphere,
    Kind::Capsule,
    Kind::Aabb,
    Kind::Obb,
];

fn name(a: Kind, b: Kind) -> String {
    if a == b {
        a.name().to_string()
    } else {
        format!("{}_{}", a.name(), b.name())
    }
}

#[tokio::test]
async fn joins_of_any_kinds_find_each_pair_once() {
    let mut rng = StdRng::seed_from_u64(20);
    let context = session();
    for a in BOUNDED {
        for b in BOUNDED
            .into_iter()
            .filter(|b| (a, *b) != (Kind::Point, Kind::Point))
        {
            shapes_table(&context, "l", floats(a, &random(&mut rng, a, LEN, true)));
            shapes_table(&context, "r", floats(b, &random(&mut rng, b, LEN, true)));
            let name = name(a, b);
            let expected = all_pairs(&context, &format!("{name}_overlap(l.shape, r.shape)")).await;
            assert!(expected.len() > 20, "{name}: {}", expected.len());
            let expected_swept = all_pairs(
                &context,
                &format!("get_field({name}_sweep(l.shape, r.shape), 'hit')"),
            )
            .await;
            for size in [0.37, 1.0, 100.0] {
                let join = CellJoin::overlap(side("l", a), side("r", b), size);
                assert_eq!(
                    pairs(&context, &join.sql().unwrap()).await,
                    expected,
                    "{name}, size {size}"
                );
                let join = CellJoin::sweep(side("l", a), side("r", b), size.max(0.5));
                assert_eq!(
                    pairs(&context, &join.sql().unwrap()).await,
                    expected_swept,
                    "{name}, size {size}"
                );
            }
        }
    }
}

/// Boxes with corners on the borders of cells of size 1, 1/2 and so on, which touch at corners, edges and faces.
fn on_borders(rng: &mut StdRng, far: f32) -> Vec<Vec<f32>> {
    let mut columns = vec![vec![]; 9];
    for _ in 0..LEN {
        for k in 0..3 {
            let low = far + rng.random_range(-3..3) as f32;
            columns[k].push(low);
            columns[3 + k].push(low + rng.random_range(0..=2) as f32 / 2.0);
            columns[6 + k].push(0.0);
        }
    }
    columns
}

#[tokio::test]
async fn boxes_on_borders_of_cells_are_found_once_wherever_they_are() {
    let mut rng = StdRng::seed_from_u64(21);
    let context = session();
    // The largest is at 2^21 and around, where cells share a number, and far out, where cells do not tell
    // neighbours apart any more.
    for far in [0.0, -5.0, 1e4, 2_097_152.0, -2_097_152.0, 1e7] {
        shapes_table(
            &context,
            "l",
            floats(Kind::Aabb, &on_borders(&mut rng, far)),
        );
        shapes_table(
            &context,
            "r",
            floats(Kind::Aabb, &on_borders(&mut rng, far)),
        );
        let expected = all_pairs(&context, "aabb_overlap(l.shape, r.shape)").await;
        assert!(expected.len() > 20, "{far}");
        // What is hashed is wider than the box, at 1e7 by some units.
        let sizes: &[f64] = if far.abs() < 1e5 {
            &[0.25, 0.5, 1.0, 3.0]
        } else {
            &[4.0, 64.0, 1e30]
        };
        for size in sizes {
            let join = CellJoin::overlap(side("l", Kind::Aabb), side("r", Kind::Aabb), *size);
            assert_eq!(
                pairs(&context, &join.sql().unwrap()).await,
                expected,
                "{far}, size {size}"
            );
        }
    }
}

#[tokio::test]
async fn cells_that_share_a_number_report_no_pair_twice() {
    // 2^21 cells apart along x: one number for both cells.
    let context = session();
    let row = |x: f32| vec![x, 0.2, 0.2, x + 0.5, 0.7, 0.7, 0.0, 0.0, 0.0];
    let columns = |rows: Vec<Vec<f32>>| {
        (0..9)
            .map(|k| rows.iter().map(|row| row[k]).collect())
            .collect::<Vec<_>>()
    };
    shapes_table(
        &context,
        "l",
        floats(Kind::Aabb, &columns(vec![row(0.25), row(2_097_152.5)])),
    );
    shapes_table(
        &context,
        "r",
        floats(Kind::Aabb, &columns(vec![row(0.25), row(2_097_152.5)])),
    );
    let join = CellJoin::overlap(side("l", Kind::Aabb), side("r", Kind::Aabb), 1.0)
        .sql()
        .unwrap();
    assert_eq!(pairs(&context, &join).await, [[0, 0], [1, 1]]);
    let keys = column(&context, "SELECT unnest(aabb_cells(shape, 1.0)) FROM l").await;
    let distinct: std::collections::HashSet<_> =
        keys.as_primitive::<Int64Type>().values().iter().collect();
    assert!(
        distinct.len() < keys.len(),
        "no cells share a number: the test shows nothing"
    );
}

#[tokio::test]
async fn what_touches_within_the_band_shares_a_cell() {
    // Spheres a few ulp apart are reported, each in a cell of its own if cells were of the exact sphere.
    let context = session();
    let sphere = |x: f32| {
        vec![
            vec![x],
            vec![0.5],
            vec![0.5],
            vec![1.0],
            vec![0.0],
            vec![0.0],
            vec![0.0],
        ]
    };
    shapes_table(
        &context,
        "l",
        floats(Kind::Sphere, &sphere((-1.0f32).next_down())),
    );
    shapes_table(
        &context,
        "r",
        floats(Kind::Sphere, &sphere(1.0f32.next_up())),
    );
    let expected = all_pairs(&context, "sphere_overlap(l.shape, r.shape)").await;
    assert_eq!(expected, [[0, 0]]);
    let join = CellJoin::overlap(side("l", Kind::Sphere), side("r", Kind::Sphere), 2.0)
        .sql()
        .unwrap();
    assert_eq!(pairs(&context, &join).await, expected);
}

#[tokio::test]
async fn doubles_join_as_the_floats_that_hold_them() {
    let mut rng = StdRng::seed_from_u64(22);
    let context = session();
    for kind in BOUNDED.into_iter().filter(|kind| *kind != Kind::Point) {
        let mut of = || {
            let columns = random(&mut rng, kind, LEN, false);
            let exact = |column: &Vec<f32>| {
                column
                    .iter()
                    .map(|x| f64::from(*x) * (1.0 + 1e-10))
                    .collect()
            };
            doubles(kind, &columns.iter().map(exact).collect::<Vec<_>>())
        };
        shapes_table(&context, "l", of());
        shapes_table(&context, "r", of());
        let name = kind.name();
        let expected = all_pairs(&context, &format!("{name}_overlap(l.shape, r.shape)")).await;
        assert!(expected.len() > 20, "{name}");
        let join = CellJoin::overlap(side("l", kind), side("r", kind), 1.0)
            .sql()
            .unwrap();
        assert_eq!(pairs(&context, &join).await, expected, "{name}");
    }
}

#[tokio::test]
async fn doubles_that_touch_are_reported() {
    // Spheres that touch exactly in doubles; as nearest floats many of them would not.
    let mut rng = StdRng::seed_from_u64(23);
    let context = session();
    let [mut a, mut b] = [0, 1].map(|_| vec![vec![]; 7]);
    let mut apart_if_rounded = 0;
    for _ in 0..2000 {
        let (x, ra) = (rng.random_range(-1e6..1e6), rng.random_range(0.0..1e-3));
        let rb: f64 = rng.random_range(0.0..1e-3);
        // Rounded downwards, they touch all the more.
        let at = [x + (ra + rb) - 1e-9, 0.0, 0.0, rb];
        for (column, number) in a.iter_mut().zip([x, 0.0, 0.0, ra, 0.0, 0.0, 0.0]) {
            column.push(number);
        }
        for (column, number) in b.iter_mut().zip(at.into_iter().chain([0.0; 3])) {
            column.push(number);
        }
        apart_if_rounded += usize::from(at[0] as f32 - x as f32 > ra as f32 + rb as f32);
    }
    assert!(apart_if_rounded > 100, "{apart_if_rounded}");
    let [a, b] = [a, b].map(|columns| Arc::new(doubles(Kind::Sphere, &columns)) as ArrayRef);
    table(&context, "t", [("a", a), ("b", b)]);
    let found = column(&context, "SELECT sphere_overlap(a, b) FROM t").await;
    assert_eq!(
        (found.as_boolean().true_count(), found.null_count()),
        (2000, 0)
    );
    let found = column(
        &context,
        "SELECT get_field(sphere_sweep(a, b), 'enter') FROM t",
    )
    .await;
    assert!(
        found
            .as_primitive::<Float32Type>()
            .values()
            .iter()
            .all(|enter| *enter == 0.0)
    );
}

#[tokio::test]
async fn names_may_be_any_text() {
    let context = session();
    let columns = vec![
        vec![0.0],
        vec![0.0],
        vec![0.0],
        vec![1.0],
        vec![0.0],
        vec![0.0],
        vec![0.0],
    ];
    let ball: ArrayRef = Arc::new(floats(Kind::Sphere, &columns));
    let id: ArrayRef = Arc::new(Int64Array::from(vec![5]));
    table(
        &context,
        "\"a \"\"b\"\" table\"",
        [("order", id.clone()), ("the \"ball\", it's", ball.clone())],
    );
    table(&context, "\"Select\"", [("cell", id), ("shape", ball)]);
    let left = JoinSide::new(
        TableReference::bare("a \"b\" table"),
        "the \"ball\", it's",
        Kind::Sphere,
    )
    .column("order", "l_id");
    let right =
        JoinSide::new(TableReference::bare("Select"), "shape", Kind::Sphere).column("cell", "r_id");
    let join = CellJoin::overlap(left.clone(), right.clone(), 0.7)
        .sql()
        .unwrap();
    assert_eq!(pairs(&context, &join).await, [[5, 5]]);
    let join = CellJoin::sweep(left, right, 1.25).sql().unwrap();
    let enter = column(
        &context,
        &format!("SELECT enter FROM ({join}) WHERE l_id = r_id"),
    )
    .await;
    assert_eq!(enter.as_primitive::<Float32Type>().values()[..], [0.0]);
}

#[tokio::test]
async fn a_shape_in_too_many_cells_is_named() {
    let context = session();
    let mut columns = vec![vec![0.0; 3]; 9];
    columns[3] = vec![1.0, 2.0, 3e6];
    shapes_table(&context, "l", floats(Kind::Aabb, &columns));
    let said = error(&context, "SELECT aabb_cells(shape, 0.5) FROM l").await;
    assert!(
        said.contains("aabb_cells: the shape in row 2 of the batch"),
        "{said}"
    );
    assert!(
        said.contains(&format!("more than {MAX_CELLS}: take a larger size")),
        "{said}"
    );
    let said = error(&context, "SELECT aabb_cells(shape, 1e-300) FROM l").await;
    assert!(
        said.contains("row 0 of the batch") && said.contains("4096"),
        "{said}"
    );
    let found = column(&context, "SELECT aabb_cells(shape, 1e300) FROM l").await;
    assert_eq!(found.as_list::<i32>().value_length(2), 8);
}

#[tokio::test]
async fn bad_shapes_have_no_cells() {
    let context = session();
    let mut columns = vec![vec![0.0; 3]; 9];
    columns[0][1] = f32::NAN;
    columns[8][2] = f32::INFINITY;
    shapes_table(&context, "l", floats(Kind::Aabb, &columns));
    let nulls = |found: ArrayRef| (0..3).map(|i| found.is_null(i)).collect::<Vec<_>>();
    assert_eq!(
        nulls(column(&context, "SELECT aabb_cells(shape, 1.0) FROM l").await),
        [false, true, false]
    );
    assert_eq!(
        nulls(column(&context, "SELECT aabb_sweep_cells(shape, 1.0) FROM l").await),
        [false, true, true]
    );
    assert_eq!(
        nulls(column(&context, "SELECT aabb_home(shape, shape, 1.0) FROM l").await),
        [false, true, false]
    );
    assert_eq!(
        nulls(column(&context, "SELECT aabb_home(NULL, shape, 1.0) FROM l").await),
        [true; 3]
    );
}

#[test]
fn joins_that_cannot_be_are_refused() {
    let said = |join: CellJoin| join.sql().unwrap_err().strip_backtrace();
    let ball = || side("l", Kind::Sphere);
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = said(CellJoin::overlap(ball(), side("r", Kind::Aabb), size));
        assert!(
            refused.contains(&format!(
                "the size of cells is {size}, not above zero and finite"
            )),
            "{refused}"
        );
    }
    assert!(
        said(CellJoin::overlap(ball(), side("r", Kind::Plane), 1.0))
            .contains("of a sphere and a plane")
    );
    let points = CellJoin::overlap(side("l", Kind::Point), side("r", Kind::Point), 1.0);
    assert!(said(points).contains("of a point and a point"));
    assert!(said(CellJoin::overlap(ball(), ball(), 1.0)).contains("returns two columns \"l_id\""));
    let times = CellJoin::sweep(ball().column("t", "enter"), side("r", Kind::Aabb), 1.0);
    assert!(said(times).contains("returns two columns \"enter\""));
    let none = |name| JoinSide::new(name, "shape", Kind::Sphere);
    assert!(said(CellJoin::overlap(none("l"), none("r"), 1.0)).contains("returns no column"));
}
