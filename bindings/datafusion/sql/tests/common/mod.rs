//! Tables of shapes for tests.
#![allow(dead_code)]

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, Float32Array, Float64Array, RecordBatch, StructArray,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Field, Fields, Schema};
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use phalanx_datafusion::Kind;
use rand::RngExt;
use rand::rngs::StdRng;

/// The fields of the motion.
pub const MOTION: [&str; 3] = ["dx", "dy", "dz"];

/// The fields of a kind, with its motion.
pub fn moving_fields(kind: Kind) -> Vec<&'static str> {
    kind.fields().iter().copied().chain(MOTION).collect()
}

/// Named columns as a struct column.
pub fn structs<'a>(
    columns: impl IntoIterator<Item = (&'a str, ArrayRef)>,
    nulls: Option<NullBuffer>,
) -> StructArray {
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns
        .into_iter()
        .map(|(name, array)| (Field::new(name, array.data_type().clone(), true), array))
        .unzip();
    StructArray::new(Fields::from(fields), arrays, nulls)
}

/// Columns of numbers under the names of a kind, with its motion.
pub fn floats(kind: Kind, columns: &[Vec<f32>]) -> StructArray {
    let arrays = columns
        .iter()
        .map(|column| Arc::new(Float32Array::from(column.clone())) as ArrayRef);
    structs(moving_fields(kind).into_iter().zip(arrays), None)
}

/// The same of `Float64`.
pub fn doubles(kind: Kind, columns: &[Vec<f64>]) -> StructArray {
    let arrays = columns
        .iter()
        .map(|column| Arc::new(Float64Array::from(column.clone())) as ArrayRef);
    structs(moving_fields(kind).into_iter().zip(arrays), None)
}

/// Shapes of a kind with their motion, one column per number; some of them bad.
pub fn random(rng: &mut StdRng, kind: Kind, len: usize, bad: bool) -> Vec<Vec<f32>> {
    let mut columns: Vec<Vec<f32>> = moving_fields(kind).iter().map(|_| Vec::new()).collect();
    for _ in 0..len {
        let mut row: Vec<f32> = columns
            .iter()
            .map(|_| rng.random_range(-2.0..2.0))
            .collect();
        let motion = row.len() - 3;
        match kind {
            Kind::Point | Kind::Plane | Kind::HalfSpace => {}
            Kind::Sphere | Kind::Capsule => row[motion - 1] = row[motion - 1].abs() / 2.0,
            Kind::Aabb => (0..3).for_each(|k| row[3 + k] = row[k] + row[3 + k].abs() / 2.0),
            Kind::Obb => {
                row[3..6].iter_mut().for_each(|x| *x = x.abs() / 2.0);
                let length = row[6..10].iter().map(|x| x * x).sum::<f32>().sqrt();
                row[6..10].iter_mut().for_each(|x| *x /= length);
            }
        }
        if bad && rng.random_range(0..10) == 0 {
            let at = rng.random_range(0..row.len());
            row[at] = [f32::NAN, f32::INFINITY, -3.0, 2e30][rng.random_range(0..4)];
        }
        for (column, x) in columns.iter_mut().zip(row) {
            column.push(x);
        }
    }
    columns
}

/// A session with the functions.
pub fn session() -> SessionContext {
    let mut context = SessionContext::new();
    phalanx_datafusion::register_all(&mut context).unwrap();
    context
}

/// Makes columns a table.
pub fn table<'a>(
    context: &SessionContext,
    name: &str,
    columns: impl IntoIterator<Item = (&'a str, ArrayRef)>,
) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    // Every column may hold nulls, whether it does or not.
    let fields = batch
        .schema()
        .fields()
        .iter()
        .map(|field| field.as_ref().clone().with_nullable(true))
        .collect::<Vec<_>>();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), batch.columns().to_vec()).unwrap();
    let table = MemTable::try_new(schema, vec![vec![batch]]).unwrap();
    context.register_table(name, Arc::new(table)).unwrap();
}

/// Runs a query that returns one column.
pub async fn column(context: &SessionContext, sql: &str) -> ArrayRef {
    let frame = context.sql(sql).await.unwrap();
    let data_type = frame.schema().field(0).data_type().clone();
    let batches = frame.collect().await.unwrap();
    let arrays: Vec<&dyn Array> = batches
        .iter()
        .map(|batch| batch.column(0).as_ref())
        .collect();
    if arrays.is_empty() {
        return datafusion::arrow::array::new_empty_array(&data_type);
    }
    datafusion::arrow::compute::concat(&arrays).unwrap()
}

/// What a query that fails says.
pub async fn error(context: &SessionContext, sql: &str) -> String {
    let planned = match context.sql(sql).await {
        Ok(frame) => frame.collect().await,
        Err(error) => Err(error),
    };
    planned.expect_err("the query answers").strip_backtrace()
}

/// A struct column as a literal in SQL.
pub fn literal(kind: Kind, columns: &[Vec<f32>], row: usize) -> String {
    let fields = moving_fields(kind).into_iter().zip(columns);
    let numbers =
        fields.map(|(name, column)| format!("'{name}', arrow_cast('{}', 'Float32')", column[row]));
    format!("named_struct({})", numbers.collect::<Vec<_>>().join(", "))
}

/// The type of a struct column of a kind, without motion.
pub fn rest_type(kind: Kind) -> DataType {
    let fields: Vec<_> = kind
        .fields()
        .iter()
        .map(|name| Field::new(*name, DataType::Float32, true))
        .collect();
    DataType::Struct(fields.into())
}
