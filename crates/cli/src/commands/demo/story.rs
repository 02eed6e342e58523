//! The five acts: an honest branch, a lie, what the agent builds on it, what it costs, and the
//! response. Every line says what the engine answered.

use immune_engine::reason::Draft;
use immune_engine::reason::plan::GuardVerdict;
use immune_model::{BeliefId, Carriage, Status, Trust, UnknownPolicy, WaiverBar};

use super::Told;
use super::assertions::{self, Noted};
use super::stage::{Stage, guard_command};
use super::tree::{self, Glyphs};

const LIAR: &str = "billing@refunds-desk.example";
const HONEST: &str = "ops@acme.example";
const DESTINATION: &str = "refund.destination";
const LIE: &str = "Refunds go to GB29 NWBK 6016 1331 9268 19";
const TRUTH: &str = "Refunds go to DE89 3704 0044 0532 0130 00";
const SKIP: &str = "refund.skip_destination_check";
const PAYOUT: &str = "GBP 4200.00 to GB29NWBK60161331926819";

/// What the agent believes and did, before anything is refuted.
struct Before {
    lie: BeliefId,
    built: Vec<BeliefId>,
    clean: Vec<BeliefId>,
    dispatch: immune_model::ActionId,
}

pub(super) fn tell(stage: &Stage, unicode: bool) -> anyhow::Result<Told> {
    let glyphs = Glyphs { unicode };
    let mut page = Page { lines: Vec::new() };
    set_up(stage, &mut page)?;
    let before = build(stage, &mut page)?;
    let payout = pay(stage, &mut page, &before)?;
    page.head("BEFORE");
    page.lines
        .extend(tree::draw(stage.memory.snapshot()?.state(), glyphs));
    let recalled_before = recalled(stage)?;
    let truth = refute(stage, &mut page, &before)?;
    page.head("AFTER");
    page.lines
        .extend(tree::draw(stage.memory.snapshot()?.state(), glyphs));
    let recalled_after = recalled(stage)?;
    let reputation = stage.reputation("inbox", LIAR)?;
    let second_is_inert = try_again(stage, &mut page)?;
    let posted = (
        stage.ledger.count(payout, "payout")?,
        stage.ledger.count(payout, "reversal")?,
    );
    page.head("The ledger file");
    page.lines.extend(stage.ledger.entries()?);
    let verified = stage.memory.verify(&mut |_| {})?;
    let noted = Noted {
        lie: before.lie,
        truth,
        clean: before.clean,
        payout,
        dispatch: before.dispatch,
        recalled_before,
        recalled_after,
        reputation,
        posted,
        second_is_inert,
        verified: verified.is_sound(),
    };
    let assertions = assertions::check(stage.memory.snapshot()?.state(), &noted);
    page.head("What was claimed, and whether it holds");
    for assertion in &assertions {
        let word = if assertion.holds { "holds" } else { "FAILS" };
        page.say(format!("{word}  {}", assertion.name));
    }
    Ok(Told {
        lines: page.lines,
        assertions,
    })
}

struct Page {
    lines: Vec<String>,
}

impl Page {
    fn head(&mut self, title: &str) {
        if !self.lines.is_empty() {
            self.lines.push(String::new());
        }
        self.lines.push(title.to_owned());
    }

    fn say(&mut self, line: impl Into<String>) {
        self.lines.push(format!("  {}", line.into()));
    }
}

fn recalled(stage: &Stage) -> anyhow::Result<Vec<BeliefId>> {
    Ok(stage
        .recall(DESTINATION)?
        .facts
        .iter()
        .map(|it| it.belief)
        .collect())
}

