//! The benches.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::help;

/// Measure, beside databases on the same data, and compare with what is asked for
///
/// Rows that lose stay in the table; the exit code is 1 when a target is missed. A peer that is
/// not there is skipped with a row that says so.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench cascade --beliefs 100000 --peers none
  immune bench poison --mode compat
  immune bench check")]
pub(crate) struct Bench {
    /// Which bench
    #[command(subcommand)]
    pub(crate) bench: BenchCommand,
}

/// Which bench.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    Cascade(BenchCascade),
    /// New names flood what trusted sources state
    Poison(BenchQuick),
    /// A lie goes through the hands of agents
    Launder(BenchQuick),
    /// What a cap by the tier of a channel costs where nobody lies
    Mincap(BenchQuick),
    /// What is believed where statements disagree
    Contradiction(BenchQuick),
    /// What is believed where the phrasing tells how sure somebody is
    Reliability(BenchQuick),
    /// New names say other values, so that the lie meets less
    Decoy(BenchQuick),
    /// Who is not trusted agrees with the truth
    Endorsement(BenchQuick),
    /// One source says the same many times
    Flood(BenchQuick),
    /// Claims go through many hands, and their source turns out to be a liar
    Taint(BenchQuick),
    /// Which actions run on what was attacked, and on what was not
    Policy(BenchQuick),
    /// What is put before a model of messages that go in as text
    Wrapper(BenchQuick),
    /// An attacker who may only ask, and an agent that keeps what it did
    Episodic(BenchQuick),
    /// Web sites report flights, and copy one another
    Flights(BenchQuick),
    /// Mirrors of one source are planted among honest ones
    Mirrors(BenchQuick),
    /// False answers are written where anybody may write, and questions are asked
    Poisoned(BenchQuick),
    Attribute(BenchAttribute),
    /// False texts make an answer wrong, and who did it is looked for
    Scenes(BenchQuick),
    Conflict(BenchConflict),
    Recall(BenchRecall),
    Open(BenchOpen),
    Filter(BenchFilter),
    Mesh(BenchMesh),
    Check(BenchCheck),
}

impl BenchCommand {
    /// The options and the name of one that is quick.
    pub(crate) fn quick(&self) -> Option<(&'static str, &BenchQuick)> {
        Some(match self {
            Self::Poison(args) => ("poison", args),
            Self::Launder(args) => ("launder", args),
            Self::Mincap(args) => ("mincap", args),
            Self::Contradiction(args) => ("contradiction", args),
            Self::Reliability(args) => ("reliability", args),
            Self::Decoy(args) => ("decoy", args),
            Self::Endorsement(args) => ("endorsement", args),
            Self::Flood(args) => ("flood", args),
            Self::Taint(args) => ("taint", args),
            Self::Policy(args) => ("policy", args),
            Self::Wrapper(args) => ("wrapper", args),
            Self::Episodic(args) => ("episodic", args),
            Self::Flights(args) => ("flights", args),
            Self::Mirrors(args) => ("mirrors", args),
            Self::Poisoned(args) => ("poisoned", args),
            Self::Scenes(args) => ("scenes", args),
            Self::Attribute(_)
            | Self::Cascade(_)
            | Self::Conflict(_)
            | Self::Filter(_)
            | Self::Mesh(_)
            | Self::Recall(_)
            | Self::Open(_)
            | Self::Check(_) => return None,
        })
    }
}

/// A memory is opened and asked: how long until it answers, with its side files and without
///
/// The state is opened, then the first question takes up the index of the words and that of the
/// vectors of the model in the program. Without the side files all of it is made again.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench open
  immune bench open --beliefs 100000,1000000 --json --out bench/results/open.json")]
pub(crate) struct BenchOpen {
    /// Sizes of the memory in beliefs, with commas
    #[arg(
        long,
        value_name = "N,N",
        default_value = "100000",
        value_delimiter = ','
    )]
    pub(crate) beliefs: Vec<usize>,
    /// What the graphs are made from
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) seed: u64,
    /// Write the results into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Open this store and tell what that took: how the bench measures a process of its own
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) probe: Option<PathBuf>,
}

/// A source is flagged: what falls, how long it takes, and what plain reachability would do
///
/// On a layered graph a small, a median and the giant source are flagged. Ours computes what
/// really falls and how strong the rest is; the peers compute bare closure. CPU time leaves the
/// commit out; end to end is wall time with it.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench cascade --beliefs 100000
  immune bench cascade --peers sqlite,postgres --seed 7
  immune bench cascade --json --out bench/results/cascade.json")]
