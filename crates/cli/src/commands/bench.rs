//! `bench`: measures, prints the rows and the targets, and ends with 1 when one is missed.

mod print;

use std::path::Path;

use immune_api::bench::Bench;
use immune_api::{Code, Reply};
use immune_bench::{
    Ask, Conversations, FilterOptions, Mode, OpenOptions, Options, Peer, Peers, Quick,
    RecallOptions,
};
use immune_model::limits::VECTOR_DIMENSIONS_MAX;

use super::Context;
use crate::args::{self, BenchCommand, BenchConversations, BenchMode, BenchPeers};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use print::{
    print, print_attribute, print_checked, print_conflict, print_filter, print_open, print_quick,
};

pub(crate) fn run(context: &mut Context, args: &args::Bench) -> Result<Exit, Failure> {
    match (&args.bench, args.bench.quick()) {
        (BenchCommand::Attribute(args), _) => attribute(context, args),
        (BenchCommand::Cascade(args), _) => cascade(context, args),
        (BenchCommand::Check(args), _) => check(context, args),
        (BenchCommand::Conflict(args), _) => conflict(context, args),
        (BenchCommand::Recall(args), _) => recall(context, args),
        (BenchCommand::Filter(args), _) => filter(context, args),
        (BenchCommand::Open(args), _) => open(context, args),
        (BenchCommand::Mesh(args), _) => mesh(context, args),
        (_, Some((name, args))) => quick(context, name, args),
        (_, None) => unreachable!("a bench is timed, the check, or quick"),
    }
}

fn quick(context: &mut Context, name: &str, args: &args::BenchQuick) -> Result<Exit, Failure> {
    let quick = Quick::named(name).expect("each quick command is in the table");
    let mode = args.mode.map(|it| match it {
        BenchMode::Default => Mode::Default,
        BenchMode::Compat => Mode::Compat,
    });
    let ask = Ask {
        mode,
        seed: args.seed,
        data: args.data.clone(),
    };
    let bench = quick.run(&ask).map_err(|it| failed(&it))?;
    finish(context, &bench, args.out.as_deref(), print_quick)
}

/// The drift guard.
fn check(context: &mut Context, args: &args::BenchCheck) -> Result<Exit, Failure> {
    let results = &args.results;
    if !results.is_dir() {
        let name = escape::line(&results.display().to_string());
        return Err(Failure::usage(format!("`{name}` is no folder"))
            .hint("`immune bench check --results bench/results`, in a checkout of the sources"));
    }
    let ask = Ask {
        mode: None,
        seed: 5,
        data: args.data.clone(),
    };
    let named = args.benches.iter().map(|name| {
        Quick::named(name).ok_or_else(|| {
            let name = escape::line(name);
            Failure::usage(format!("`{name}` is no bench that is compared"))
                .hint("`immune bench check` compares all; `immune bench --help` lists them")
        })
    });
    let named: Vec<&Quick> = named.collect::<Result<_, _>>()?;
    let checked = immune_bench::check(results, &named, &ask).map_err(|it| failed(&it))?;
    let n = checked.files.iter().map(|it| it.differences.len()).sum();
    let reply = Reply::new(checked.clone());
    if !context.printer.reply(&reply)? {
        print_checked(context, &checked)?;
    }
    if n == 0 {
        return Ok(Exit::Yes);
    }
    let differ = checked.files.iter().filter(|it| !it.differences.is_empty());
    let differ: Vec<&str> = differ.map(|it| it.bench.as_str()).collect();
    let message = match n {
        1 => format!("1 cell differs from what is kept, in {}", differ.join(", ")),
        _ => format!(
            "{n} cells differ from what is kept, in {}",
            differ.join(", ")
        ),
    };
    let first = differ.first().copied().unwrap_or_default();
    Err(Failure::new(Code::CheckFailed, message).hint(format!(
        "where the new figures are right: `immune bench {first} --out {}`",
        immune_model::shell::quoted(&results.join(format!("{first}.json")).display().to_string())
    )))
}

fn cascade(context: &mut Context, args: &args::BenchCascade) -> Result<Exit, Failure> {
    if let Some(path) = &args.probe {
        let probe = immune_bench::probe(path).map_err(|it| failed(&it))?;
        context.printer.line(probe.line())?;
        return Ok(Exit::Yes);
    }
    let program = std::env::current_exe().map_err(|it| failed(&it))?;
    let options = Options {
        beliefs: args.beliefs.clone(),
        seed: args.seed,
        peers: peers(&args.peers)?,
        runs: args.runs.max(1),
        limit_seconds: args.limit,
        probe: vec![program, "bench".into(), "cascade".into(), "--probe".into()],
    };
    if options.beliefs.iter().any(|it| *it < 1_000) {
        return Err(
            Failure::usage("a cascade is measured on at least 1000 beliefs")
                .hint("`immune bench cascade --beliefs 100000`"),
        );
    }
    let printer = &mut context.printer;
    let bench = immune_bench::cascade(&options, &mut |line| printer.note(line));
    let bench = bench.map_err(|it| failed(&it))?;
    finish(context, &bench, args.out.as_deref(), print)
}

