//! Other engines on the same vectors: everything goes into a folder, a script answers in lines.

use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use immune_api::bench::BenchRow;

use super::cells::{Cell, Cells};
use super::{FilterOptions, K};
use crate::BenchError;
use crate::peers::TOOLS;

const VECTORS: &str = include_str!("../../../../bench/peers/vectors.py");

pub(super) fn rows(
    options: &FilterOptions,
    cells: &Cells,
    say: &mut dyn FnMut(&str),
) -> Result<Vec<BenchRow>, BenchError> {
    let folder = tempfile::tempdir()?;
    write(folder.path(), cells)?;
    let script = folder.path().join("vectors.py");
    fs_err::write(&script, VECTORS)?;
    let mut command = Command::new("python3");
    command
        .arg(&script)
        .arg(folder.path())
        .args(["--limit", &options.limit_seconds.to_string()])
        .arg("--tools")
        .arg(std::env::current_dir()?.join(TOOLS).join("vectors"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ok(vec![skipped(&format!("python3: {error}"))]),
    };
    let mut rows: Vec<BenchRow> = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("it is piped")).lines() {
        let line = line?;
        match serde_json::from_str::<BenchRow>(&line) {
            Ok(row) => {
                let n = cells.data().len();
                if rows.last().is_none_or(|it| it.engine != row.engine) {
                    say(&format!("{n} vectors: {}", row.engine));
                }
                rows.push(row);
            }
            Err(error) => rows.push(skipped(&error.to_string())),
        }
    }
    let status = child.wait()?;
    if !status.success() {
        rows.push(skipped(&format!("the script ended with {status}")));
    }
    Ok(rows)
}

fn skipped(reason: &str) -> BenchRow {
    BenchRow {
        engine: "peers".to_owned(),
        note: Some(format!("skipped: {reason}")),
        ..BenchRow::default()
    }
}

/// Numbers of four bytes each, little-endian.
fn write(folder: &Path, cells: &Cells) -> Result<(), BenchError> {
    let n = cells.data().len();
    let of_vectors = cells.data().iter().flatten().map(|it| it.to_le_bytes());
    numbers(&folder.join("vectors.f32"), of_vectors)?;
    let of_queries = cells.queries().iter().flatten().map(|it| it.to_le_bytes());
    numbers(&folder.join("queries.f32"), of_queries)?;
    let of_holes = cells.holes().iter().flatten().map(|it| it.to_le_bytes());
    numbers(&folder.join("holes.u32"), of_holes)?;
    for (place, cell) in Cell::ALL.into_iter().enumerate() {
        let right = |query| {
            // Where fewer are eligible, a number that no row has takes the place.
            let right = cells.right(cell, query).iter().copied();
            right.chain(std::iter::repeat(u32::MAX)).take(K)
        };
        let right = (0..cells.queries().len()).flat_map(right);
        numbers(
            &folder.join(format!("right{place}.u32")),
            right.map(u32::to_le_bytes),
        )?;
        if cell != Cell::Hole {
            let eligible = cells.eligible(cell, 0);
            let eligible = (0..n as u32).map(|row| [u8::from(eligible.has(row))]);
            numbers(&folder.join(format!("filter{place}.u8")), eligible)?;
        }
    }
    let names: [&str; 6] = Cell::ALL.map(Cell::name);
    let n_dims = cells.queries().first().map_or(0, Vec::len);
    let shape = serde_json::json!({
        "rows": n, "dims": n_dims, "queries": cells.queries().len(), "k": K, "cells": names,
    });
    fs_err::write(folder.join("shape.json"), shape.to_string())?;
    Ok(())
}

fn numbers<const N: usize>(
    path: &Path,
    numbers: impl Iterator<Item = [u8; N]>,
) -> Result<(), BenchError> {
    let mut file = BufWriter::new(fs_err::File::create(path)?);
    for number in numbers {
        file.write_all(&number)?;
    }
    Ok(file.flush()?)
}
