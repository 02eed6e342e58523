//! The commands: each turns words into a command of the engine, and what the engine answers into
//! lines or JSON. What they share is here: the context, and how a command ends.

mod admin;
mod areas;
mod attribute;
mod bench;
mod blast;
mod bound;
mod challenge;
mod chokepoint;
mod compare;
mod completions;
mod demo;
mod derive;
mod diff;
mod doctor;
mod embedder;
mod explain;
mod extractor;
mod flag;
mod forget;
mod graph;
mod guard;
mod history;
mod incidents;
mod ingest;
mod list;
mod man;
mod mesh;
mod noted;
mod oracle;
mod origins;
mod parole;
mod recall;
mod record;
mod redteam;
mod reindex;
mod reinstate;
mod remember;
mod reputation;
mod response;
mod reversals;
mod rows;
mod runs;
mod scan;
mod screen;
mod screening;
mod show;
mod stories;
mod tasks;
mod transfer;
mod verify;
mod version;
mod watch;

use std::ffi::OsString;
use std::fmt::Display;
use std::sync::Arc;

use clap::Parser as _;
use clap::error::ErrorKind;
use immune_api::{Code, Problem, Reply, Schema};
use immune_engine::{Clock, Engine, Memory, OpenError, Opened, OpenedFrom, Parts, Session};
use immune_model::{Instant, MemoryName, Role, RunId, shell};

use crate::args::{
    AreasCommand, AttributeCommand, ChannelsCommand, Cli, Color, Command, DryRun, Global,
    GraphCommand, RulesCommand, RunsCommand, SourcesCommand,
};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::printer::Printer;
use crate::settings::{Origin, Settings};
use crate::store::{Access, open_store};

/// What every command has: who prints, and what is in force.
pub(crate) struct Context {
    pub(crate) printer: Printer,
    pub(crate) settings: Settings,
    clock: Arc<dyn Clock>,
    /// Whether the command needs vectors of texts.
    pub(crate) embeds: bool,
}

/// Runs the program with these arguments, the first of which is its own name.
pub(crate) fn main(arguments: &[OsString]) -> Exit {
    match Cli::try_parse_from(arguments) {
        Ok(cli) => run(cli),
        Err(error) => refuse(arguments, &error),
    }
}

fn run(cli: Cli) -> Exit {
    let mut printer = Printer::new(&cli.global);
    let settings = match Settings::of(&cli.global) {
        Ok(settings) => settings,
        Err(failure) => return end(&mut printer, Err(failure)),
    };
    let clock = Arc::new(immune_engine::SystemClock);
    let mut context = Context {
        printer,
        settings,
        clock,
        embeds: false,
    };
    let ended = dispatch(cli.command, &mut context);
    let flushed = context.printer.flush().map_err(Failure::from);
    let ended = ended.and_then(|exit| flushed.map(|()| exit));
    let ended = ended.map_err(|failure| context.with_place(failure));
    end(&mut context.printer, ended)
}