fn open(context: &mut Context, args: &args::BenchOpen) -> Result<Exit, Failure> {
    if let Some(path) = &args.probe {
        let probe = immune_bench::open_probe(path).map_err(|it| failed(&it))?;
        context.printer.line(probe.line())?;
        return Ok(Exit::Yes);
    }
    if args.beliefs.iter().any(|it| *it < 1_000) {
        return Err(
            Failure::usage("a memory is opened with at least 1000 beliefs")
                .hint("`immune bench open --beliefs 100000`"),
        );
    }
    let program = std::env::current_exe().map_err(|it| failed(&it))?;
    let options = OpenOptions {
        beliefs: args.beliefs.clone(),
        seed: args.seed,
        probe: vec![program, "bench".into(), "open".into(), "--probe".into()],
    };
    let printer = &mut context.printer;
    let bench = immune_bench::open(&options, &mut |line| printer.note(line));
    let bench = bench.map_err(|it| failed(&it))?;
    finish(context, &bench, args.out.as_deref(), print_open)
}

fn attribute(context: &mut Context, args: &args::BenchAttribute) -> Result<Exit, Failure> {
    let is_few = args.n.iter().all(|it| (4..=10_000).contains(it));
    if !is_few || !args.flip.iter().all(|it| (0.0..=0.4).contains(it)) {
        let what = "candidates are 4 to 10000, and verdicts are wrong 0 to 0.4 of the time";
        return Err(
            Failure::usage(what.to_owned()).hint("`immune bench attribute --n 100 --flip 0,0.1`")
        );
    }
    let options = immune_bench::AttributeOptions {
        candidates: args.n.clone(),
        flips: args.flip.clone(),
        seed: args.seed,
        timed: true,
    };
    let printer = &mut context.printer;
    let bench = immune_bench::attribute(&options, &mut |line| printer.note(line));
    finish(context, &bench, args.out.as_deref(), print_attribute)
}

fn conflict(context: &mut Context, args: &args::BenchConflict) -> Result<Exit, Failure> {
    let options = immune_bench::ConflictOptions {
        data: args.data.clone(),
        values: args.values.clone(),
        seed: args.seed,
        timed: true,
    };
    if let Some(path) = &args.verdicts {
        let verdicts = immune_bench::conflict_verdicts(&options).map_err(|it| failed(&it))?;
        let line = |it: &immune_bench::Verdict| {
            let [a, b] = &it.statements;
            format!("{}\t{}\t{}\n", it.pair, escape::line(a), escape::line(b))
        };
        let text: String = verdicts.iter().map(line).collect();
        fs_err::write(path, text).map_err(|it| failed(&it))?;
    }
    let bench = immune_bench::conflict(&options).map_err(|it| failed(&it))?;
    finish(context, &bench, args.out.as_deref(), print_conflict)
}

fn recall(context: &mut Context, args: &args::BenchRecall) -> Result<Exit, Failure> {
    let named = args.data.map(|it| match it {
        BenchConversations::Locomo => Conversations::Locomo,
        BenchConversations::Beam => Conversations::Beam,
    });
    let sets = named.map_or(Conversations::ALL.to_vec(), |it| vec![it]);
    let place = |set: Conversations| {
        let beside = args.test_data.as_ref().map(|it| it.join(set.place()));
        let path = args.path.clone().or(beside);
        path.map(|it| (set, it)).ok_or_else(|| {
            let name = set.name();
            Failure::usage(format!(
                "it is not said where the conversations of {name} are"
            ))
            .hint(format!("`immune bench recall --data {name} --path PATH`"))
        })
    };
    let options = RecallOptions {
        sets: sets.into_iter().map(place).collect::<Result<_, _>>()?,
        #[cfg(feature = "candle")]
        model: model(args.model.as_deref())?,
        #[cfg(not(feature = "candle"))]
        model: None,
    };
    let bench = immune_bench::recall(&options).map_err(|it| failed(&it))?;
    finish(context, &bench, args.out.as_deref(), print_quick)
}

