//! The tables of the example: balls and boxes in any orientation, in Parquet files.

use std::fs::{File, create_dir};
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float32Array, Int64Array, RecordBatch, StructArray};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::parquet::arrow::ArrowWriter;
use phalanx_datafusion::Kind;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::Failure;

/// The size of cells: above that of most shapes.
pub const CELL: f64 = 1.5;

/// The files of a table.
const PARTS: usize = 4;

/// Writes both tables, of so many rows each.
pub fn write(folder: &Path, rows: usize) -> Result<(), Failure> {
    let mut rng = StdRng::seed_from_u64(1);
    // One shape of either table in each unit of volume.
    let hall = (rows as f32).cbrt();
    for (table, kind) in [("balls", Kind::Sphere), ("boxes", Kind::Obb)] {
        let folder = folder.join(table);
        create_dir(&folder)?;
        for part in 0..PARTS {
            let ids = rows * part / PARTS..rows * (part + 1) / PARTS;
            let mut columns = vec![Vec::with_capacity(ids.len()); kind.fields().len()];
            for _ in ids.clone() {
                let mut row: Vec<f32> = (0..3).map(|_| rng.random_range(0.0..hall)).collect();
                if kind == Kind::Sphere {
                    row.push(rng.random_range(0.1..0.4));
                } else {
                    row.extend((0..3).map(|_| rng.random_range(0.1..0.4f32)));
                    let rotation: [f32; 4] =
                        std::array::from_fn(|_| rng.random_range(-1.0..1.0f32));
                    let length = rotation.iter().map(|x| x * x).sum::<f32>().sqrt();
                    row.extend(rotation.map(|x| x / length));
                }
                columns
                    .iter_mut()
                    .zip(row)
                    .for_each(|(column, x)| column.push(x));
            }
            let fields = kind.fields().iter().zip(columns).map(|(name, column)| {
                let array: ArrayRef = Arc::new(Float32Array::from(column));
                (Arc::new(Field::new(*name, DataType::Float32, true)), array)
            });
            let shapes: ArrayRef = Arc::new(StructArray::from(fields.collect::<Vec<_>>()));
            let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(ids.map(|id| id as i64)));
            let batch = RecordBatch::try_from_iter([("id", ids), ("shape", shapes)])?;
            let file = File::create(folder.join(format!("part-{part}.parquet")))?;
            let mut writer = ArrowWriter::try_new(file, batch.schema(), None)?;
            writer.write(&batch)?;
            writer.close()?;
        }
    }
    Ok(())
}