fn dispatch(command: Command, context: &mut Context) -> Result<Exit, Failure> {
    if context.settings.as_of.is_some() && !has_a_past(&command) {
        return Err(Failure::usage("this command has no `--as-of`").hint(
            "`recall`, `explain`, `blast`, `origins`, `chokepoint`, `scan`, `record`, `list`, \
             `incidents`, `tasks`, `graph status`, `graph export`, and what `channels`, `sources`, \
             `areas`, `rules`, `runs`, `mesh` and `attribute` show have one; `diff` has `--at` and `--vs`",
        ));
    }
    match command {
        Command::Remember(args) => remember::run(context, &args),
        Command::Derive(args) => derive::run(context, &args),
        Command::Recall(args) => recall::run(context, &args),
        Command::Challenge(args) => challenge::run(context, &args),
        Command::Forget(args) => forget::run(context, &args),
        Command::Flag(args) => flag::run(context, &args),
        Command::Unflag(args) => flag::unflag(context, &args),
        Command::Incidents(args) => incidents::run(context, &args),
        Command::Tasks(args) => tasks::run(context, &args),
        Command::Reinstate(args) => reinstate::run(context, &args),
        Command::Guard(args) => guard::run(context, &args),
        Command::Ingest(args) => ingest::run(context, &args),
        Command::Screen(args) => screen::run(context, *args),
        Command::Explain(args) => explain::run(context, &args),
        Command::History(args) => history::run(context, &args),
        Command::Blast(args) => blast::run(context, &args),
        Command::Origins(args) => origins::run(context, &args),
        Command::Chokepoint(args) => chokepoint::run(context, &args),
        Command::Scan(args) => scan::run(context, &args),
        Command::Diff(args) => diff::run(context, &args),
        Command::Record(args) => record::run(context, &args),
        Command::List(args) => list::run(context, &args),
        Command::Channels(args) => admin::channels(context, args),
        Command::Sources(args) => admin::sources(context, args),
        Command::Areas(args) => areas::run(context, args),
        Command::Rules(args) => admin::rules(context, args),
        Command::Reversals(args) => reversals::run(context, &args),
        Command::Mesh(args) => mesh::run(context, &args),
        Command::Attribute(args) => attribute::run(context, &args),
        Command::Parole(args) => parole::run(context, &args),
        Command::Redteam(args) => redteam::run(context, &args),
        Command::Watch(args) => watch::run(context, &args),
        Command::Runs(args) => runs::run(context, args),
        Command::Demo(args) => stories::demo(context, &args),
        Command::Rehearse(_) => stories::rehearse(context),
        Command::Bench(args) => bench::run(context, &args),
        Command::Graph(args) => graph::run(context, args.command),
        Command::Export(args) => transfer::export(context, &args),
        Command::Import(args) => transfer::import(context, &args),
        Command::Backup(args) => transfer::backup(context, &args),
        Command::Reindex(args) => reindex::run(context, &args),
        Command::Calibrate(args) => reindex::calibrate(context, &args),
        Command::Verify(_) => verify::run(context),
        Command::Doctor(args) => doctor::run(context, &args),
        Command::Compare(args) => compare::run(context, &args),
        Command::Completions(args) => completions::run(context, &args),
        Command::Man(args) => man::run(context, &args),
        Command::Version(_) => version::run(context),
    }
}

/// Whether a command asks about a state, and may ask about an earlier one.
fn has_a_past(command: &Command) -> bool {
    match command {
        Command::Recall(_)
        | Command::Explain(_)
        | Command::Blast(_)
        | Command::Origins(_)
        | Command::Chokepoint(_)
        | Command::Scan(_)
        | Command::Record(_)
        | Command::List(_)
        | Command::Incidents(_)
        | Command::Tasks(_) => true,
        Command::Graph(args) => {
            matches!(args.command, GraphCommand::Status | GraphCommand::Export(_))
        }
        Command::Mesh(args) => mesh::has_a_past(args),
        Command::Attribute(args) => matches!(
            args.command,
            Some(AttributeCommand::List | AttributeCommand::Show(_))
        ),
        Command::Areas(args) => matches!(args.command, None | Some(AreasCommand::List)),
        Command::Channels(args) => matches!(
            args.command,
            None | Some(ChannelsCommand::List | ChannelsCommand::Show(_))
        ),
        Command::Runs(args) => !matches!(args.command, Some(RunsCommand::Start(_))),
        Command::Rules(args) => matches!(args.command, None | Some(RulesCommand::List)),
        Command::Sources(args) => {
            matches!(
                args.command,
                None | Some(SourcesCommand::List | SourcesCommand::Show(_))
            )
        }
        _ => false,
    }
}

/// Tells why a command stopped, if it did.
fn end(printer: &mut Printer, ended: Result<Exit, Failure>) -> Exit {
    match ended {
        Ok(exit) => exit,
        Err(Failure::ReaderGone) => Exit::Yes,
        Err(Failure::Problem(problem)) => {
            printer.problem(&problem);
            Exit::of(problem.code)
        }
    }
}

/// Tells what the parser has to tell: help, or what is wrong with the words.
fn refuse(arguments: &[OsString], error: &clap::Error) -> Exit {
    let global = glimpsed(arguments);
    let mut printer = Printer::new(&global);
    if !error.use_stderr() {
        let shown = printer.parser(error).and_then(|()| printer.flush());
        return end(&mut printer, shown.map(|()| Exit::Yes).map_err(Into::into));
    }
    if error.kind() == ErrorKind::InvalidUtf8
        && let Some(failure) = input::no_utf8(arguments)
    {
        return end(&mut printer, Err(failure));
    }
    if global.json {
        return end(&mut printer, Err(Failure::problem(usage_problem(error))));
    }
    match printer.parser(error) {
        Ok(()) => Exit::CouldNotRun,
        Err(error) => end(&mut printer, Err(error.into())),
    }
}

