//! The commands that ask which memories made an answer wrong, and test again what was quarantined.

use clap::{Args, Subcommand};
use immune_model::{AttributionId, BeliefId, DecisionId};

use super::{DryRun, Named, help};

/// Which memories made an answer wrong
///
/// Somebody answers the question again from some of the memories, and again, until the smallest
/// sets are found that make the answer wrong, and what has to go so that it is right. An answer is
/// wrong that asserts `--wrong`, that contradicts `--expected`, or of which `--judge` says so. Every
/// answer is written down. Nothing is quarantined unless `--quarantine` asks for it.
#[derive(Debug, Args)]
#[command(
    help_template = help::COMMAND,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    before_long_help = "\
Examples:
  immune attribute --question 'Where do refunds go?' --wrong DE89370400440532013000
  immune attribute --question 'Where do refunds go?' --run run_7 --decision dec_3 \\
      --expected 'Refunds go to GB29NWBK60161331926819' --oracle model --max-calls 60
  immune attribute --question 'Where do refunds go?' \\
      --expected 'Refunds go to GB29NWBK60161331926819' --quarantine --from ledger
  immune attribute show att_1")]
pub(crate) struct Attribute {
    #[command(subcommand)]
    pub(crate) command: Option<AttributeCommand>,
    #[command(flatten)]
    pub(crate) answer: WrongAnswer,
}

/// What can be done with attributions.
#[derive(Debug, Subcommand)]
pub(crate) enum AttributeCommand {
    /// Every attribution
    List,
    /// One attribution, with every answer
    Show(ShowAttribution),
    /// Challenge what an attribution blames, with it as the evidence
    Quarantine(Box<QuarantineBlamed>),
}

/// An attribution.
#[derive(Debug, Args)]
pub(crate) struct ShowAttribution {
    /// Which attribution
    #[arg(value_name = "ATTRIBUTION")]
    pub(crate) attribution: Named<AttributionId>,
}

/// A challenge of what an attribution blames.
#[derive(Debug, Args)]
pub(crate) struct QuarantineBlamed {
    /// Which attribution
    #[arg(value_name = "ATTRIBUTION")]
    pub(crate) attribution: Named<AttributionId>,
    /// Who challenges: a handle, id or alias; a system of record refutes
    #[arg(long, value_name = "HANDLE", required = true)]
    pub(crate) from: String,
    /// The channel of the handle; needed if it is new or speaks in several
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: Option<String>,
    /// What is true instead [default: the expected value of the attribution]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) expected: Option<String>,
    /// What that is about [default: the subjects of what it contradicts]
    #[arg(long, value_name = "SUBJECT")]
    pub(crate) about: Option<String>,
    /// Take what an attribution blames that was cut short: it is the best so far
    #[arg(long)]
    pub(crate) incomplete: bool,
    /// Leave the compensations that it queues to `immune reversals run`
    #[arg(long)]
    pub(crate) no_reversals: bool,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// An answer that was wrong.
#[derive(Debug, Args)]
pub(crate) struct WrongAnswer {
    /// The question that was answered wrong
    #[arg(long, value_name = "TEXT", required = true, allow_hyphen_values = true)]
    pub(crate) question: Option<String>,
    /// The value that the wrong answer asserts
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) wrong: Option<String>,
    /// What is true: an answer that contradicts it is wrong
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) expected: Option<String>,
    /// What question and values are about, to compare them by
    #[arg(long, value_name = "SUBJECT", hide_short_help = true)]
    pub(crate) about: Option<String>,
    /// The run whose answer it was: what it was shown is looked at, read by read
    #[arg(long, value_name = "ID", conflicts_with = "candidates")]
    pub(crate) run: Option<String>,
    /// Only what the run was shown before this decision
    #[arg(long, value_name = "DECISION", requires = "run")]
    pub(crate) decision: Option<Named<DecisionId>>,
    /// The memories that it could be [default: what the question recalls now]
    #[arg(long, value_name = "ITEM", action = clap::ArgAction::Append, value_delimiter = ',', hide_short_help = true)]
    pub(crate) candidates: Vec<Named>,
    /// At most so many facts, and so many notes, of what the question recalls
    #[arg(
        long,
        value_name = "N",
        default_value_t = 50,
        hide_default_value = true,
        hide_short_help = true
    )]
    pub(crate) limit: usize,
    /// The part of the memory [default: the root]
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true,
        hide_short_help = true
    )]
    pub(crate) namespace: String,
    #[command(flatten)]
    pub(crate) again: AnsweredAgain,
    #[command(flatten)]
    pub(crate) bounds: AskingBounds,
    /// Challenge what is to blame, with the authority of `--from`
    #[arg(long, requires = "from")]
    pub(crate) quarantine: bool,
    /// Who challenges: a system of record refutes, anybody else opens a review
    #[arg(long, value_name = "HANDLE", requires = "quarantine")]
    pub(crate) from: Option<String>,
    /// The channel of the handle; needed if it is new or speaks in several
    #[arg(
        long,
        value_name = "NAME",
        requires = "quarantine",
        hide_short_help = true
    )]
    pub(crate) channel: Option<String>,
    /// Leave the compensations that it queues to `immune reversals run`
    #[arg(long, requires = "quarantine", hide_short_help = true)]
    pub(crate) no_reversals: bool,
}

