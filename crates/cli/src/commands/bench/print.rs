//! How the results of benches are shown: a table of their rows, then the targets.

use immune_api::bench::{Bench, BenchChecked, BenchRow};

use crate::commands::Context;
use crate::escape;
use crate::failure::Failure;
use crate::layout::{self, Cell};
use crate::printer::{BOLD, DIM, GREEN, RED};

/// The sources that are flagged: a column each.
const SOURCES: [&str; 3] = ["small", "median", "giant"];

pub(super) fn print_checked(context: &mut Context, checked: &BenchChecked) -> Result<(), Failure> {
    let mut table = Vec::new();
    for file in &checked.files {
        let (style, word) = match file.differences.len() {
            0 => (GREEN, "same".to_owned()),
            n => (RED, format!("{n} differ")),
        };
        table.push(vec![
            Cell::styled(style, word),
            Cell::from(file.bench.clone()),
            Cell::styled(DIM, format!("{} cells", file.cells)),
        ]);
    }
    for skipped in &checked.skipped {
        table.push(vec![
            Cell::styled(DIM, "skipped"),
            Cell::from(skipped.bench.clone()),
            Cell::styled(DIM, escape::line(&skipped.why)),
        ]);
    }
    for line in layout::rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    for file in &checked.files {
        for it in &file.differences {
            context.printer.line("")?;
            let row = format!("{}: {}, {}", file.bench, it.row, it.cell);
            context.printer.line(escape::line(&row))?;
            let cells = format!("  kept {}, found {}", it.kept, it.found);
            context.printer.line(escape::line(&cells))?;
        }
    }
    Ok(())
}

/// A line for each row: how long, or how much.
pub(super) fn print_open(context: &mut Context, bench: &Bench) -> Result<(), Failure> {
    let mut table = Vec::new();
    for row in &bench.rows {
        let ms = row.wall_ms.map(|it| format!("{it:.1} ms"));
        let cpu = row.cpu_ms.map(|it| format!("{it:.1} ms CPU"));
        let memory = row.megabytes.map(|it| format!("{it:.1} MB"));
        table.push(vec![
            Cell::from(row.beliefs.to_string()),
            Cell::from(row.what.clone()),
            Cell::styled(DIM, row.source.clone()),
            Cell::from(ms.or(memory).unwrap_or_default()),
            Cell::styled(DIM, cpu.unwrap_or_default()),
        ]);
    }
    for line in layout::rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    context.printer.line("")?;
    print_targets(context, bench)
}

/// A line for each engine and cell: calls beside the bound, and how often it is right.
pub(super) fn print_attribute(context: &mut Context, bench: &Bench) -> Result<(), Failure> {
    let head = [
        "", "culprits", "engine", "calls", "most", "bound", "ratio", "right",
    ];
    let mut table = vec![head.map(|it| Cell::styled(BOLD, it)).to_vec()];
    for row in &bench.rows {
        let number = |it: Option<f64>| it.map(|it| format!("{it:.1}")).unwrap_or_default();
        let cpu = row.cpu_ms.map(|it| format!("{it:.3} ms CPU"));
        table.push(vec![
            Cell::styled(DIM, row.source.clone()),
            Cell::from(row.what.clone()),
            Cell::from(row.engine.clone()),
            Cell::from(cpu.unwrap_or_else(|| number(row.calls))),
            Cell::from(row.calls_max.map(|it| it.to_string()).unwrap_or_default()),
            Cell::from(number(row.calls_bound)),
            Cell::from(row.ratio.map(|it| format!("{it:.2}")).unwrap_or_default()),
            Cell::from(percent(row)),
        ]);
    }
    for line in layout::rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    context.printer.line("")?;
    print_targets(context, bench)
}

/// A line for each engine and filter: recall, and what a query takes.
pub(super) fn print_filter(context: &mut Context, bench: &Bench) -> Result<(), Failure> {
    let head = [
        "vectors", "", "engine", "what", "recall", "CPU ms", "99 %", "",
    ];
    let mut table = vec![head.map(|it| Cell::styled(BOLD, it)).to_vec()];
    for row in &bench.rows {
        let ms = |value: Option<f64>| value.map(|it| format!("{it:.3}")).unwrap_or_default();
        let memory = row.megabytes.map(|it| format!("{it:.1} MB"));
        let count = row.answer.map(|it| format!("{it} {}", row.source));
        let note = row.note.as_deref().map(escape::line);
        let percent = row.percent.map(|it| format!("{it:.1} %"));
        let source = Some(row.source.clone()).filter(|_| row.answer.is_none());
        table.push(vec![
            Cell::from(row.beliefs.to_string()),
            Cell::styled(DIM, source.unwrap_or_default()),
            Cell::from(escape::line(&row.engine)),
            Cell::from(escape::line(&row.what)),
            Cell::from(percent.unwrap_or_default()),
            Cell::from(ms(row.cpu_ms)),
            Cell::from(ms(row.cpu_p99_ms)),
            Cell::styled(DIM, note.or(memory).or(count).unwrap_or_default()),
        ]);
    }
    for line in layout::rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    context.printer.line("")?;
    print_targets(context, bench)
}