pub(crate) struct BenchCascade {
    /// Sizes of the memory in beliefs, with commas
    #[arg(
        long,
        value_name = "N,N",
        default_value = "100000",
        value_delimiter = ','
    )]
    pub(crate) beliefs: Vec<usize>,
    /// What the graphs are made from
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) seed: u64,
    /// Which databases beside ours: sqlite, postgres, falkordb; or none
    #[arg(
        long,
        value_name = "LIST",
        default_value = "sqlite,postgres,falkordb",
        value_delimiter = ','
    )]
    pub(crate) peers: Vec<String>,
    /// How often each thing is measured; the median counts
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) runs: usize,
    /// Seconds that a query of a peer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) limit: u32,
    /// Write the results into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Open this store and tell what that took: how the bench measures a process of its own
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) probe: Option<PathBuf>,
}

/// What the rows of a quick bench are measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchMode {
    /// This memory
    Default,
    /// The belief update of nous-state as published
    Compat,
}

/// The options of a bench that gives the same rows on every machine.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench decoy
  immune bench decoy --mode compat --seed 7
  immune bench decoy --json --out bench/results/decoy.json")]
pub(crate) struct BenchQuick {
    /// Measure this only; both, beside each other, without
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<BenchMode>,
    /// What random orders are made from
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) seed: u64,
    /// The folder with data that is not part of the repository; `flights`,
    /// `poisoned` and `scenes` read some
    #[arg(long, value_name = "DIR", env = "IMMUNE_TEST_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Write the results into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Run the benches again that are not timed, and compare with the results that are kept
///
/// Every cell is compared; the exit code is 1 when one differs, and each is named. A bench whose
/// data is not there is skipped with a line that says so.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench check
  immune bench check decoy flood
  immune bench check --results bench/results
  immune bench check --json")]
pub(crate) struct BenchCheck {
    /// Which benches; all that are not timed if none is named
    #[arg(value_name = "BENCH")]
    pub(crate) benches: Vec<String>,
    /// Where the results are kept
    #[arg(long, value_name = "DIR", default_value = "bench/results")]
    pub(crate) results: PathBuf,
    /// The folder with data that is not part of the repository
    #[arg(long, value_name = "DIR", env = "IMMUNE_TEST_DATA")]
    pub(crate) data: Option<PathBuf>,
}

/// The conversations of `bench recall`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchConversations {
    /// Five long conversations of two people
    Locomo,
    /// Ten chats with an assistant
    Beam,
}

/// Recall: how many of the turns and sessions that answer a question are among the first
///
/// R@k is the share of the evidence of a question that is among the first k, averaged over the
/// questions of a category. Words alone, vectors alone, and both are measured beside each other.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench recall --data locomo --path conversations.json
  immune bench recall --data beam --path beam --json
  IMMUNE_TEST_DATA=data immune bench recall --out bench/results/recall.json")]
pub(crate) struct BenchRecall {
    /// Which conversations; both, in the folder of the test data, without
    #[arg(long, value_name = "NAME")]
    pub(crate) data: Option<BenchConversations>,
    /// The file of LoCoMo or the folder of BEAM, where it is not in the folder of the test data
    #[arg(long, value_name = "PATH", requires = "data")]
    pub(crate) path: Option<PathBuf>,
    /// The folder with data that is not part of the repository
    #[arg(long, value_name = "DIR", env = "IMMUNE_TEST_DATA")]
    pub(crate) test_data: Option<PathBuf>,
    /// The folder of a sentence transformer to measure too: `config.json`, `tokenizer.json`,
    /// `model.safetensors`
    #[cfg(feature = "candle")]
    #[arg(long, value_name = "DIR")]
    pub(crate) model: Option<PathBuf>,
    /// Write the results into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Who makes an answer wrong: how many calls of an oracle it takes to find them
///
/// The truth is drawn: one to four culprits, each alone, all together, or mixed; verdicts are
/// wrong as often as `--flip` says. Beside published searches and the bound that information
/// gives, in the same run. All of it takes some minutes.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench attribute --n 100 --flip 0
  immune bench attribute --n 100,1000 --flip 0,0.1 --seed 7
  immune bench attribute --json --out bench/results/attribute.json")]
pub(crate) struct BenchAttribute {
    /// How many candidates, with commas
    #[arg(
        long,
        value_name = "N,N",
        default_value = "10,20,50,100,200,500,1000",
        value_delimiter = ','
    )]
    pub(crate) n: Vec<usize>,
    /// How often a verdict is wrong, with commas
    #[arg(
        long,
        value_name = "P,P",
        default_value = "0,0.05,0.1,0.2",
        value_delimiter = ','
    )]
    pub(crate) flip: Vec<f64>,
    /// What the culprits and the wrong verdicts are drawn from
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) seed: u64,
    /// Write the results into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Contradictions: literals under planted changes, long chats, written evidence; without a model