/// Who answers.
#[derive(Debug, Clone, Args)]
pub(crate) struct Oracle {
    /// Who answers: `reader` (offline), the `model` of `IMMUNE_MODEL_URL`, or `cmd: COMMAND`
    /// [default: `reader`, or of a parole whoever answered then]
    #[arg(long, value_name = "WHO")]
    pub(crate) oracle: Option<String>,
}

/// An answer that is asked for again: of whom, who judges it, and whether what follows is written.
#[derive(Debug, Args)]
pub(crate) struct AnsweredAgain {
    #[command(flatten)]
    pub(crate) oracle: Oracle,
    /// A command that judges: 0 says that an answer is wrong, 1 that it is not
    #[arg(long, value_name = "cmd: COMMAND", hide_short_help = true)]
    pub(crate) judge: Option<String>,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// How often somebody is asked.
#[derive(Debug, Clone, Args)]
pub(crate) struct AskingBounds {
    /// Ask for so many answers at most, guards and replays included [default: 500]
    #[arg(long, value_name = "N")]
    pub(crate) max_calls: Option<usize>,
    /// Spend so much at most; needs the prices of the model
    #[arg(long, value_name = "SUM", hide_short_help = true)]
    pub(crate) max_cost: Option<String>,
    /// Ask each guard so often, to learn how often the answer changes [default: 1, 3 of a model]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) repeats: Option<usize>,
}

/// Test a quarantined belief again, and release it if nothing speaks against it now
///
/// It is held against what is on record and what leads, and the wrong answers in which it took part
/// are asked for again, of whoever answered then; a command is never run unless `--oracle` names it.
/// Every test is written down. Released, it stands again, and with it what was built on it; the reputation
/// that its sources lost stays lost. A belief that fell in a cascade is tested by what it rests on.
/// A refutation that was a mistake is undone with `immune reinstate`.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune parole bel_3
  immune parole bel_3 --oracle model --dry-run
  immune --as verifier:nora parole bel_3 --json")]
pub(crate) struct Parole {
    /// The belief
    #[arg(value_name = "BELIEF")]
    pub(crate) belief: Named<BeliefId>,
    #[command(flatten)]
    pub(crate) again: AnsweredAgain,
}

/// Attack a memory that is made for it, and grade how it heals
///
/// Each attack fools a fresh memory in RAM, is attributed, and what is to blame is quarantined: it
/// passes if the answer was wrong before and is right after, all poison is caught and nothing good
/// is touched. The grade is A from 95 of 100 on, B from 85, C from 70, D from 50, else F. The store
/// is not touched.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune redteam
  immune redteam --fail-under 95
  immune redteam --oracle model --json")]
pub(crate) struct Redteam {
    /// Exit with 1 if fewer of 100 attacks are healed
    #[arg(long, value_name = "PCT", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) fail_under: Option<u32>,
    #[command(flatten)]
    pub(crate) oracle: Oracle,
    #[command(flatten)]
    pub(crate) bounds: AskingBounds,
}