/// The parser's words as a problem: the facts, and its tip as the hint.
fn usage_problem(error: &clap::Error) -> Problem {
    let words = error.render().to_string();
    let mut parts = words.split("\n\n").map(str::trim);
    let facts = parts.next().unwrap_or_default();
    let facts = facts.strip_prefix("error: ").unwrap_or(facts);
    let problem = Problem::new(Code::Usage, facts);
    match parts.find_map(|it| it.strip_prefix("tip: ")) {
        Some(tip) => problem.hint(tip),
        None => problem,
    }
}

/// The options that decide how an error is shown, when the words as a whole cannot be read.
fn glimpsed(arguments: &[OsString]) -> Global {
    let before_dashes = || arguments.iter().take_while(|it| *it != "--");
    let has = |word: &str| before_dashes().any(|it| it == word);
    let color = |word: &str| {
        let joined = format!("--color={word}");
        let mut pairs = before_dashes().zip(before_dashes().skip(1));
        has(&joined) || pairs.any(|(option, value)| option == "--color" && value == word)
    };
    Global {
        store: None,
        memory: None,
        principal: None,
        as_of: None,
        json: has("--json"),
        color: match (color("always"), color("never")) {
            (true, false) => Color::Always,
            (false, true) => Color::Never,
            _ => Color::Auto,
        },
        quiet: if has("-qq") { 2 } else { 0 },
        verbose: 0,
        no_progress: true,
        yes: false,
        timeout: None,
    }
}

impl Context {
    /// The memory, for questions.
    pub(crate) fn reader(&mut self) -> Result<Session, Failure> {
        let session = self.open(Access::Reads)?;
        if let Some(when) = self.settings.as_of {
            return Ok(session.at(when)?);
        }
        if session.snapshot()?.head().seq == 0 {
            let name = self.settings.memory.value.clone();
            return Err(immune_engine::StoreError::NoMemory { name }.into());
        }
        Ok(session)
    }