///
/// What needs data that is not there is skipped with a row that says so. The values come from
/// `bench/peers/agentdojo_values.py`; nothing of any data is kept.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench conflict --data DIR
  immune bench conflict --data DIR --values values.jsonl --out bench/results/conflict.json
  immune bench conflict --data DIR --verdicts wrong.tsv")]
pub(crate) struct BenchConflict {
    /// The folder of the test data: `beam`, `conflictqa`
    #[arg(long, value_name = "DIR", env = "IMMUNE_TEST_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Lines of JSON with a `kind` and a `text`: the values to change
    #[arg(long, value_name = "FILE", env = "IMMUNE_AGENTDOJO_VALUES")]
    pub(crate) values: Option<PathBuf>,
    /// What the changes and the random pairs are made from
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) seed: u64,
    /// Write the pairs of statements that decided among random pairs into this file, to be read
    #[arg(long, value_name = "FILE")]
    pub(crate) verdicts: Option<PathBuf>,
    /// Write the results into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// The nearest vectors among those that may be shown, beside other engines
///
/// Filters leave out ever more; the last one leaves out the 300 vectors that are nearest to each
/// query. A peer that cannot be installed, or whose index takes longer than `--limit`, has a row
/// that says so.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench filter --n 100000 --peers none
  immune bench filter --n 20000 --texts mails
  immune bench filter --n 100000,1000000 --dims 384 --json --out bench/results/filter.json")]
pub(crate) struct BenchFilter {
    /// How many vectors, with commas
    #[arg(
        long,
        value_name = "N,N",
        default_value = "100000",
        value_delimiter = ','
    )]
    pub(crate) n: Vec<usize>,
    /// Their dimensions
    #[arg(long, value_name = "N", default_value_t = 384)]
    pub(crate) dims: usize,
    /// What they are made from
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) seed: u64,
    /// Which other engines are measured beside ours
    #[arg(long, value_name = "WHICH", default_value = "all")]
    pub(crate) peers: BenchPeers,
    /// Seconds that the index of a peer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub(crate) limit: u32,
    /// Also the sentences and questions of the files in this folder, by the model in the program
    #[arg(long, value_name = "DIR")]
    pub(crate) texts: Option<PathBuf>,
    /// Write the results into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Whether other engines are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchPeers {
    /// Those that can be installed
    All,
    /// None
    None,
}

/// Worms among agents that read and write real mail, and how often honest work is stopped
///
/// Payloads of eleven kinds go from agent to agent; honest agents quote, forward, proofread,
/// confirm, translate and summarise; then there are outbreaks with and without the guard, and an
/// attacker who knows what is looked for. The figures are of the half of the people on which
/// nothing was chosen.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench mesh --mail enron
  immune bench mesh --mail enron --seed 7 --json
  immune bench mesh --mail enron --out bench/results/mesh.json")]
pub(crate) struct BenchMesh {
    /// The folder with the tables of mail: a file a person, with `payload` and `from`
    #[arg(long, value_name = "DIR")]
    pub(crate) mail: PathBuf,
    /// What `bench/peers/immunemesh_cases.py` printed: the benign cases of ImmuneMesh
    #[arg(long, value_name = "FILE")]
    pub(crate) cases: Option<PathBuf>,
    /// Compare their texts by the model in this folder too: `config.json`, `tokenizer.json`,
    /// `model.safetensors`
    #[cfg(feature = "candle")]
    #[arg(long, value_name = "DIR", requires = "cases")]
    pub(crate) model: Option<PathBuf>,
    /// What everything random is made from
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) seed: u64,
    /// Write the results into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}
