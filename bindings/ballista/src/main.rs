//! A spatial join of phalanx on a Ballista cluster of this machine, compared with the local answer.
//!
//! `run` starts a scheduler and executors as processes of their own, asks them, and ends them whatever happens.
//! `lose` does so too, and ends one executor by force while it joins: what comes back is told as what it is.

mod answer;
mod cluster;
mod data;
mod functions;

use std::fmt;
use std::path::Path;
use std::pin::pin;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use phalanx_datafusion::{CellJoin, JoinSide, Kind};

use answer::Answer;
use cluster::Cluster;

/// How long a cluster has to start, and how long to answer.
const START: Duration = Duration::from_secs(60);
const ANSWER: Duration = Duration::from_secs(300);
/// How long to answer after an executor is lost: longer than the scheduler takes to notice.
const ANSWER_AFTER_LOSS: Duration = Duration::from_secs(60);

const USAGE: &str = "usage: phalanx-ballista run [ROWS] | lose [ROWS]

  run    asks a cluster of one executor, then of two, and compares their answers with the local one
  lose   ends one of two executors by force in the second stage, and tells what comes back

ROWS is the number of shapes on either side, 20000 unless it is given.
Exits with 0 if each answer is right, 3 if an answer is wrong, fails or does not come in time, 1 otherwise.";

/// Why there is no right answer.
#[derive(Debug)]
pub enum Failure {
    /// The cluster gave no answer, or a wrong one.
    Answer(String),
    /// Something else.
    Other(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Answer(why) | Failure::Other(why) => f.write_str(why),
        }
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::Other(error.to_string())
    }
}

/// Waits for a future no longer than a limit.
async fn within<T>(
    what: &str,
    limit: Duration,
    future: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    match tokio::time::timeout(limit, future).await {
        Ok(done) => done,
        Err(_) => Err(Failure::Answer(format!(
            "{what}: no answer within {} s, given up",
            limit.as_secs()
        ))),
    }
}

/// The pairs that touch, as SQL.
fn query() -> Result<String, Failure> {
    let left = JoinSide::new("balls", "shape", Kind::Sphere).column("id", "ball");
    let right = JoinSide::new("boxes", "shape", Kind::Obb).column("id", "box");
    Ok(CellJoin::overlap(left, right, data::CELL).sql()?)
}

/// Makes the files of both tables known.
async fn register(context: &SessionContext, folder: &Path) -> Result<(), Failure> {
    for table in ["balls", "boxes"] {
        let path = folder.join(table);
        let Some(path) = path.to_str() else {
            return Err(Failure::Other(format!("{} is not text", path.display())));
        };
        context
            .register_parquet(table, path, ParquetReadOptions::default())
            .await?;
    }
    Ok(())
}

/// The answer to a query.
async fn ask(context: &SessionContext, sql: &str) -> Result<Answer, Failure> {
    match async { context.sql(sql).await?.collect().await }.await {
        Ok(batches) => Answer::of(&batches),
        Err(error) => Err(Failure::Answer(format!("the query failed: {error}"))),
    }
}

/// The answer of this process.
async fn local(folder: &Path) -> Result<Answer, Failure> {
    let mut context = SessionContext::new();
    phalanx_datafusion::register_all(&mut context)?;
    register(&context, folder).await?;
    within("the local query", ANSWER, ask(&context, &query()?)).await
}

/// A session that asks a cluster.
async fn remote(cluster: &Cluster, folder: &Path) -> Result<SessionContext, Failure> {
    let config = SessionConfig::new_with_ballista()
        .with_target_partitions(4)
        // Small tables would be sent to every executor, and there would be no second stage to lose one in.
        .with_ballista_broadcast_join_threshold_bytes(0)
        .with_ballista_broadcast_join_threshold_rows(0)
        .set_u64(
            "datafusion.optimizer.hash_join_single_partition_threshold",
            0,
        )
        .set_u64(
            "datafusion.optimizer.hash_join_single_partition_threshold_rows",
            0,
        )
        .set_bool("datafusion.optimizer.prefer_hash_join", true);
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_default_features()
        .build();
    let mut context = SessionContext::remote_with_state(&cluster.url(), state).await?;
    // Not before: a session that is made remote has its functions replaced.
    phalanx_datafusion::register_all(&mut context)?;
    for function in functions::for_losing() {
        context.register_udf(function.as_ref().clone());
    }
    register(&context, folder).await?;
    Ok(context)
}