fn set_up(stage: &Stage, page: &mut Page) -> anyhow::Result<()> {
    page.head("Before the curtain: what the operator set up");
    stage.channel("inbox", "0.7", Carriage::Relays)?;
    page.say("channel inbox     tier 0.70  mail from anybody");
    stage.channel("books", "0.98", Carriage::Authored)?;
    stage.record("books", "ledger", "refund.*")?;
    page.say("channel books     tier 0.98  ledger is the system of record for refund.*");
    stage.rule("parcel.dispatch", UnknownPolicy::Warn, None)?;
    stage.rule(
        "refund.payout",
        UnknownPolicy::Block,
        Some((SKIP, WaiverBar::Record)),
    )?;
    page.say("rule refund.payout           asks the ledger first; unknown means no");
    Ok(())
}

fn build(stage: &Stage, page: &mut Page) -> anyhow::Result<Before> {
    page.head("Act 1: an honest branch");
    let first =
        |it: &immune_engine::reason::plan::Remembered| it.statements.first().map(|it| it.belief);
    let stated = |name, about, claim| {
        let remembered = stage.remember(name, about, claim)?;
        first(&remembered).ok_or_else(|| anyhow::anyhow!("the claim about {about} was not kept"))
    };
    let address = stated(
        HONEST,
        "delivery.address",
        "Deliveries go to 118 Mission Rock",
    )?;
    let lane = stage.derive(address, "delivery.lane", "Use the west-coast carrier lane")?;
    let window = stated(HONEST, "delivery.window", "Deliveries arrive before noon")?;
    page.say(format!(
        "{HONEST} writes; support-bot concludes a carrier lane ({address}, {lane}, {window})"
    ));
    let command = guard_command(
        "parcel.dispatch",
        "one parcel to 118 Mission Rock",
        Some(&[lane]),
    )?;
    let (dispatched, status) = stage.act("dispatch", command)?;
    page.say(format!(
        "parcel.dispatch is {} ({})",
        status.name(),
        dispatched.action
    ));

    page.head("Act 2: the lie");
    let lie = stated(LIAR, DESTINATION, LIE)?;
    page.say(format!("{LIAR} writes: {LIE}"));
    page.say(format!(
        "nothing fails: {lie} is active at {}",
        strength(stage, lie)?
    ));

    page.head("Act 3: the agent builds on it");
    let verified = stage.derive(
        lie,
        "refund.verified",
        "The destination is already verified",
    )?;
    let skip = stage.derive(verified, SKIP, "The destination check may be skipped")?;
    let auto = stage.derive(
        lie,
        "refund.approval",
        "Refunds may be approved automatically",
    )?;
    for belief in [verified, skip, auto] {
        page.say(format!(
            "{belief} at {}: no stronger than what it rests on",
            strength(stage, belief)?
        ));
    }
    Ok(Before {
        lie,
        built: vec![verified, skip, auto],
        clean: vec![address, lane, window],
        dispatch: dispatched.action,
    })
}

fn strength(stage: &Stage, belief: BeliefId) -> anyhow::Result<Trust> {
    let now = stage.memory.snapshot()?.state().belief_now(belief);
    Ok(now.map_or(Trust::ZERO, |it| it.strength))
}

fn pay(stage: &Stage, page: &mut Page, before: &Before) -> anyhow::Result<immune_model::ActionId> {
    page.head("Act 4: the payout goes through");
    let command = guard_command("refund.payout", PAYOUT, None)?;
    // What the default bar says, planned on a copy of the state and written nowhere.
    let snapshot = stage.memory.snapshot()?;
    let now = snapshot
        .state()
        .at()
        .ok_or_else(|| anyhow::anyhow!("the memory is empty"))?;
    let mut draft = Draft::new(
        snapshot.state().clone(),
        stage.agent.principal().clone(),
        now,
    );
    let refused = draft.guard(&command)?;
    page.say(format!(
        "by the default bar the payout is refused: {}",
        refused.reasons.join("; ")
    ));
    page.say("a belief may waive the check only if a system of record states it");
    let bar = WaiverBar::Strength(Trust::FLOOR);
    stage.rule("refund.payout", UnknownPolicy::Block, Some((SKIP, bar)))?;
    page.say(format!(
        "this demo's operator lowers that bar to strength {}",
        Trust::FLOOR
    ));
    let (paid, status) = stage.act("payout", command)?;
    let waivers: Vec<String> = paid.waivers.iter().map(ToString::to_string).collect();
    page.say(format!(
        "refund.payout of {PAYOUT} is {} ({})",
        status.name(),
        paid.action
    ));
    page.say(format!(
        "it relied on {} (the account in the payload); {} waived the check",
        before.lie,
        waivers.join(", ")
    ));
    anyhow::ensure!(
        refused.verdict == GuardVerdict::Refused,
        "the default bar let the payout pass"
    );
    Ok(paid.action)
}