    /// Those whose words are printed: JSON has all of them.
    pub(crate) fn told<'a, T>(&self, all: &'a [T]) -> &'a [T] {
        if self.printer.is_json() {
            all
        } else {
            bound::shown(all)
        }
    }

    /// The memory, for a question of a run that is shown the answer, if one is named: that is
    /// written down, and nobody is shown anything in the past.
    pub(crate) fn reader_in(&mut self, run: Option<&RunId>) -> Result<Session, Failure> {
        if run.is_none() {
            return self.reader();
        }
        if self.settings.as_of.is_some() {
            let message = "what was believed in the past is shown to no run";
            return Err(Failure::usage(message).hint("leave `--run` out, or `--as-of`"));
        }
        let session = self.open(Access::Changes)?;
        if session.snapshot()?.head().seq == 0 {
            let name = self.settings.memory.value.clone();
            return Err(immune_engine::StoreError::NoMemory { name }.into());
        }
        Ok(session)
    }

    /// Whether an agent asks, who is shown no words that its run does not hold.
    pub(crate) fn is_agent(&self) -> bool {
        self.settings.principal.value.role == Role::Agent
    }

    /// Whether an operator asks, whose word stands against that of a text.
    pub(crate) fn is_operator(&self) -> bool {
        self.settings.principal.value.role >= Role::Operator
    }

    /// The memory, for writes; with `--dry-run` one that keeps nothing.
    pub(crate) fn writer(&mut self, dry_run: DryRun) -> Result<Session, Failure> {
        if dry_run.dry_run {
            return Ok(self.open(Access::Previews)?.preview()?);
        }
        self.open(Access::Writes)
    }

    /// The memory, for writes that presuppose others.
    pub(crate) fn changer(&mut self, dry_run: DryRun) -> Result<Session, Failure> {
        if dry_run.dry_run {
            return Ok(self.open(Access::Previews)?.preview()?);
        }
        self.open(Access::Changes)
    }

    fn open(&mut self, access: Access) -> Result<Session, Failure> {
        let embedder = if self.embeds {
            embedder::of(&self.settings)?
        } else {
            None
        };
        let parts = Parts::new(open_store(&self.settings, access)?);
        let engine = Engine::new(parts.with_embedder(embedder));
        let memory = self.open_memory(&engine)?;
        let opened = opened_from(&memory.opened());
        let session = memory.session(self.settings.principal.value.clone());
        let seq = session.memory().snapshot()?.head().seq;
        let store = escape::line(&engine.describe());
        let memory = escape::line(self.settings.memory.value.as_str());
        self.printer
            .detail(format!("store {store}, memory {memory}, at event {seq}"));
        self.printer.detail(format!("opened from {opened}"));
        Ok(session)
    }

    /// Opens the memory in force, with a line of progress if its log takes a while.
    pub(crate) fn open_memory(&self, engine: &Engine) -> Result<Memory, OpenError> {
        let mut bar = None;
        let memory = engine.memory_with(&self.settings.memory.value, &mut |read, total| {
            let bar = bar.get_or_insert_with(|| self.printer.progress(total));
            bar.at(read, read, "events read");
        });
        if let Some(bar) = bar {
            bar.done();
        }
        memory
    }

    /// The time now.
    pub(crate) fn now(&self) -> Instant {
        self.clock.now()
    }

    /// A command that can be pasted: it names the store and the memory where this one did.
    pub(crate) fn command(&self, words: impl Display) -> String {
        format!("{} {words}", self.program())
    }

    /// A command that can be pasted, for another memory of the store.
    pub(crate) fn command_in(&self, memory: &MemoryName, words: impl Display) -> String {
        let program = self.program_in(Some(memory));
        format!("{program} {words}")
    }

    /// The program with the store and the memory, where they were named on the command line.
    fn program(&self) -> String {
        let memory = &self.settings.memory;
        let named = memory.from == Origin::Option;
        self.program_in(named.then_some(&memory.value))
    }

    fn program_in(&self, memory: Option<&MemoryName>) -> String {
        let store = &self.settings.store;
        let named = (store.from == Origin::Option).then_some(store.value.as_str());
        let command = shell::Command::new("immune").option_if("--store", named);
        let memory = memory.map(MemoryName::as_str);
        command.option_if("--memory", memory).to_string()
    }

    /// The failure with commands in its hint that name the store and the memory too.
    fn with_place(&self, failure: Failure) -> Failure {
        let program = self.program();
        match failure {
            Failure::Problem(mut problem) => {
                if let Some(hint) = problem.hint.take() {
                    let plain = hint.replace(&format!("`{program} "), "`immune ");
                    problem.hint = Some(plain.replace("`immune ", &format!("`{program} ")));
                }
                Failure::Problem(problem)
            }
            Failure::ReaderGone => Failure::ReaderGone,
        }
    }

    /// Says what to do next.
    pub(crate) fn next(&mut self, words: impl Display) {
        let command = self.command(words);
        self.printer.next("next", &command);
    }

    /// Says how to undo it.
    pub(crate) fn undo(&mut self, words: impl Display) {
        let command = self.command(words);
        self.printer.next("undo", &command);
    }
}

/// What a memory was opened from, in words.
pub(crate) fn opened_from(opened: &Opened) -> String {
    let read = show::count(
        usize::try_from(opened.replayed).unwrap_or(usize::MAX),
        "event",
    );
    match opened.from {
        OpenedFrom::KeptState { seq } => {
            format!("the state kept at event {seq}, and {read} after it")
        }
        OpenedFrom::Log { passed_over: None } => format!("the log: {read}"),
        OpenedFrom::Log {
            passed_over: Some(why),
        } => format!("the log: {read}; there is a kept state, but {why}"),
    }
}

/// A reply to a write, which may have been only planned.
pub(crate) fn reply<T: Schema>(session: &Session, body: T) -> Reply<T> {
    if session.is_preview() {
        Reply::dry_run(body)
    } else {
        Reply::new(body)
    }
}

/// The verb of a setting: set, only planned, or what it had been.
pub(crate) fn set_verb(session: &Session, changed: bool) -> &'static str {
    if changed {
        verb(session, "set", "would set")
    } else {
        "as it was"
    }
}

/// The verb of a write: done, or only planned.
pub(crate) fn verb(session: &Session, done: &'static str, planned: &'static str) -> &'static str {
    if session.is_preview() { planned } else { done }
}