fn mesh(context: &mut Context, args: &args::BenchMesh) -> Result<Exit, Failure> {
    let options = immune_bench::MeshOptions {
        #[cfg(feature = "candle")]
        model: model(args.model.as_deref())?,
        #[cfg(not(feature = "candle"))]
        model: None,
        cases: args.cases.clone(),
        mail: args.mail.clone(),
        seed: args.seed,
        part: immune_bench::MeshPart::All,
    };
    let printer = &mut context.printer;
    let bench = immune_bench::mesh(&options, &mut |line| printer.note(line));
    let bench = bench.map_err(|it| match it {
        immune_bench::BenchError::Absent { what } => Failure::usage(escape::line(&what))
            .hint("`immune bench mesh --mail DIR`, with a table of mail for each person in it"),
        other => failed(&other),
    })?;
    finish(context, &bench, args.out.as_deref(), print_conflict)
}

/// A model that runs here.
#[cfg(feature = "candle")]
type Model = std::sync::Arc<dyn immune_recall::Embedder>;

/// The model in a folder, if one was named.
#[cfg(feature = "candle")]
fn model(folder: Option<&std::path::Path>) -> Result<Option<Model>, Failure> {
    let open = |folder| -> Result<Model, Failure> {
        let model = immune_embed::Transformer::open(folder, immune_embed::Precision::Single);
        let model = model.map_err(|it| Failure::usage(it.to_string()));
        Ok(std::sync::Arc::new(model?))
    };
    folder.map(open).transpose()
}

fn filter(context: &mut Context, args: &args::BenchFilter) -> Result<Exit, Failure> {
    let too_few = args
        .n
        .iter()
        .any(|it| *it < 1_000 || *it > u32::MAX as usize);
    if too_few || !(2..=VECTOR_DIMENSIONS_MAX).contains(&args.dims) {
        let what = format!("vectors are at least 1000, of 2 to {VECTOR_DIMENSIONS_MAX} dimensions");
        return Err(Failure::usage(what).hint("`immune bench filter --n 100000 --dims 384`"));
    }
    let options = FilterOptions {
        rows: args.n.clone(),
        n_dims: args.dims,
        seed: args.seed,
        peers: match args.peers {
            BenchPeers::All => Peers::All,
            BenchPeers::None => Peers::None,
        },
        limit_seconds: args.limit,
        texts: args.texts.clone(),
    };
    let printer = &mut context.printer;
    let out = args.out.as_deref();
    let bench = immune_bench::filter(&options, &mut |line| printer.note(line), &mut |so_far| {
        Ok(write_out(&Reply::new(so_far.clone()), out)?)
    });
    let bench = bench.map_err(|it| failed(&it))?;
    finish(context, &bench, out, print_filter)
}

/// Writes the results where they were asked for.
fn write_out(reply: &Reply<Bench>, out: Option<&Path>) -> std::io::Result<()> {
    let Some(path) = out else {
        return Ok(());
    };
    let text = serde_json::to_string_pretty(reply).expect("views have string keys only");
    fs_err::write(path, text + "\n")
}

/// Keeps the results where that is asked for, shows them, and ends with 1 when a target is missed.
fn finish(
    context: &mut Context,
    bench: &Bench,
    out: Option<&Path>,
    print: fn(&mut Context, &Bench) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    let reply = Reply::new(bench.clone());
    write_out(&reply, out).map_err(|it| failed(&it))?;
    if !context.printer.reply(&reply)? {
        print(context, bench)?;
    }
    let missed = bench.targets.iter().filter(|it| !it.holds);
    let missed: Vec<&str> = missed.map(|it| it.name.as_str()).collect();
    if missed.is_empty() {
        return Ok(Exit::Yes);
    }
    let of = bench.targets.len();
    let message = format!(
        "{} of {of} targets are missed: {}",
        missed.len(),
        missed.join("; ")
    );
    Err(Failure::new(Code::CheckFailed, message))
}

fn peers(names: &[String]) -> Result<Vec<Peer>, Failure> {
    let peers = names.iter().filter(|it| *it != "none");
    let peer = |name: &String| {
        Peer::from_name(name).ok_or_else(|| {
            let name = escape::line(name);
            Failure::usage(format!("`{name}` is no peer"))
                .hint("`immune bench cascade --peers sqlite,postgres,falkordb`, or `--peers none`")
        })
    };
    peers.map(peer).collect()
}

fn failed(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Code::StoreFailed, format!("the bench stopped: {error}"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use immune_bench::QUICK;

    use super::*;

    #[test]
    fn every_quick_bench_has_a_command() {
        let program = args::Cli::command();
        let bench = program.find_subcommand("bench").unwrap();
        for quick in QUICK {
            assert!(
                bench.find_subcommand(quick.name()).is_some(),
                "{}",
                quick.name()
            );
        }
    }
}
