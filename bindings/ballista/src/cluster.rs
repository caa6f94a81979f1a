//! A scheduler and executors as processes of this machine.

use std::fs::{File, create_dir, create_dir_all, read_dir, remove_dir_all};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ballista_core::registry::BallistaFunctionRegistry;
use ballista_core::utils::default_session_builder;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use datafusion::execution::FunctionRegistry;
use tokio::time::sleep;

use crate::{Failure, functions};

const HOST: &str = "127.0.0.1";
/// How often to look whether something has happened.
const TICK: Duration = Duration::from_millis(20);
/// The seconds between signs of life of an executor, and after how many without it is lost.
const HEARTBEAT: u64 = 2;
const LOST_AFTER: u64 = 6;

/// Processes that end with this value.
pub struct Cluster {
    port: u16,
    processes: Vec<Process>,
    folder: PathBuf,
}

/// A process that ends with this value.
struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    fn start(name: &str, arguments: &[String], folder: &Path) -> Result<Self, Failure> {
        let log = folder.join(format!("{name}.log"));
        let output = File::create(&log)?;
        let child = Command::new(std::env::current_exe()?)
            .args(arguments)
            .env(functions::MARKS, marks(folder))
            // It ends when this pipe does, even if this process is ended by force.
            .stdin(Stdio::piped())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        Ok(Process {
            name: name.to_string(),
            child,
            log,
        })
    }

    /// Fails if the process has ended.
    fn check(&mut self) -> Result<(), Failure> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => {
                let said = std::fs::read_to_string(&self.log).unwrap_or_default();
                Err(Failure::Other(format!(
                    "the {} ended, {status}: {}",
                    self.name,
                    said.trim()
                )))
            }
        }
    }
}

/// The folder where executors mark that they are in the second stage.
fn marks(folder: &Path) -> PathBuf {
    folder.join("marks")
}

/// A port that nothing listens on.
fn free_port() -> Result<u16, Failure> {
    Ok(TcpListener::bind((HOST, 0))?.local_addr()?.port())
}

impl Cluster {
    /// Starts a scheduler and executors, and waits until all of them are there.
    pub async fn start(executors: usize, folder: &Path, limit: Duration) -> Result<Self, Failure> {
        let folder = folder.join(format!("cluster-{executors}"));
        create_dir_all(marks(&folder))?;
        let port = free_port()?;
        let arguments = [
            "scheduler".to_string(),
            port.to_string(),
            executors.to_string(),
        ];
        let scheduler = Process::start("scheduler", &arguments, &folder)?;
        let mut cluster = Cluster {
            port,
            processes: vec![scheduler],
            folder,
        };
        let deadline = Instant::now() + limit;
        cluster
            .wait_until(deadline, "the scheduler does not listen", |_| {
                answers(port, "healthz")
            })
            .await?;
        for k in 0..executors {
            let work = cluster.folder.join(format!("work-{k}"));
            create_dir(&work)?;
            let arguments = [
                "executor".to_string(),
                port.to_string(),
                free_port()?.to_string(),
                free_port()?.to_string(),
                work.display().to_string(),
            ];
            let executor = Process::start(&format!("executor-{k}"), &arguments, &cluster.folder)?;
            cluster.processes.push(executor);
        }
        cluster
            .wait_until(deadline, "the executors do not register", |_| {
                answers(port, "readyz")
            })
            .await?;
        Ok(cluster)
    }

    /// Where the scheduler is.
    pub fn url(&self) -> String {
        format!("df://{HOST}:{}", self.port)
    }

    /// Forgets who was in the second stage of earlier queries.
    pub fn clear_marks(&self) -> Result<(), Failure> {
        let folder = marks(&self.folder);
        remove_dir_all(&folder)?;
        Ok(create_dir(folder)?)
    }

    /// Waits until an executor is in the second stage of a query, and returns its process id.
    pub async fn wait_for_second_stage(&mut self) -> Result<u32, Failure> {
        let folder = marks(&self.folder);
        let deadline = Instant::now() + crate::ANSWER_AFTER_LOSS;
        let mut found = None;
        self.wait_until(deadline, "no executor came to the second stage", |_| {
            let names = read_dir(&folder).into_iter().flatten().flatten();
            let mut ids = names.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            found = ids.next();
            found.is_some()
        })
        .await?;
        found.ok_or_else(|| Failure::Other("no executor came to the second stage".to_string()))
    }

