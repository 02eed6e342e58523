//! Screening reports as lines: in short after a write, in full where they are what was asked for.

use immune_api::screen::{Believed, Message, Report, Statement, Verdicts};
use immune_engine::reason::State;
use immune_model::BeliefId;

use super::{Context, bound, show};
use crate::escape;
use crate::failure::Failure;
use crate::layout::wrapped;
use crate::printer::{BOLD, DIM, styled};

/// The claims of a report, each in short; the reason where it is not an ordinary one.
pub(crate) fn print_statements(
    context: &mut Context,
    state: &State,
    report: &Report,
) -> Result<(), Failure> {
    for statement in &report.statements {
        let verdict = show::outcome(statement.verdict);
        let (strength, belief) = (statement.strength, &statement.belief);
        let subject = escape::line(&statement.subject);
        context.printer.line(format!(
            "  {belief}  {verdict}, strength {strength}  {subject}"
        ))?;
        print_claim(context, state, statement)?;
        print_noteworthy(context, statement, 4)?;
    }
    if report.statements.is_empty() {
        context
            .printer
            .line("  no claim was found in it: kept as a note, counted as unscreened")?;
    }
    Ok(())
}

fn print_claim(context: &mut Context, state: &State, statement: &Statement) -> Result<(), Failure> {
    let claim = statement.belief.parse::<BeliefId>();
    let claim = claim.map(|it| show::claim(state, it)).unwrap_or_default();
    let width = context.printer.width();
    context.printer.line(wrapped(&claim, 4, width))?;
    Ok(())
}

/// What somebody should know of a claim: with what it disagrees, and why it is no ordinary one.
pub(crate) fn print_noteworthy(
    context: &mut Context,
    statement: &Statement,
    indent: usize,
) -> Result<(), Failure> {
    let pad = " ".repeat(indent);
    if !statement.conflicts.is_empty() {
        let conflicts = bound::words_by(&statement.conflicts, |it| {
            format!("{} ({})", it.belief, it.decided_by)
        });
        context
            .printer
            .line(format!("{pad}disagrees with {conflicts}"))?;
    }
    let has_replaced = statement.verdict == "contested" && !statement.replaced.is_empty();
    if has_replaced || matches!(statement.verdict, "inert" | "blocked" | "superseded") {
        let width = context.printer.width();
        let reason = wrapped(&statement.reason, indent, width);
        context.printer.line(styled(DIM, reason))?;
    }
    Ok(())
}

/// All of a report.
pub(crate) fn print_report(
    context: &mut Context,
    state: &State,
    report: &Report,
) -> Result<(), Failure> {
    let width = context.printer.width();
    let verdict = show::outcome(report.verdict);
    let source = show::source(&report.source);
    let printer = &mut context.printer;
    printer.line(format!("{verdict}  from {source}"))?;
    printer.line(wrapped(&escape::line(&report.reason), 2, width))?;
    let principal = escape::line(&report.principal);
    let screening = report.screening;
    let line = format!("handed in by {principal}, claims found by: {screening}");
    printer.line(styled(DIM, wrapped(&line, 2, width)))?;
    let trusted = believed(&report.trusted);
    printer.line(wrapped(&format!("trusted {trusted}"), 2, width))?;
    for statement in &report.statements {
        let verdict = show::outcome(statement.verdict);
        let (belief, subject) = (&statement.belief, escape::line(&statement.subject));
        context
            .printer
            .line(format!("  {belief}  {verdict}  {subject}"))?;
        print_claim(context, state, statement)?;
        print_parts(context, statement)?;
    }
    Ok(())
}

fn print_parts(context: &mut Context, statement: &Statement) -> Result<(), Failure> {
    let width = context.printer.width();
    let affirms = match statement.polarity {
        '+' => "affirms",
        '-' => "denies",
        _ => "says neither",
    };
    let literals = bound::words_by(&statement.literals, |it| {
        format!("{} {}", it.kind, escape::line(&it.value))
    });
    let literals = match literals.as_str() {
        "" => String::new(),
        literals => format!(": {literals}"),
    };
    let trusted = believed(&statement.trusted);
    let lines = [
        format!("{affirms}{literals}"),
        format!("trusted {trusted}; the belief has {}", statement.strength),
        statement.reason.clone(),
    ];
    for line in lines {
        let line = wrapped(&line, 4, width);
        context.printer.line(styled(DIM, line))?;
    }
    if !statement.conflicts.is_empty() {
        let conflicts = bound::words_by(&statement.conflicts, |it| {
            format!("{} by {}", it.belief, it.decided_by)
        });
        context
            .printer
            .line(format!("    disagrees with {conflicts}"))?;
    }
    Ok(())
}

/// A strength with the term that decided it, and the others.
pub(crate) fn believed(believed: &Believed) -> String {
    let named = |term: &immune_api::screen::TermValue| match &term.of {
        Some(of) => format!("{} of {}", term.term, escape::line(of)),
        None => term.term.to_owned(),
    };
    let is_deciding = |it: &&immune_api::screen::TermValue| it.term == believed.decided_by;
    let deciding = believed.terms.iter().find(is_deciding);
    let by = deciding.map_or_else(|| believed.decided_by.to_owned(), named);
    let others = believed.terms.iter().filter(|it| !is_deciding(it));
    let others: Vec<String> = others
        .map(|it| format!("{} {}", named(it), it.trust))
        .collect();
    match others.as_slice() {
        [] => format!("{} by its {by}", believed.trust),
        others => format!("{} by its {by} ({})", believed.trust, bound::words(others)),
    }
}

/// How many there are of each verdict, on one line.
pub(crate) fn print_verdicts(context: &mut Context, verdicts: &Verdicts) -> Result<(), Failure> {
    let counts = [
        ("stored", verdicts.stored),
        ("reinforced", verdicts.reinforced),
        ("restated", verdicts.restated),
        ("contested", verdicts.contested),
        ("superseded", verdicts.superseded),
        ("inert", verdicts.inert),
        ("blocked", verdicts.blocked),
        ("unscreened", verdicts.unscreened),
    ];
    let counts = counts.iter().filter(|(_, n)| *n > 0);
    let counts: Vec<String> = counts
        .map(|(verdict, n)| format!("{n} {verdict}"))
        .collect();
    if !counts.is_empty() {
        let counts = counts.join(", ");
        context.printer.line(format!("verdicts: {counts}"))?;
    }
    Ok(())
}

/// The reports of messages, a line and the claims that matter of each.
pub(crate) fn print_messages(
    context: &mut Context,
    state: &State,
    messages: &[Message],
) -> Result<(), Failure> {
    for message in bound::shown(messages) {
        let position = styled(BOLD, escape::line(&message.position));
        let (observation, report) = (&message.observation, &message.report);
        let (verdict, source) = (show::outcome(report.verdict), show::source(&report.source));
        context.printer.line(format!(
            "{position}  {observation}  {verdict}  from {source}"
        ))?;
        print_statements(context, state, report)?;
    }
    bound::say_more(context, 0, bound::left(messages))
}
