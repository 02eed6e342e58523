//! The peers that are servers: the graph goes into a folder, a script answers in lines of JSON.
//!
//! The scripts are those of `bench/peers`, carried along so that the command works anywhere.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use immune_api::bench::BenchRow;

use crate::shape::{Shape, Suspect};
use crate::{BenchError, Options, Peer};

const COMMON: &str = include_str!("../../../bench/peers/common.py");
const POSTGRES: &str = include_str!("../../../bench/peers/postgres.py");
const FALKORDB: &str = include_str!("../../../bench/peers/falkordb.py");

/// Where packages of peers are installed, below the folder where the bench is run.
pub(crate) const TOOLS: &str = "target/tools/peers";

/// Writes the graph for the scripts.
pub(crate) fn write(folder: &Path, shape: &Shape, suspects: &[Suspect]) -> Result<(), BenchError> {
    let mut edges = String::new();
    for (premise, conclusion) in shape.edges() {
        writeln!(edges, "{premise},{conclusion}").expect("a string takes everything");
    }
    fs_err::write(folder.join("edges.csv"), edges)?;
    let mut sent = String::new();
    for suspect in suspects {
        for id in &suspect.sent {
            let node = shape.observation(*id);
            writeln!(sent, "{},{node}", suspect.name).expect("a string takes everything");
        }
    }
    fs_err::write(folder.join("suspects.csv"), sent)?;
    let (nodes, beliefs) = (shape.n_nodes(), shape.graph.n_beliefs);
    let counts = serde_json::json!({ "nodes": nodes, "beliefs": beliefs });
    fs_err::write(folder.join("shape.json"), counts.to_string())?;
    fs_err::write(folder.join("common.py"), COMMON)?;
    Ok(())
}

/// The rows of a peer; one that says `skipped` where it cannot run.
pub(crate) fn rows(options: &Options, folder: &Path, peer: Peer) -> Vec<BenchRow> {
    let script = match peer {
        Peer::Sqlite => return Vec::new(),
        Peer::Postgres => POSTGRES,
        Peer::Falkordb => FALKORDB,
    };
    let run = || -> Result<Vec<BenchRow>, String> {
        let path = folder.join(format!("{}.py", peer.name()));
        fs_err::write(&path, script).map_err(|it| it.to_string())?;
        let tools = std::env::current_dir().map_err(|it| it.to_string())?;
        let output = Command::new("python3")
            .arg(&path)
            .arg(folder)
            .args(["--runs", &options.runs.to_string()])
            .args(["--limit", &options.limit_seconds.to_string()])
            .arg("--tools")
            .arg(tools.join(TOOLS))
            .stdin(Stdio::null())
            .output()
            .map_err(|it| format!("python3: {it}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let row = |line: &str| serde_json::from_str(line).map_err(|it| it.to_string());
        let mut rows: Vec<BenchRow> = text.lines().map(row).collect::<Result<_, _>>()?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            let last = errors.lines().last().unwrap_or("nothing was said");
            rows.push(skipped(peer, last));
        }
        Ok(rows)
    };
    run().unwrap_or_else(|reason| vec![skipped(peer, &reason)])
}

fn skipped(peer: Peer, reason: &str) -> BenchRow {
    BenchRow {
        engine: peer.name().to_owned(),
        note: Some(format!("skipped: {reason}")),
        ..BenchRow::default()
    }
}
