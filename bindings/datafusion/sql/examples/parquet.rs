//! Two Parquet files of shapes, joined in SQL, and the answer compared with all pairs.
//!
//! ```sh
//! cargo run -p phalanx-datafusion-sql --example parquet
//! ```

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, AsArray, Float32Array, Int64Array, RecordBatch, StructArray,
};
use datafusion::arrow::datatypes::{DataType, Field, Int64Type};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use phalanx::{Aabb, Aabbs, Detector, Overlaps, Pairs, Sphere, Spheres};
use phalanx_datafusion::{CellJoin, JoinSide, Kind};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

type Failure = Box<dyn std::error::Error>;

const ROWS: usize = 20_000;
/// Edges of the hall that the shapes lie in.
const HALL: f32 = 60.0;

/// Writes ids and a struct column of shapes.
fn write(path: &Path, kind: Kind, columns: Vec<Vec<f32>>) -> Result<(), Failure> {
    let fields = kind.fields().iter().zip(columns).map(|(name, column)| {
        let array: ArrayRef = Arc::new(Float32Array::from(column));
        (Arc::new(Field::new(*name, DataType::Float32, false)), array)
    });
    let shapes: ArrayRef = Arc::new(StructArray::from(fields.collect::<Vec<_>>()));
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..shapes.len() as i64));
    let batch = RecordBatch::try_from_iter([("id", ids), ("shape", shapes)])?;
    let mut writer = ArrowWriter::try_new(File::create(path)?, batch.schema(), None)?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}

/// The numbers of shapes as columns.
fn transposed<const N: usize>(rows: impl Iterator<Item = [f32; N]>) -> Vec<Vec<f32>> {
    let mut columns = vec![Vec::new(); N];
    for row in rows {
        columns
            .iter_mut()
            .zip(row)
            .for_each(|(column, x)| column.push(x));
    }
    columns
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut rng = StdRng::seed_from_u64(1);
    let mut corner = || std::array::from_fn(|_| rng.random_range(0.0..HALL));
    let balls: Vec<Sphere> = (0..ROWS)
        .map(|_| Sphere {
            center: corner(),
            radius: 0.5,
        })
        .collect();
    let boxes: Vec<Aabb> = (0..ROWS)
        .map(|_| {
            let min: [f32; 3] = corner();
            Aabb {
                min,
                max: min.map(|x| x + 0.7),
            }
        })
        .collect();

    // Removed when it goes out of scope.
    let folder = tempfile::tempdir()?;
    let [balls_file, boxes_file] =
        ["balls.parquet", "boxes.parquet"].map(|name| folder.path().join(name));
    let rows = balls.iter().map(
        |Sphere {
             center: [x, y, z],
             radius,
         }| [*x, *y, *z, *radius],
    );
    write(&balls_file, Kind::Sphere, transposed(rows))?;
    let rows = boxes.iter().map(
        |Aabb {
             min: [ax, ay, az],
             max: [bx, by, bz],
         }| [*ax, *ay, *az, *bx, *by, *bz],
    );
    write(&boxes_file, Kind::Aabb, transposed(rows))?;

    let mut context = SessionContext::new();
    phalanx_datafusion::register_all(&mut context)?;
    for (table, file) in [("balls", &balls_file), ("boxes", &boxes_file)] {
        let path = file
            .to_str()
            .ok_or("the temporary folder has a name that is not text")?;
        context
            .register_parquet(table, path, ParquetReadOptions::default())
            .await?;
    }
    let left = JoinSide::new("balls", "shape", Kind::Sphere).column("id", "ball");
    let right = JoinSide::new("boxes", "shape", Kind::Aabb).column("id", "box");
    let join = CellJoin::overlap(left, right, 1.5).sql()?;
    println!("{join}\n");
    context
        .sql(&format!(
            "SELECT * FROM ({join}) ORDER BY ball, box LIMIT 5"
        ))
        .await?
        .show()
        .await?;

    let mut found = Vec::new();
    for batch in context.sql(&join).await?.collect().await? {
        let [ball, of_box] = [0, 1].map(|k| {
            batch
                .column(k)
                .as_primitive::<Int64Type>()
                .values()
                .to_vec()
        });
        found.extend(ball.into_iter().zip(of_box));
    }
    found.sort_unstable();

    let (spheres, aabbs) = (Spheres::from_slice(&balls), Aabbs::from_slice(&boxes));
    let (mut detector, mut overlaps, mut expected) = (Detector::new(), Overlaps::new(), Vec::new());
    for ball in 0..ROWS as u32 {
        detector.overlap(&spheres, &aabbs, Pairs::one_to_all(ball), &mut overlaps)?;
        expected.extend(
            overlaps
                .iter()
                .map(|of_box| (i64::from(ball), of_box as i64)),
        );
    }
    if found != expected {
        return Err(format!(
            "the join has {} pairs, but {} touch",
            found.len(),
            expected.len()
        )
        .into());
    }
    println!(
        "{} pairs touch, as all {} pairs tested one by one say",
        found.len(),
        ROWS * ROWS
    );
    Ok(())
}