    /// Ends a process by force.
    pub fn kill(&mut self, id: u32) -> Result<(), Failure> {
        match self
            .processes
            .iter()
            .position(|process| process.child.id() == id)
        {
            Some(at) => {
                let mut process = self.processes.remove(at);
                process.child.kill()?;
                process.child.wait()?;
                Ok(())
            }
            None => Err(Failure::Other(format!("no executor is process {id}"))),
        }
    }

    async fn wait_until(
        &mut self,
        deadline: Instant,
        else_said: &str,
        mut happened: impl FnMut(&mut Self) -> bool,
    ) -> Result<(), Failure> {
        while !happened(self) {
            for process in &mut self.processes {
                process.check()?;
            }
            if Instant::now() > deadline {
                return Err(Failure::Other(format!("{else_said} in time")));
            }
            sleep(TICK).await;
        }
        Ok(())
    }
}

/// Whether a health check of the scheduler is answered with 200.
fn answers(port: u16, check: &str) -> bool {
    let ask = || -> std::io::Result<bool> {
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        write!(
            stream,
            "GET /{check} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n"
        )?;
        let mut status = [0; 12];
        stream.read_exact(&mut status)?;
        Ok(status.ends_with(b"200"))
    };
    ask().unwrap_or(false)
}

/// Ends this process when the one that started it does.
fn end_with_parent() {
    std::thread::spawn(|| {
        let mut nothing = [0];
        while std::io::stdin()
            .read(&mut nothing)
            .is_ok_and(|read| read > 0)
        {}
        std::process::exit(0);
    });
}

/// Reads a port.
fn port(text: &str) -> Result<u16, Failure> {
    text.parse()
        .map_err(|_| Failure::Other(format!("{text:?} is no port")))
}

/// The scheduler's process: its port, and for how many executors it waits.
pub async fn scheduler(arguments: &[&str]) -> Result<(), Failure> {
    let [own, executors] = arguments else {
        return Err(Failure::Other(
            "a scheduler takes a port and a number of executors".to_string(),
        ));
    };
    end_with_parent();
    let config = SchedulerConfig {
        bind_port: port(own)?,
        external_host: HOST.to_string(),
        min_ready_executors: executors.parse().unwrap_or(1),
        executor_timeout_seconds: LOST_AFTER,
        expire_dead_executor_interval_seconds: HEARTBEAT,
        no_executors_grace_period_seconds: LOST_AFTER,
        override_session_builder: Some(Arc::new(|config| {
            let mut state = default_session_builder(config)?;
            for function in functions::all() {
                state.register_udf(function)?;
            }
            Ok(state)
        })),
        ..SchedulerConfig::default()
    };
    let address = SocketAddr::from(([127, 0, 0, 1], config.bind_port));
    let cluster = BallistaCluster::new_from_config(&config).await?;
    Ok(start_server(cluster, address, Arc::new(config)).await?)
}

/// An executor's process: the scheduler's port, two of its own, and a folder to write to.
pub async fn executor(arguments: &[&str]) -> Result<(), Failure> {
    let [scheduler, flight, grpc, work] = arguments else {
        return Err(Failure::Other(
            "an executor takes three ports and a folder".to_string(),
        ));
    };
    end_with_parent();
    let mut registry = BallistaFunctionRegistry::default();
    for function in functions::all() {
        registry
            .scalar_functions
            .insert(function.name().to_string(), function);
    }
    let config = ExecutorProcessConfig {
        port: port(flight)?,
        grpc_port: port(grpc)?,
        scheduler_host: HOST.to_string(),
        scheduler_port: port(scheduler)?,
        external_host: Some(HOST.to_string()),
        scheduler_connect_timeout_seconds: 30,
        vcores: 1,
        work_dir: Some(work.to_string()),
        executor_heartbeat_interval_seconds: HEARTBEAT,
        override_function_registry: Some(Arc::new(registry)),
        ..ExecutorProcessConfig::default()
    };
    Ok(start_executor_process(Arc::new(config)).await?)
}
