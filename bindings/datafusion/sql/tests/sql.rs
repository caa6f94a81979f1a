//! Queries, compared with the library.

mod common;

use std::sync::Arc;

use common::{MOTION, column, error, floats, literal, random, session, structs, table};
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float32Array, Float64Array, Int64Array, StringArray, StructArray,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{Float32Type, UInt8Type};
use phalanx::{
    AabbColumns, AabbsRef, CapsuleColumns, CapsulesRef, Contacts, Detector, HalfSpacesRef,
    ObbColumns, ObbsRef, Overlaps, Pair, Pairs, PlaneColumns, PlanesRef, PointColumns, PointsRef,
    SphereColumns, SpheresRef, Sweeps,
};
use phalanx_datafusion::Kind;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fn three(columns: &[Vec<f32>], first: usize) -> [&[f32]; 3] {
    std::array::from_fn(|k| &columns[first + k][..])
}

macro_rules! view {
    (Point, $c:expr) => {
        PointsRef::new(PointColumns {
            position: three($c, 0),
            displacement: three($c, 3),
        })
    };
    (Sphere, $c:expr) => {
        SpheresRef::new(SphereColumns {
            center: three($c, 0),
            radius: &$c[3],
            displacement: three($c, 4),
        })
    };
    (Capsule, $c:expr) => {
        CapsulesRef::new(CapsuleColumns {
            center: three($c, 0),
            half_axis: three($c, 3),
            radius: &$c[6],
            displacement: three($c, 7),
        })
    };
    (Aabb, $c:expr) => {
        AabbsRef::new(AabbColumns {
            min: three($c, 0),
            max: three($c, 3),
            displacement: three($c, 6),
        })
    };
    (Obb, $c:expr) => {
        ObbsRef::new(ObbColumns {
            center: three($c, 0),
            half_extents: three($c, 3),
            rotation: std::array::from_fn(|k| &$c[6 + k][..]),
            displacement: three($c, 10),
            turn: [&[]; 3],
        })
    };
    (Plane, $c:expr) => {
        PlanesRef::new(PlaneColumns {
            normal: three($c, 0),
            d: &$c[3],
            displacement: three($c, 4),
        })
    };
    (HalfSpace, $c:expr) => {
        HalfSpacesRef::new(PlaneColumns {
            normal: three($c, 0),
            d: &$c[3],
            displacement: three($c, 4),
        })
    };
}