fn refute(stage: &Stage, page: &mut Page, before: &Before) -> anyhow::Result<BeliefId> {
    page.head("Act 5: the ledger disagrees");
    let trust_before = stage.reputation("inbox", LIAR)?;
    let challenged = stage.challenge(DESTINATION, TRUTH)?;
    page.say(format!("ledger says: {TRUTH}"));
    let (incident, record) = challenged
        .incident
        .ok_or_else(|| anyhow::anyhow!("the record refuted nothing"))?;
    let list = |ids: &[BeliefId]| {
        ids.iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    };
    page.say(format!(
        "{incident}: {} is quarantined, {} are revoked",
        list(record.refuted()),
        list(&record.revoked)
    ));
    let trust_after = stage.reputation("inbox", LIAR)?;
    page.say(format!("trust of {LIAR}: {trust_before} to {trust_after}"));
    for reversed in stage.reverse()? {
        page.say(format!(
            "{} is {}: its compensation ran",
            reversed.action,
            reversed.status.name()
        ));
    }
    let again = stage.challenge(DESTINATION, TRUTH)?;
    let same = again.incident.map(|(id, _)| id) == Some(incident);
    page.say(format!(
        "the same challenge again changes nothing: {}",
        if same {
            "still one incident"
        } else {
            "a second incident"
        }
    ));
    let recalled = stage.recall(DESTINATION)?;
    for fact in &recalled.facts {
        page.say(format!(
            "recall now answers: {} ({}, {})",
            fact.text,
            fact.belief,
            fact.label.text()
        ));
    }
    for excluded in &recalled.excluded {
        page.say(format!(
            "recall leaves out:  {} ({})",
            excluded.item,
            excluded.reason.text()
        ));
    }
    let healed = stage.memory.snapshot()?;
    let revoked = |it: &BeliefId| {
        healed
            .state()
            .belief_now(*it)
            .is_some_and(|it| it.status == Status::Revoked)
    };
    anyhow::ensure!(
        before.built.iter().all(revoked),
        "a conclusion from the lie still stands"
    );
    Ok(challenged.claimed)
}

/// The same sender with another account: stored, and out of sight.
fn try_again(stage: &Stage, page: &mut Page) -> anyhow::Result<bool> {
    page.head("Once more, with another account");
    let claim = "Refunds go to FR14 2004 1010 0505 0001 3M02 606";
    let remembered = stage.remember(LIAR, DESTINATION, claim)?;
    let mut inert = true;
    for statement in &remembered.statements {
        page.say(format!(
            "{} is stored, {}: strength {}",
            statement.belief,
            statement.outcome.name(),
            statement.strength
        ));
        let recalled = stage.recall(DESTINATION)?;
        inert &= recalled
            .facts
            .iter()
            .all(|it| it.belief != statement.belief);
        let excluded = recalled
            .excluded
            .iter()
            .find(|it| it.item == statement.belief.into());
        page.say(format!(
            "recall: {}",
            excluded.map_or("shows it".to_owned(), |it| it.reason.text())
        ));
    }
    let payload = "GBP 4200.00 to FR1420041010050500013M02606";
    let (guarded, status) = stage.act("payout", guard_command("refund.payout", payload, None)?)?;
    page.say(format!(
        "refund.payout is {}: {}",
        status.name(),
        guarded.reasons.join("; ")
    ));
    Ok(inert && guarded.verdict == GuardVerdict::Refused)
}