/// A line for each row: how often, or how long.
pub(super) fn print_conflict(context: &mut Context, bench: &Bench) -> Result<(), Failure> {
    let mut table = Vec::new();
    for row in &bench.rows {
        let note = row.note.as_deref().map(escape::line).unwrap_or_default();
        let value = match (row.percent, row.cpu_ms) {
            (Some(percent), _) => format!("{percent:.1} %"),
            (None, Some(cpu)) => format!("{cpu:.3} ms CPU"),
            (None, None) => String::new(),
        };
        table.push(vec![
            Cell::from(row.engine.clone()),
            Cell::from(row.what.clone()),
            Cell::styled(DIM, row.source.clone()),
            Cell::from(value),
            Cell::from(note),
        ]);
    }
    for line in layout::rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    context.printer.line("")?;
    print_targets(context, bench)
}

/// One table for each size, a line for each engine and question; then the targets.
pub(super) fn print(context: &mut Context, bench: &Bench) -> Result<(), Failure> {
    let width = context.printer.width();
    let mut sizes: Vec<usize> = bench.rows.iter().map(|it| it.beliefs).collect();
    sizes.dedup();
    for size in sizes {
        let title = format!("{size} beliefs, seed {}", bench.seed);
        context.printer.line(crate::printer::styled(BOLD, title))?;
        let of_size: Vec<&BenchRow> = bench.rows.iter().filter(|it| it.beliefs == size).collect();
        let head = ["engine", "what", "small", "median", "giant"];
        let mut table = vec![head.map(|it| Cell::styled(BOLD, it)).to_vec()];
        let mut shown: Vec<(&str, &str)> = Vec::new();
        for row in &of_size {
            let key = (row.engine.as_str(), row.what.as_str());
            if !shown.contains(&key) {
                shown.push(key);
                table.push(line(key, &of_size));
            }
        }
        for line in layout::rows(&table, width) {
            context.printer.line(line)?;
        }
        context.printer.line("")?;
    }
    print_targets(context, bench)
}

/// A line for each attack, a column for each engine; then the targets.
pub(super) fn print_quick(context: &mut Context, bench: &Bench) -> Result<(), Failure> {
    let mut engines: Vec<&str> = Vec::new();
    for row in &bench.rows {
        if !engines.contains(&row.engine.as_str()) {
            engines.push(&row.engine);
        }
    }
    let head = ["what", ""].into_iter().chain(engines.iter().copied());
    let mut table = vec![head.map(|it| Cell::styled(BOLD, it)).collect::<Vec<_>>()];
    let mut shown: Vec<(&str, &str)> = Vec::new();
    for row in &bench.rows {
        let key = (row.what.as_str(), row.source.as_str());
        if shown.contains(&key) {
            continue;
        }
        shown.push(key);
        let mut cells = vec![Cell::from(key.0), Cell::styled(DIM, key.1)];
        cells.extend(engines.iter().map(|engine| {
            let mut rows = bench.rows.iter();
            let found = rows
                .find(|it| (it.what.as_str(), it.source.as_str()) == key && it.engine == **engine);
            Cell::from(found.map(percent).unwrap_or_default())
        }));
        table.push(cells);
    }
    for line in layout::rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    context.printer.line("")?;
    print_targets(context, bench)
}

/// How often, and what else is to be known.
fn percent(row: &BenchRow) -> String {
    let percent = row.percent.map(|it| format!("{it:.1} %"));
    match &row.note {
        Some(note) => escape::line(note),
        None => percent.unwrap_or_default(),
    }
}

fn print_targets(context: &mut Context, bench: &Bench) -> Result<(), Failure> {
    let width = context.printer.width();
    let mut table = Vec::new();
    for target in &bench.targets {
        let (style, word) = if target.holds {
            (GREEN, "holds")
        } else {
            (RED, "missed")
        };
        table.push(vec![
            Cell::styled(style, word),
            Cell::from(format!("{:.2}", target.value)),
            Cell::from(target.target.clone()),
            Cell::from(target.name.clone()),
        ]);
    }
    for line in layout::rows(&table, width) {
        context.printer.line(line)?;
    }
    Ok(())
}

fn line((engine, what): (&str, &str), rows: &[&BenchRow]) -> Vec<Cell> {
    let own = || {
        rows.iter()
            .filter(|it| it.engine == engine && it.what == what)
    };
    let mut cells = vec![Cell::from(engine), Cell::from(what)];
    if let Some(alone) = own().find(|it| !SOURCES.contains(&it.source.as_str())) {
        cells.push(Cell::from(figure(alone)));
        return cells;
    }
    let of = |source: &&str| own().find(|it| it.source == **source);
    cells.extend(
        SOURCES
            .iter()
            .map(|it| Cell::from(of(it).map(|it| figure(it)).unwrap_or_default())),
    );
    cells
}

/// CPU where that is what counts, else what passed; else memory, or how many.
fn figure(row: &BenchRow) -> String {
    if let Some(note) = &row.note {
        return escape::line(note);
    }
    let memory = row.megabytes.map(|it| format!(", {it:.1} MB"));
    let memory = memory.unwrap_or_default();
    // What waits for the disk is told by what passed.
    let cpu = row.cpu_ms.filter(|_| !row.what.ends_with("durable"));
    match (cpu, row.wall_ms, row.bytes_each) {
        (Some(cpu), _, _) => format!("{cpu:.2} ms CPU"),
        (None, Some(wall), _) => format!("{wall:.1} ms{memory}"),
        (None, None, Some(each)) => format!("{each:.0} bytes each{memory}"),
        (None, None, None) => match row.megabytes {
            Some(megabytes) => format!("{megabytes:.1} MB"),
            None => row.answer.map(|it| it.to_string()).unwrap_or_default(),
        },
    }
}