/// Asks a cluster of some executors.
async fn run(executors: usize, folder: &Path) -> Result<(Answer, Duration), Failure> {
    let cluster = Cluster::start(executors, folder, START).await?;
    let context = remote(&cluster, folder).await?;
    let start = Instant::now();
    let answer = within("the cluster", ANSWER, ask(&context, &query()?)).await?;
    Ok((answer, start.elapsed()))
}

/// Asks a cluster of two executors, once undisturbed and once while one of them is ended as it joins.
async fn lose(folder: &Path, expected: &Answer) -> Result<Answer, Failure> {
    let mut cluster = Cluster::start(2, folder, START).await?;
    let context = remote(&cluster, folder).await?;
    // The function is part of the join's filter, so whoever calls it is in the second stage.
    let sql = format!(
        "{} AND {}(true, a.column_0 + b.column_0)",
        query()?,
        functions::SLOWLY
    );
    let undisturbed = within("the cluster", ANSWER, ask(&context, &sql)).await?;
    undisturbed.check(expected)?;
    println!("2 executors, undisturbed: {undisturbed}, equal to the local answer");
    cluster.clear_marks()?;
    let mut asked = pin!(ask(&context, &sql));
    let process = tokio::select! {
        biased;
        answer = &mut asked => {
            let why = answer.map_or_else(|failure| failure.to_string(), |answer| answer.to_string());
            return Err(Failure::Other(format!("the answer came before an executor was ended: {why}")));
        }
        process = cluster.wait_for_second_stage() => process?,
    };
    cluster.kill(process)?;
    println!("executor {process} was in the second stage, and is ended by force");
    within(
        "the cluster that lost an executor",
        ANSWER_AFTER_LOSS,
        asked,
    )
    .await
}

async fn all(mode: &str, rows: usize) -> Result<(), Failure> {
    // Removed when it goes out of scope.
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    data::write(folder, rows)?;
    let start = Instant::now();
    let expected = local(folder).await?;
    let seconds = start.elapsed().as_secs_f64();
    println!("local: {expected} in {seconds:.2} s");
    if mode == "lose" {
        let answer = lose(folder, &expected).await?;
        answer.check(&expected)?;
        println!("the cluster lost an executor, and its answer is right: {answer}");
        return Ok(());
    }
    for executors in [1, 2] {
        let (answer, time) = run(executors, folder).await?;
        answer.check(&expected)?;
        println!(
            "{executors} executor(s): {answer} in {:.2} s, equal to the local answer",
            time.as_secs_f64()
        );
    }
    Ok(())
}

/// Reads the number of rows.
fn rows(text: Option<&str>) -> Result<usize, Failure> {
    let Some(text) = text else { return Ok(20_000) };
    match text.parse() {
        Ok(rows @ 1..=10_000_000) => Ok(rows),
        _ => Err(Failure::Other(format!(
            "ROWS is {text:?}, not a number from 1 to 10000000"
        ))),
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        // What the cluster starts.
        ["scheduler", ref rest @ ..] => cluster::scheduler(rest).await,
        ["executor", ref rest @ ..] => cluster::executor(rest).await,
        [mode @ ("run" | "lose")] => all(mode, 20_000).await,
        [mode @ ("run" | "lose"), count] => match rows(Some(count)) {
            Ok(count) => all(mode, count).await,
            Err(error) => Err(error),
        },
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Answer(why)) => {
            eprintln!("no right answer: {why}");
            eprintln!("nothing of it is used; start the query again as a whole");
            ExitCode::from(3)
        }
        Err(Failure::Other(why)) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_hangs_is_given_up() {
        let hang = std::future::pending::<Result<(), Failure>>();
        let failure = within("a test", Duration::from_millis(10), hang)
            .await
            .unwrap_err();
        assert!(
            matches!(failure, Failure::Answer(why) if why.contains("a test: no answer within"))
        );
    }
}
