//! The cost per row of functions, compared with calls of the library over the same columns.
//!
//! Both take turns with each batch of rows, of which the best of many rounds counts; their answers are compared.
//!
//! ```sh
//! cargo run --example cost
//! ```

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{Array, ArrayRef, AsArray, Float32Array, StructArray};
use arrow::datatypes::{Field, FieldRef, Float32Type};
use datafusion_common::config::ConfigOptions;
use datafusion_expr::{ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF};
use phalanx::{Detector, ObbColumns, ObbsRef, Overlaps, Pairs, SphereColumns, SpheresRef, Sweeps};
use phalanx_datafusion::Kind;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

type Failure = Box<dyn std::error::Error>;

const ROWS: usize = 1 << 20;
const ROUNDS: usize = 40;

/// Shapes of a kind as struct columns, some rows each.
fn shapes(rng: &mut StdRng, kind: Kind, rows: usize) -> Vec<StructArray> {
    let motion: &[&str] = if kind == Kind::Sphere {
        &["dx", "dy", "dz"]
    } else {
        &[]
    };
    let names: Vec<&str> = kind.fields().iter().chain(motion).copied().collect();
    let batch = |rng: &mut StdRng| {
        let mut columns = vec![Vec::with_capacity(rows); names.len()];
        for _ in 0..rows {
            let mut row: Vec<f32> = names.iter().map(|_| rng.random_range(-1.0..1.0)).collect();
            match kind {
                Kind::Sphere => row[3] = row[3].abs() / 4.0,
                _ => {
                    row[3..6].iter_mut().for_each(|x| *x = x.abs());
                    let length = row[6..].iter().map(|x| x * x).sum::<f32>().sqrt();
                    row[6..].iter_mut().for_each(|x| *x /= length);
                }
            }
            for (column, x) in columns.iter_mut().zip(row) {
                column.push(x);
            }
        }
        let fields = names.iter().zip(columns).map(|(name, column)| {
            let array: ArrayRef = Arc::new(Float32Array::from(column));
            (
                Arc::new(Field::new(*name, array.data_type().clone(), true)),
                array,
            )
        });
        StructArray::from(fields.collect::<Vec<_>>())
    };
    (0..ROWS / rows).map(|_| batch(rng)).collect()
}

fn column(shapes: &StructArray, k: usize) -> &[f32] {
    shapes.column(k).as_primitive::<Float32Type>().values()
}

fn three(shapes: &StructArray, first: usize) -> [&[f32]; 3] {
    std::array::from_fn(|k| column(shapes, first + k))
}

fn spheres(shapes: &StructArray) -> Result<SpheresRef<'_>, phalanx::Error> {
    SpheresRef::new(SphereColumns {
        center: three(shapes, 0),
        radius: column(shapes, 3),
        displacement: three(shapes, 4),
    })
}

fn boxes(shapes: &StructArray) -> Result<ObbsRef<'_>, phalanx::Error> {
    ObbsRef::new(ObbColumns {
        center: three(shapes, 0),
        half_extents: three(shapes, 3),
        rotation: std::array::from_fn(|k| column(shapes, 6 + k)),
        displacement: [&[]; 3],
        turn: [&[]; 3],
    })
}

/// A function, called as an engine does.
struct Function {
    function: Arc<ScalarUDF>,
    fields: Vec<FieldRef>,
    returned: FieldRef,
    config: Arc<ConfigOptions>,
}

impl Function {
    fn new(name: &str, shapes: &StructArray) -> Result<Self, Failure> {
        let all = phalanx_datafusion::functions();
        let function = all
            .into_iter()
            .find(|it| it.name() == name)
            .ok_or("no such function")?;
        let field: FieldRef = Arc::new(Field::new("shape", shapes.data_type().clone(), true));
        let fields = vec![field.clone(), field];
        let scalars = ReturnFieldArgs {
            arg_fields: &fields,
            scalar_arguments: &[None, None],
        };
        let returned = function.return_field_from_args(scalars)?;
        Ok(Function {
            function,
            fields,
            returned,
            config: Arc::default(),
        })
    }

