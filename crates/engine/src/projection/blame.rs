//! The rows of attributions: how each ended, and whom it blames.

use immune_model::{AttributionId, DecisionId, Item, Premise, RunId};
use immune_reason::state::State;
use immune_store::{Cell, Row, Table};

use super::{KNOWN, text};

/// How an attribution ended, and what it took.
pub(super) fn attribution(state: &State, id: AttributionId) -> Row {
    let found = state.attribution(id).expect(KNOWN);
    let what = &found.what;
    let certificate = &what.certificate;
    let count = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
    let by = found.by.as_ref();
    let by = by.map(|it| format!("{}:{}", it.role.name(), it.name));
    let evidence_for = found.evidence_for.iter().copied().map(Item::from);
    let evidence_for: Vec<String> = evidence_for.map(|it| it.to_string()).collect();
    let evidence_for = (!evidence_for.is_empty()).then(|| evidence_for.join(" "));
    let cells = vec![
        id.number().into(),
        i64::try_from(found.seq)
            .expect("positions fit in 63 bits")
            .into(),
        found.at.micros().into(),
        by.as_deref().into(),
        what.namespace.as_str().into(),
        what.run.as_ref().map(RunId::as_str).into(),
        what.decision.map(DecisionId::number).into(),
        what.outcome.name().into(),
        what.question.as_str().into(),
        text(what.wrong.as_ref()),
        text(what.expected.as_ref()),
        text(what.judge.as_ref()),
        what.oracle.as_str().into(),
        count(what.candidates.len()).into(),
        count(what.calls.len()).into(),
        certificate.guard_calls.into(),
        certificate.replays.into(),
        certificate.replays_right.into(),
        certificate.bound_thousandths.into(),
        i64::from(certificate.confidence.thousandths()).into(),
        i64::from(certificate.flips.thousandths()).into(),
        evidence_for.as_deref().into(),
    ];
    Row::new(Table::Attribution, cells)
}

/// Whom an attribution blames: cause by cause, then what to quarantine and what falls with it.
pub(super) fn blamed(state: &State, id: AttributionId) -> Vec<Row> {
    let found = state.attribution(id).expect(KNOWN);
    let what = &found.what;
    let causes = (1_u32..).zip(&what.causes);
    let hidden = (1_u32..).zip(&what.hidden);
    let parts = causes
        .map(|(number, it)| ("cause", Some(number), it))
        .chain(hidden.map(|(number, it)| ("hidden", Some(number), it)))
        .chain([
            ("correction", None, &what.correction),
            ("fallen", None, &what.fallen),
        ]);
    let members = parts.flat_map(|(part, number, members)| {
        found
            .candidates(members)
            .map(move |candidate| (part, number, candidate))
    });
    let row = |(position, (part, number, candidate)): (u32, _)| {
        let candidate: immune_model::Candidate = candidate;
        let (kind, item) = match candidate.item {
            Premise::Observation(it) => ("observation", it.number()),
            Premise::Belief(it) => ("belief", it.number()),
        };
        let number: Option<u32> = number;
        let cells = vec![
            id.number().into(),
            position.into(),
            Cell::from(part),
            number.into(),
            kind.into(),
            item.into(),
            candidate.turn.into(),
        ];
        Row::new(Table::Blamed, cells)
    };
    (0_u32..).zip(members).map(row).collect()
}
