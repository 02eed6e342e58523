//! The command line as it is written: options and commands, with their help. Nothing is done
//! here; words become values in `commands`.

mod admin;
mod bench;
mod blame;
mod global;
mod graph;
mod help;
mod mesh;
pub(crate) mod named;
mod operate;
mod question;
mod read;
mod runs;
mod stories;
mod write;

use clap::{Parser, Subcommand};

pub(crate) use admin::*;
pub(crate) use bench::*;
pub(crate) use blame::*;
pub(crate) use global::*;
pub(crate) use graph::*;
pub(crate) use mesh::*;
pub(crate) use named::Named;
pub(crate) use operate::*;
pub(crate) use question::*;
pub(crate) use read::*;
pub(crate) use runs::*;
pub(crate) use stories::*;
pub(crate) use write::*;

/// The memory that can heal.
///
/// It knows where each belief came from, what was built on it, and what has to fall when it was
/// a lie.
#[derive(Debug, Parser)]
#[command(
    name = "immune",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    help_template = help::ROOT,
    before_help = help::COMMANDS,
    before_long_help = help::ROOT_LONG,
)]
pub(crate) struct Cli {
    /// What holds for every command.
    #[command(flatten)]
    pub(crate) global: Global,
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Remember(Remember),
    Derive(Derive),
    Recall(Recall),
    Challenge(Challenge),
    Forget(Forget),
    Flag(Flag),
    Unflag(Unflag),
    Incidents(Incidents),
    Tasks(Tasks),
    Reinstate(Reinstate),
    Guard(Guard),
    Ingest(Ingest),
    Screen(Box<Screen>),
    Explain(Explain),
    History(History),
    Blast(Blast),
    Origins(Origins),
    Chokepoint(Chokepoint),
    Scan(Scan),
    Record(Record),
    Compare(Compare),
    Diff(Diff),
    List(List),
    Channels(Channels),
    Sources(Sources),
    Areas(Areas),
    Rules(Rules),
    Reversals(Reversals),
    Mesh(Mesh),
    Attribute(Box<Attribute>),
    Parole(Parole),
    Redteam(Redteam),
    Watch(Watch),
    Runs(Runs),
    Demo(Demo),
    Rehearse(Rehearse),
    Bench(Bench),
    Graph(Graph),
    Export(Export),
    Import(Import),
    Backup(Backup),
    Reindex(Reindex),
    Calibrate(Calibrate),
    Verify(Verify),
    Doctor(Doctor),
    Completions(Completions),
    Man(Man),
    Version(Version),
}