    fn call(&self, a: &ArrayRef, b: &ArrayRef) -> Result<ArrayRef, Failure> {
        let answer = self.function.invoke_with_args(ScalarFunctionArgs {
            args: vec![
                ColumnarValue::Array(a.clone()),
                ColumnarValue::Array(b.clone()),
            ],
            arg_fields: self.fields.clone(),
            number_rows: a.len(),
            return_field: self.returned.clone(),
            config_options: self.config.clone(),
        })?;
        Ok(answer.into_array(a.len())?)
    }
}

/// Times both ways over all batches, and prints what a row takes.
fn compare(
    name: &str,
    [a, b]: [&[StructArray]; 2],
    mut library: impl FnMut(&StructArray, &StructArray) -> Result<(f64, usize), Failure>,
    hits: impl Fn(&ArrayRef) -> usize,
) -> Result<(), Failure> {
    let function = Function::new(name, &a[0])?;
    let arrays = |batches: &[StructArray]| -> Vec<ArrayRef> {
        batches
            .iter()
            .map(|batch| Arc::new(batch.clone()) as ArrayRef)
            .collect()
    };
    let (arrays_a, arrays_b) = (arrays(a), arrays(b));
    // The best time of each batch, both ways: other work on the machine spoils some, not all.
    let mut best = vec![[f64::INFINITY; 2]; a.len()];
    let mut counts = [0; 2];
    for round in 0..ROUNDS {
        counts = [0; 2];
        for batch in 0..a.len() {
            // Whoever comes second finds the columns in the caches.
            for way in [round % 2, 1 - round % 2] {
                let (seconds, count);
                if way == 0 {
                    (seconds, count) = library(&a[batch], &b[batch])?;
                } else {
                    let start = Instant::now();
                    let answer = black_box(function.call(&arrays_a[batch], &arrays_b[batch])?);
                    seconds = start.elapsed().as_secs_f64();
                    count = hits(&answer);
                }
                counts[way] += count;
                best[batch][way] = best[batch][way].min(seconds);
            }
        }
    }
    if counts[0] != counts[1] {
        return Err(format!(
            "{name}: the library has {} hits, the function {}",
            counts[0], counts[1]
        )
        .into());
    }
    let [native, by_function] = [0, 1].map(|way| {
        let seconds: f64 = best.iter().map(|both| both[way]).sum();
        seconds * 1e9 / ROWS as f64
    });
    println!(
        "| `{name}` | {} | {:.0} % | {native:.2} | {by_function:.2} | {:.2} |",
        a[0].len(),
        100.0 * counts[0] as f64 / ROWS as f64,
        by_function / native
    );
    Ok(())
}

fn main() -> Result<(), Failure> {
    let mut detector = Detector::new().parallel(false);
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    println!(
        "{ROWS} rows, best of {ROUNDS} rounds, one thread, {:?}\n",
        detector.settings().simd
    );
    println!(
        "| function | rows a call | hits | library, ns a row | function, ns a row | ratio |\n|---|--:|--:|--:|--:|--:|"
    );
    let of_overlaps = |found: &ArrayRef| found.as_boolean().true_count();
    let of_sweeps = |found: &ArrayRef| found.as_struct().column(0).as_boolean().true_count();
    for rows in [8192, 65_536] {
        let mut rng = StdRng::seed_from_u64(1);
        let [a, b] = [0, 1].map(|_| shapes(&mut rng, Kind::Obb, rows));
        compare(
            "obb_overlap",
            [&a, &b],
            |a, b| {
                let start = Instant::now();
                detector.overlap(&boxes(a)?, &boxes(b)?, Pairs::zip(), &mut overlaps)?;
                Ok((start.elapsed().as_secs_f64(), overlaps.count()))
            },
            of_overlaps,
        )?;
        let [a, b] = [0, 1].map(|_| shapes(&mut rng, Kind::Sphere, rows));
        compare(
            "sphere_overlap",
            [&a, &b],
            |a, b| {
                let start = Instant::now();
                detector.overlap(&spheres(a)?, &spheres(b)?, Pairs::zip(), &mut overlaps)?;
                Ok((start.elapsed().as_secs_f64(), overlaps.count()))
            },
            of_overlaps,
        )?;
        compare(
            "sphere_sweep",
            [&a, &b],
            |a, b| {
                let start = Instant::now();
                detector.sweep(&spheres(a)?, &spheres(b)?, Pairs::zip(), &mut sweeps)?;
                Ok((start.elapsed().as_secs_f64(), sweeps.count()))
            },
            of_sweeps,
        )?;
    }
    Ok(())
}
