//! Screens satellites by a query: the balls of each step are rows, and one join in SQL finds those that touch.
//!
//! The pairs it finds are refined as the program `conjunctions` does, and the list has to be the same, bit for bit.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Parser;
use conjunctions::{
    Approach, Object, Screen, Segment, Settings, approaches_in_step, generate, newest_epoch,
    objects_of,
};
use datafusion::arrow::array::{
    ArrayRef, AsArray, Float32Array, RecordBatch, StructArray, UInt32Array,
};
use datafusion::arrow::datatypes::{DataType, Field, UInt32Type};
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use phalanx::Detector;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Screens generated satellites by a query, and compares with the screening by the library.
#[derive(Parser)]
struct Arguments {
    /// How many objects to generate
    #[arg(long, default_value_t = 3000)]
    objects: usize,
    /// What generated objects depend on
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many hours to screen
    #[arg(long, default_value_t = 0.25)]
    hours: f64,
    /// The length of a step in seconds
    #[arg(long, default_value_t = 10.0)]
    step: f64,
    /// The distance in km that approaches are below
    #[arg(long, default_value_t = 5.0)]
    below: f64,
}

/// The pairs of each step whose balls touch. Each pair is reported by one of the cells of 60 km that both fall into.
const QUERY: &str = "
    WITH cells AS (
        SELECT step, object, ball, unnest(sphere_sweep_cells(ball, 60.0)) AS cell FROM segments
    )
    SELECT a.step AS step, a.object AS a, b.object AS b
    FROM cells AS a JOIN cells AS b ON a.step = b.step AND a.cell = b.cell
    WHERE a.object < b.object
        AND sphere_sweep_home(a.ball, b.ball, 60.0) = a.cell
        AND get_field(sphere_sweep(a.ball, b.ball), 'hit')
    ORDER BY step, a, b";

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    let arguments = Arguments::parse();
    let settings = Settings::new(arguments.hours, arguments.step, arguments.below)?;
    let elements = generate(arguments.objects, arguments.seed);
    let start = newest_epoch(&elements).ok_or("there are no objects")?;
    let (objects, rejected) = objects_of(&elements, start);
    eprintln!(
        "{} objects, {} left out, {} steps",
        objects.len(),
        rejected.len(),
        settings.steps()
    );

    let begin = Instant::now();
    let expected = by_the_library(&objects, settings)?;
    eprintln!(
        "by the library: {} approaches, {:.1} s",
        expected.len(),
        begin.elapsed().as_secs_f64()
    );
    let begin = Instant::now();
    let found = by_a_query(&objects, settings).await?;
    eprintln!(
        "by a query: {} approaches, {:.1} s",
        found.len(),
        begin.elapsed().as_secs_f64()
    );
    if found != expected {
        eprintln!("the lists differ");
        return Ok(ExitCode::FAILURE);
    }
    println!("the same {} approaches, bit for bit", found.len());
    Ok(ExitCode::SUCCESS)
}

fn by_the_library(objects: &[Object], settings: Settings) -> Result<Vec<Approach>, Failure> {
    let mut screen = Screen::new(objects, settings, Detector::new())?;
    let mut approaches = Vec::new();
    while screen.next_step(&mut approaches)? {}
    Ok(approaches)
}

async fn by_a_query(objects: &[Object], settings: Settings) -> Result<Vec<Approach>, Failure> {
    let mut screen = Screen::new(objects, settings, Detector::new())?;
    let mut batches = Vec::new();
    while screen.next_segments() {
        batches.push(rows(screen.steps_done() - 1, screen.segments())?);
    }
    let schema = batches.first().ok_or("there are no steps")?.schema();
    let mut context = SessionContext::new();
    phalanx_datafusion::register_all(&mut context)?;
    context.register_table(
        "segments",
        Arc::new(MemTable::try_new(schema, vec![batches])?),
    )?;

    let mut approaches = Vec::new();
    for batch in context.sql(QUERY).await?.collect().await? {
        let [steps, a, b] =
            [0, 1, 2].map(|k| batch.column(k).as_primitive::<UInt32Type>().values());
        for ((&step, &a), &b) in steps.iter().zip(a).zip(b) {
            approaches.extend(approaches_in_step(objects, [a, b], step, &settings)?);
        }
    }
    approaches.sort_by(Approach::order);
    Ok(approaches)
}

/// The balls of a step as rows: the step, the object, and a struct.
fn rows(step: u32, segments: &[Segment]) -> Result<RecordBatch, Failure> {
    let column = |number: &dyn Fn(&Segment) -> f32| -> ArrayRef {
        Arc::new(Float32Array::from_iter_values(segments.iter().map(number)))
    };
    let columns = [
        ("x", column(&|it| it.center[0])),
        ("y", column(&|it| it.center[1])),
        ("z", column(&|it| it.center[2])),
        ("r", column(&|it| it.radius)),
        ("dx", column(&|it| it.displacement[0])),
        ("dy", column(&|it| it.displacement[1])),
        ("dz", column(&|it| it.displacement[2])),
    ];
    let fields =
        columns.map(|(name, array)| (Arc::new(Field::new(name, DataType::Float32, false)), array));
    let balls: ArrayRef = Arc::new(StructArray::from(fields.to_vec()));
    let steps: ArrayRef = Arc::new(UInt32Array::from(vec![step; segments.len()]));
    let objects = segments.iter().map(|it| it.object);
    let objects: ArrayRef = Arc::new(UInt32Array::from_iter_values(objects));
    Ok(RecordBatch::try_from_iter([
        ("step", steps),
        ("object", objects),
        ("ball", balls),
    ])?)
}