type Case = (
    &'static str,
    Kind,
    Kind,
    fn(&[Vec<f32>], &[Vec<f32>], Pairs<'_>) -> Answers,
);

/// What the library says.
struct Answers {
    overlaps: Overlaps,
    sweeps: Sweeps,
    contacts: Option<Contacts>,
}

macro_rules! cases {
    ($($name:literal $a:ident $b:ident $($contact:ident)?;)*) => {
        &[$((
            $name,
            Kind::$a,
            Kind::$b,
            |a, b, pairs| {
                let (a, b) = (view!($a, a).unwrap(), view!($b, b).unwrap());
                let mut detector = Detector::new();
                let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
                detector.overlap(&a, &b, pairs, &mut overlaps).unwrap();
                detector.sweep(&a, &b, pairs, &mut sweeps).unwrap();
                let contacts = cases!(@ detector, a, b, pairs, $($contact)?);
                Answers { overlaps, sweeps, contacts }
            },
        )),*]
    };
    (@ $detector:ident, $a:ident, $b:ident, $pairs:ident,) => { None };
    (@ $detector:ident, $a:ident, $b:ident, $pairs:ident, contact) => {{
        let mut contacts = Contacts::new();
        $detector.contact(&$a, &$b, $pairs, &mut contacts).unwrap();
        Some(contacts)
    }};
}

const CASES: &[Case] = cases! {
    "point_sphere" Point Sphere; "point_capsule" Point Capsule; "point_aabb" Point Aabb; "point_obb" Point Obb;
    "point_plane" Point Plane; "point_half_space" Point HalfSpace;
    "sphere_point" Sphere Point; "capsule_point" Capsule Point; "aabb_point" Aabb Point; "obb_point" Obb Point;
    "plane_point" Plane Point; "half_space_point" HalfSpace Point;
    "sphere" Sphere Sphere contact; "sphere_capsule" Sphere Capsule contact; "sphere_aabb" Sphere Aabb contact;
    "sphere_obb" Sphere Obb contact; "sphere_plane" Sphere Plane contact;
    "sphere_half_space" Sphere HalfSpace contact; "capsule_sphere" Capsule Sphere contact;
    "aabb_sphere" Aabb Sphere contact; "obb_sphere" Obb Sphere contact; "plane_sphere" Plane Sphere contact;
    "half_space_sphere" HalfSpace Sphere contact; "capsule" Capsule Capsule contact;
    "capsule_aabb" Capsule Aabb contact; "capsule_obb" Capsule Obb contact; "capsule_plane" Capsule Plane contact;
    "capsule_half_space" Capsule HalfSpace contact; "aabb_capsule" Aabb Capsule contact;
    "obb_capsule" Obb Capsule contact; "plane_capsule" Plane Capsule contact;
    "half_space_capsule" HalfSpace Capsule contact; "aabb" Aabb Aabb contact; "aabb_obb" Aabb Obb contact;
    "aabb_plane" Aabb Plane contact; "aabb_half_space" Aabb HalfSpace contact; "obb_aabb" Obb Aabb contact;
    "plane_aabb" Plane Aabb contact; "half_space_aabb" HalfSpace Aabb contact; "obb" Obb Obb contact;
    "obb_plane" Obb Plane contact; "obb_half_space" Obb HalfSpace contact; "plane_obb" Plane Obb contact;
    "half_space_obb" HalfSpace Obb contact;
};

const LEN: usize = 1000;

/// Checks the answers of a query against those of the library, the bits of numbers included.
fn check_overlaps(name: &str, found: &ArrayRef, overlaps: &Overlaps, nulls: Option<&NullBuffer>) {
    let found = found.as_boolean();
    assert_eq!(found.len(), overlaps.len(), "{name}");
    for row in 0..found.len() {
        let is_null = overlaps.is_invalid(row) || nulls.is_some_and(|nulls| nulls.is_null(row));
        assert_eq!(found.is_null(row), is_null, "{name}, row {row}");
        assert!(
            is_null || found.value(row) == overlaps.is_hit(row),
            "{name}, row {row}"
        );
    }
}

fn check_sweeps(name: &str, found: &ArrayRef, sweeps: &Sweeps, nulls: Option<&NullBuffer>) {
    let found = found.as_struct();
    assert_eq!(found.len(), sweeps.len(), "{name}");
    let [hit, enter, exit] =
        ["hit", "enter", "exit"].map(|field| found.column_by_name(field).unwrap());
    let (enter, exit) = (
        enter.as_primitive::<Float32Type>(),
        exit.as_primitive::<Float32Type>(),
    );
    for row in 0..found.len() {
        let is_null = sweeps.is_invalid(row) || nulls.is_some_and(|nulls| nulls.is_null(row));
        assert_eq!(found.is_null(row), is_null, "{name}, row {row}");
        assert_eq!(
            hit.is_null(row) && enter.is_null(row) && exit.is_null(row),
            is_null,
            "{name}, row {row}"
        );
        if !is_null {
            assert_eq!(
                hit.as_boolean().value(row),
                sweeps.is_hit(row),
                "{name}, row {row}"
            );
            assert_eq!(
                enter.value(row).to_bits(),
                sweeps.enter()[row].to_bits(),
                "{name}, row {row}"
            );
            assert_eq!(
                exit.value(row).to_bits(),
                sweeps.exit()[row].to_bits(),
                "{name}, row {row}"
            );
        }
    }
}

fn check_contacts(name: &str, found: &ArrayRef, contacts: &Contacts, nulls: Option<&NullBuffer>) {
    let found = found.as_struct();
    assert_eq!(found.len(), contacts.len(), "{name}");
    // The names that the Python wheel has, too.
    let fields = [
        "hit",
        "normal_x",
        "normal_y",
        "normal_z",
        "separation",
        "points",
    ];
    assert_eq!(found.column_names(), fields, "{name}");
    let [_, numbers @ .., _] = fields;
    let number = |field: &str| {
        found
            .column_by_name(field)
            .unwrap()
            .as_primitive::<Float32Type>()
    };
    let hit = found.column_by_name("hit").unwrap().as_boolean();
    let points = found.column_by_name("points").unwrap().as_list::<i32>();
    for row in 0..found.len() {
        let is_null = contacts.is_invalid(row) || nulls.is_some_and(|nulls| nulls.is_null(row));
        assert_eq!(
            (found.is_null(row), hit.is_null(row)),
            (is_null, is_null),
            "{name}, row {row}"
        );
        let contact = contacts.get(row).filter(|_| !is_null);
        assert!(
            is_null || hit.value(row) == contact.is_some(),
            "{name}, row {row}"
        );
        for field in numbers {
            assert_eq!(
                number(field).is_valid(row),
                contact.is_some(),
                "{name}, row {row}, {field}"
            );
        }
        assert_eq!(points.is_valid(row), contact.is_some(), "{name}, row {row}");
        let Some(contact) = contact else { continue };
        let bits = numbers.map(|field| number(field).value(row).to_bits());
        let [x, y, z] = contact.normal;
        assert_eq!(
            bits,
            [x, y, z, contact.separation].map(f32::to_bits),
            "{name}, row {row}"
        );
        let list = points.value(row);
        let list = list.as_struct();
        assert_eq!(list.len(), contact.points().len(), "{name}, row {row}");
        for (k, point) in contact.points().iter().enumerate() {
            let of = |field: &str| list.column_by_name(field).unwrap();
            let numbers = ["x", "y", "z", "separation"]
                .map(|field| of(field).as_primitive::<Float32Type>().value(k).to_bits());
            let [x, y, z] = point.at;
            assert_eq!(
                numbers,
                [x, y, z, point.separation].map(f32::to_bits),
                "{name}, row {row}, {k}"
            );
            assert_eq!(
                of("feature").as_primitive::<UInt8Type>().value(k),
                point.feature
            );
        }
    }
}

#[tokio::test]
async fn every_function_answers_as_the_library_does() {
    let mut rng = StdRng::seed_from_u64(1);
    let context = session();
    for (name, a, b, answer) in CASES {
        let columns = [
            random(&mut rng, *a, LEN, true),
            random(&mut rng, *b, LEN, true),
        ];
        let nulls =
            [0, 1].map(|_| NullBuffer::from_iter((0..LEN).map(|_| rng.random_range(0..9) > 0)));
        let shapes = |k: usize, kind: Kind| {
            let (fields, arrays, _) = floats(kind, &columns[k]).into_parts();
            Arc::new(StructArray::new(fields, arrays, Some(nulls[k].clone()))) as ArrayRef
        };
        context.deregister_table("t").unwrap();
        table(&context, "t", [("a", shapes(0, *a)), ("b", shapes(1, *b))]);
        let both = NullBuffer::union(Some(&nulls[0]), Some(&nulls[1]));
        let Answers {
            overlaps,
            sweeps,
            contacts,
        } = answer(&columns[0], &columns[1], Pairs::zip());
        // No random point lies on a plane.
        let may_touch = overlaps.count() > 0 || [*a, *b].contains(&Kind::Point);
        assert!(
            may_touch && overlaps.invalid_count() > 0 && sweeps.count() > 0,
            "{name}"
        );

        let found = column(&context, &format!("SELECT {name}_overlap(a, b) FROM t")).await;
        check_overlaps(name, &found, &overlaps, both.as_ref());
        let found = column(&context, &format!("SELECT {name}_sweep(a, b) FROM t")).await;
        check_sweeps(name, &found, &sweeps, both.as_ref());
        if let Some(contacts) = contacts {
            let found = column(&context, &format!("SELECT {name}_contact(a, b) FROM t")).await;
            check_contacts(name, &found, &contacts, both.as_ref());
        }
    }
}

#[tokio::test]
async fn a_literal_on_either_side_meets_every_row() {
    let mut rng = StdRng::seed_from_u64(2);
    let context = session();
    for (name, a, b, answer) in CASES {
        let columns = [
            random(&mut rng, *a, LEN, false),
            random(&mut rng, *b, LEN, true),
        ];
        context.deregister_table("t").unwrap();
        let [ta, tb] = [floats(*a, &columns[0]), floats(*b, &columns[1])];
        table(
            &context,
            "t",
            [
                ("a", Arc::new(ta) as ArrayRef),
                ("b", Arc::new(tb) as ArrayRef),
            ],
        );
        let row = 7;
        // The same pairs, named: literals change no bit.
        let first: Vec<_> = (0..LEN as u32).map(|i| Pair::new(row, i)).collect();
        let is_good = (0..LEN)
            .find(|i| columns[1].iter().all(|c| (-2.0..2.0).contains(&c[*i])))
            .unwrap();
        let second: Vec<_> = (0..LEN as u32)
            .map(|i| Pair::new(i, is_good as u32))
            .collect();
        let queries = [
            (
                &first,
                format!("({}, b)", literal(*a, &columns[0], row as usize)),
            ),
            (
                &second,
                format!("(a, {})", literal(*b, &columns[1], is_good)),
            ),
        ];
        for (pairs, arguments) in queries {
            let Answers {
                overlaps,
                sweeps,
                contacts,
            } = answer(&columns[0], &columns[1], pairs.into());
            let found = column(
                &context,
                &format!("SELECT {name}_overlap{arguments} FROM t"),
            )
            .await;
            check_overlaps(name, &found, &overlaps, None);
            let found = column(&context, &format!("SELECT {name}_sweep{arguments} FROM t")).await;
            check_sweeps(name, &found, &sweeps, None);
            if let Some(contacts) = contacts {
                let found = column(
                    &context,
                    &format!("SELECT {name}_contact{arguments} FROM t"),
                )
                .await;
                check_contacts(name, &found, &contacts, None);
            }
        }
        let both = format!(
            "({}, {})",
            literal(*a, &columns[0], 3),
            literal(*b, &columns[1], is_good)
        );
        let Answers {
            overlaps, sweeps, ..
        } = answer(&columns[0], &columns[1], (&[[3, is_good as u32]]).into());
        check_overlaps(
            name,
            &column(&context, &format!("SELECT {name}_overlap{both}")).await,
            &overlaps,
            None,
        );
        check_sweeps(
            name,
            &column(&context, &format!("SELECT {name}_sweep{both}")).await,
            &sweeps,
            None,
        );
    }
}

#[tokio::test]
async fn slices_of_columns_are_read_from_their_offset() {
    let mut rng = StdRng::seed_from_u64(3);
    let context = session();
    let columns = [0, 1].map(|_| random(&mut rng, Kind::Obb, LEN, true));
    let shapes = [0, 1].map(|k| {
        let nulls = NullBuffer::from_iter((0..LEN).map(|i| i % (5 + k) != 0));
        let (fields, arrays, _) = floats(Kind::Obb, &columns[k]).into_parts();
        StructArray::new(fields, arrays, Some(nulls))
    });
    let (first, len) = (131, 517);
    let [a, b] = shapes
        .each_ref()
        .map(|it| Arc::new(it.slice(first, len)) as ArrayRef);
    table(&context, "t", [("a", a), ("b", b)]);
    let pairs: Vec<_> = (first..first + len).map(|i| [i as u32; 2]).collect();
    let answer = CASES.iter().find(|case| case.0 == "obb").unwrap().3;
    let Answers { overlaps, .. } = answer(&columns[0], &columns[1], (&pairs).into());
    let nulls = NullBuffer::union(shapes[0].nulls(), shapes[1].nulls())
        .unwrap()
        .slice(first, len);
    let found = column(&context, "SELECT obb_overlap(a, b) FROM t").await;
    check_overlaps("obb", &found, &overlaps, Some(&nulls));
}

/// Three spheres: at the origin, touching it, and far from it.
fn three_spheres() -> [(&'static str, ArrayRef); 4] {
    let column = |numbers: [f32; 3]| Arc::new(Float32Array::from(numbers.to_vec())) as ArrayRef;
    [
        ("x", column([0.0, 2.0, 9.0])),
        ("y", column([0.0; 3])),
        ("z", column([0.0; 3])),
        ("r", column([1.0; 3])),
    ]
}

fn booleans(found: &ArrayRef) -> Vec<Option<bool>> {
    found.as_boolean().iter().collect()
}

const ORIGIN: &str = "named_struct('x', 0, 'y', 0, 'z', 0, 'r', 1)";

#[tokio::test]
async fn nulls_give_null() {
    let context = session();
    let mut columns = three_spheres();
    columns[1].1 = Arc::new(Float32Array::from(vec![None, Some(0.0), Some(0.0)]));
    let shapes = structs(columns, Some(NullBuffer::from(vec![true, true, false])));
    table(&context, "t", [("s", Arc::new(shapes) as ArrayRef)]);
    let overlap = format!("SELECT sphere_overlap(s, {ORIGIN}) FROM t");
    assert_eq!(
        booleans(&column(&context, &overlap).await),
        [None, Some(true), None]
    );
    let hit = format!("SELECT get_field(sphere_sweep(s, {ORIGIN}), 'hit') FROM t");
    assert_eq!(
        booleans(&column(&context, &hit).await),
        [None, Some(true), None]
    );
    for null in ["NULL", "(SELECT s FROM t WHERE s IS NULL)"] {
        for arguments in [format!("{null}, s"), format!("s, {null}")] {
            let found = column(
                &context,
                &format!("SELECT sphere_overlap({arguments}) FROM t"),
            )
            .await;
            assert_eq!(booleans(&found), [None; 3], "{arguments}");
            let found = column(
                &context,
                &format!("SELECT sphere_sweep({arguments}) FROM t"),
            )
            .await;
            assert_eq!(found.logical_null_count(), 3, "{arguments}");
            let found = column(
                &context,
                &format!("SELECT sphere_contact({arguments}) FROM t"),
            )
            .await;
            assert_eq!(found.logical_null_count(), 3, "{arguments}");
        }
    }
    let found = column(&context, "SELECT sphere_overlap(NULL, NULL) FROM t").await;
    assert_eq!(booleans(&found), [None; 3]);
}

#[tokio::test]
async fn a_bad_value_gives_null_to_its_rows_only() {
    let context = session();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 1e30] {
        let mut columns = three_spheres();
        columns[3].1 = Arc::new(Float32Array::from(vec![1.0, 1.0, bad]));
        context.deregister_table("t").unwrap();
        table(
            &context,
            "t",
            [("s", Arc::new(structs(columns, None)) as ArrayRef)],
        );
        let found = column(
            &context,
            &format!("SELECT sphere_overlap(s, {ORIGIN}) FROM t"),
        )
        .await;
        assert_eq!(booleans(&found), [Some(true), Some(true), None], "{bad}");
        let found = column(
            &context,
            &format!("SELECT get_field(sphere_sweep(s, {ORIGIN}), 'enter') FROM t"),
        )
        .await;
        assert_eq!(
            found
                .as_primitive::<Float32Type>()
                .iter()
                .collect::<Vec<_>>(),
            [Some(0.0), Some(0.0), None]
        );
        let kept = column(
            &context,
            &format!("SELECT s FROM t WHERE sphere_overlap(s, {ORIGIN}) IS NULL"),
        )
        .await;
        assert_eq!(kept.len(), 1, "{bad}");
    }
}

#[tokio::test]
async fn a_bad_displacement_matters_to_sweeps_only() {
    let context = session();
    let nan: ArrayRef = Arc::new(Float32Array::from(vec![Some(f32::NAN), None, Some(0.0)]));
    let columns = three_spheres()
        .into_iter()
        .chain(MOTION.map(|name| (name, nan.clone())));
    table(
        &context,
        "t",
        [("s", Arc::new(structs(columns, None)) as ArrayRef)],
    );
    let found = column(
        &context,
        &format!("SELECT sphere_overlap(s, {ORIGIN}) FROM t"),
    )
    .await;
    assert_eq!(booleans(&found), [Some(true), Some(true), Some(false)]);
    let found = column(
        &context,
        &format!("SELECT get_field(sphere_sweep(s, {ORIGIN}), 'hit') FROM t"),
    )
    .await;
    assert_eq!(booleans(&found), [None, None, Some(false)]);
}

#[tokio::test]
async fn fields_come_in_any_order_and_of_any_numbers() {
    let context = session();
    let columns: [(&str, ArrayRef); 4] = [
        ("r", Arc::new(Int64Array::from(vec![1, 1, 1]))),
        ("z", Arc::new(Float32Array::from(vec![0.0; 3]))),
        ("x", Arc::new(Float64Array::from(vec![0.0, 2.0, 9.0]))),
        ("y", Arc::new(Float32Array::from(vec![0.0; 3]))),
    ];
    table(
        &context,
        "t",
        [("s", Arc::new(structs(columns, None)) as ArrayRef)],
    );
    let found = column(
        &context,
        &format!("SELECT sphere_overlap(s, {ORIGIN}) FROM t"),
    )
    .await;
    assert_eq!(booleans(&found), [Some(true), Some(true), Some(false)]);
}

#[tokio::test]
async fn bad_arguments_are_named() {
    let context = session();
    let text: ArrayRef = Arc::new(StringArray::from(vec!["0"; 3]));
    let [x, y, z, r] = three_spheres();
    let variants = [
        (
            "whole",
            structs([x.clone(), y.clone(), z.clone(), r.clone()], None),
        ),
        (
            "unknown",
            structs(
                [
                    x.clone(),
                    y.clone(),
                    z.clone(),
                    r.clone(),
                    ("radios", r.1.clone()),
                ],
                None,
            ),
        ),
        (
            "both",
            structs(
                [
                    x.clone(),
                    y.clone(),
                    z.clone(),
                    r.clone(),
                    ("radius", r.1.clone()),
                ],
                None,
            ),
        ),
        ("missing", structs([x.clone(), y.clone(), r.clone()], None)),
        (
            "text",
            structs([x.clone(), ("y", text), z.clone(), r.clone()], None),
        ),
        (
            "twice",
            structs(
                [x.clone(), x.clone(), y.clone(), z.clone(), r.clone()],
                None,
            ),
        ),
        (
            "half",
            structs([x.clone(), y, z, r, ("dx", x.1.clone())], None),
        ),
    ];
    let large: ArrayRef = Arc::new(Int64Array::from(vec![0, 1, (1 << 53) + 1]));
    let [_, y, z, r] = three_spheres();
    let columns = variants.map(|(name, shapes)| (name, Arc::new(shapes) as ArrayRef));
    let more = [
        ("number", x.1),
        (
            "large",
            Arc::new(structs([("x", large), y, z, r], None)) as ArrayRef,
        ),
    ];
    table(&context, "t", columns.into_iter().chain(more));
    for (call, expected) in [
        (
            "sphere_overlap(whole, number)",
            "sphere_overlap, argument 2: a sphere is a struct of x, y, z, r, but this is of type Float32",
        ),
        (
            "sphere_overlap(unknown, whole)",
            "sphere_overlap, argument 1: a sphere has no field \"radios\", only x, y, z, r and its motion dx, dy, dz, or their full names",
        ),
        (
            "sphere_overlap(both, whole)",
            "sphere_overlap, argument 1: the sphere has both \"r\" and \"radius\"",
        ),
        (
            "sphere_sweep(whole, missing)",
            "sphere_sweep, argument 2: the sphere lacks the field \"z\"",
        ),
        (
            "sphere_sweep(whole, half)",
            "sphere_sweep, argument 2: the sphere lacks the field \"dy\"",
        ),
        (
            "sphere_contact(text, whole)",
            "sphere_contact, argument 1: field \"y\" of the sphere is of type Utf8, not Float32, Float64 or an integer",
        ),
        (
            "sphere_overlap(twice, whole)",
            "sphere_overlap, argument 1: the sphere has two fields \"x\"",
        ),
        (
            "sphere_overlap(whole)",
            "sphere_overlap takes 2 shapes, not 1 arguments",
        ),
        (
            "sphere_overlap(whole, whole, whole)",
            "sphere_overlap takes 2 shapes, not 3 arguments",
        ),
        (
            "sphere_aabb_overlap(whole, whole)",
            "sphere_aabb_overlap, argument 2: a aabb has no field \"x\"",
        ),
        (
            "sphere_overlap(large, whole)",
            "sphere_overlap, argument 1: field \"x\" is 9007199254740993 in row 2 of the batch",
        ),
        (
            "sphere_cells(whole)",
            "sphere_cells takes 1 shape and the size of cells, not 1 arguments",
        ),
        (
            "sphere_cells(whole, 0.0)",
            "sphere_cells: the size of cells is 0, not above zero and finite",
        ),
        (
            "sphere_cells(whole, NULL)",
            "sphere_cells: the size of cells is",
        ),
        (
            "sphere_cells(whole, 'NaN'::double)",
            "sphere_cells: the size of cells is NaN, not above zero and finite",
        ),
        (
            "sphere_cells(whole, 'wide')",
            "sphere_cells: the size of cells is of type Utf8, not a number",
        ),
        (
            "sphere_cells(whole, number + 1)",
            "sphere_cells: the size of cells differs from row to row",
        ),
        (
            "sphere_cells(whole, 1e-9)",
            "sphere_cells: the shape in row 0 of the batch reaches from [-1.0",
        ),
        (
            "sphere_home(whole, whole, -1)",
            "sphere_home: the size of cells is -1, not above zero and finite",
        ),
        (
            "sphere_home(whole, missing, 1.0)",
            "sphere_home, argument 2: the sphere lacks the field \"z\"",
        ),
    ] {
        let said = error(&context, &format!("SELECT {call} FROM t")).await;
        assert!(said.contains(expected), "{call}: {said}");
    }
}

#[tokio::test]
async fn planes_have_to_be_float32_values() {
    let context = session();
    let plane = |nx: &str| format!("named_struct('nx', {nx}, 'ny', 1.0, 'nz', 0.0, 'd', 0.5)");
    let answer = format!("SELECT sphere_plane_overlap({ORIGIN}, {})", plane("0.25"));
    assert_eq!(booleans(&column(&context, &answer).await), [Some(true)]);
    let refused = format!(
        "SELECT sphere_half_space_overlap({ORIGIN}, {})",
        plane("0.1")
    );
    let said = error(&context, &refused).await;
    assert!(
        said.contains("sphere_half_space_overlap, argument 2: field \"nx\" is 0.1 in row 0"),
        "{said}"
    );
}

#[tokio::test]
async fn empty_tables_have_empty_answers() {
    let context = session();
    table(
        &context,
        "t",
        [(
            "s",
            Arc::new(structs(three_spheres(), None).slice(0, 0)) as ArrayRef,
        )],
    );
    for call in [
        "sphere_overlap(s, s)",
        "sphere_sweep(s, s)",
        "sphere_contact(s, s)",
        "sphere_cells(s, 1.0)",
    ] {
        assert_eq!(
            column(&context, &format!("SELECT {call} FROM t"))
                .await
                .len(),
            0,
            "{call}"
        );
    }
}

#[test]
fn every_function_has_a_name_of_its_own() {
    let functions = phalanx_datafusion::functions();
    let names: std::collections::BTreeSet<_> =
        functions.iter().map(|it| it.name().to_string()).collect();
    assert_eq!(names.len(), functions.len());
    assert_eq!(functions.len(), 2 * CASES.len() + 32 + 2 * (5 + 24));
    assert!(names.contains("half_space_obb_sweep"));
}
