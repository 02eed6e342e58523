//! The options that every command takes.

use std::str::FromStr;

use clap::{ArgAction, Args, ValueEnum};
use immune_engine::When;
use immune_model::Role;

/// The options that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// Where the memories are: a file, or `memory:` for one that is dropped at the end
    ///
    /// Without it, `IMMUNE_STORE`, and without that `immune/immune.db` in your data folder
    /// (`~/.local/share` on Linux). The first write makes the file.
    #[arg(long, global = true, value_name = "STORE")]
    pub(crate) store: Option<String>,
    /// Which memory of the store [default: `IMMUNE_MEMORY`, or `default`]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) memory: Option<String>,
    /// Act as somebody with fewer rights: `agent:support-bot`
    ///
    /// Whoever may open the file is its operator. This only narrows: `viewer`, `agent`,
    /// `verifier`, or `operator` under another name.
    #[arg(
        long = "as",
        global = true,
        value_name = "ROLE:NAME",
        hide_short_help = true
    )]
    pub(crate) principal: Option<RoleName>,
    /// Answer as of then: an event number, a time like `2026-08-13T13:30:00Z`, or a date
    ///
    /// Questions only. The log up to there is folded again, by event time. A date is its midnight
    /// in UTC; what is to come is refused.
    #[arg(long, global = true, value_name = "SEQ|TIME", hide_short_help = true)]
    pub(crate) as_of: Option<When>,
    /// Print one JSON object, or one a line for streams
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to colour
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_short_help = true
    )]
    pub(crate) color: Color,
    /// Print data and errors only; twice: nothing
    #[arg(short, long, global = true, action = ArgAction::Count, hide_short_help = true)]
    pub(crate) quiet: u8,
    /// Say how it was done
    #[arg(short, long, global = true, action = ArgAction::Count, hide_short_help = true)]
    pub(crate) verbose: u8,
    /// Show no progress
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) no_progress: bool,
    /// Ask nothing
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) yes: bool,
    /// How long to wait for other writers of the store [default: 10]
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        hide_short_help = true,
        value_parser = clap::value_parser!(u64).range(1..=86_400)
    )]
    pub(crate) timeout: Option<u64>,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` says otherwise.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// A role with a name, as `agent:support-bot`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RoleName {
    pub(crate) role: Role,
    pub(crate) name: String,
}

impl FromStr for RoleName {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let (role, name) = word
            .split_once(':')
            .ok_or("write a role and a name, as `agent:support-bot`")?;
        let role = Role::from_name(role).ok_or_else(|| {
            let roles: Vec<_> = Role::ALL.iter().map(|it| it.name()).collect();
            format!("there are the roles {}", roles.join(", "))
        })?;
        Ok(Self {
            role,
            name: name.to_owned(),
        })
    }
}

/// What every command that writes takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
pub(crate) struct DryRun {
    /// Say what it would do, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// The values of a word of the model, for the parser: its names, and how one is read.
#[macro_export]
macro_rules! word_of {
    ($type:ty) => {{
        use clap::builder::TypedValueParser as _;
        clap::builder::PossibleValuesParser::new(<$type>::ALL.iter().map(|it| it.name()))
            .map(|it| <$type>::from_name(&it).expect("it is one of the possible values"))
    }};
}
