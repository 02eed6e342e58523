//! Writes a layered graph to standard output, as lines to import:
//! `cargo run --release -p immune-testkit --example layered -- 100000 1 > graph.jsonl`.

use std::io::{self, BufWriter, Write};

fn main() -> io::Result<()> {
    let mut numbers = std::env::args().skip(1).map(|it| it.parse());
    let n_beliefs: u64 = numbers.next().and_then(Result::ok).unwrap_or(1_000);
    let seed: u64 = numbers.next().and_then(Result::ok).unwrap_or(1);
    let n_beliefs = usize::try_from(n_beliefs).map_err(io::Error::other)?;
    let graph = immune_testkit::graph::layered(n_beliefs, seed);
    let mut out = BufWriter::new(io::stdout().lock());
    for line in graph.lines() {
        writeln!(out, "{line}")?;
    }
    out.flush()
}
