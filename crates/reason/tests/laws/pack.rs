//! A state that was packed and unpacked is the one that was folded: whatever is asked of it, and
//! whatever is planned and folded on it afterwards.

use std::fmt::Write as _;

use immune_model::{BeliefId, Item, Premise};
use immune_reason::State;
use immune_reason::pack::Bytes;
use immune_reason::state::VERSION;
use immune_testkit::history::{History, steps};
use proptest::prelude::*;

use super::cases;

fn packed(state: &State) -> Vec<u8> {
    let mut bytes = Vec::new();
    state.pack(&mut bytes).unwrap();
    bytes
}

fn again(state: &State) -> State {
    State::unpack(&Bytes::new(packed(state))).unwrap()
}

/// All that can be asked of a state, in words.
fn shown(state: &State) -> String {
    let mut shown = format!("{:?} {:?} {:?}", state.name(), state.seq(), state.at());
    for id in state.channel_ids() {
        let channel = state.channel(id).unwrap();
        let found = state.find_channel(&channel.name);
        write!(shown, "\n{channel:?} {found:?}").unwrap();
    }
    for id in state.source_ids() {
        let source = state.source(id).unwrap();
        let found = state.find_source(source.channel, &source.handle);
        let said: Vec<_> = state.observations_of(id).collect();
        let derived: Vec<_> = state.derivations_of(id).collect();
        let reputation = state.reputation(id, immune_reason::Scope::Overall);
        let flags = state.flags_of(immune_model::FlagTarget::Source(id));
        write!(
            shown,
            "\n{source:?} {found:?} {said:?} {derived:?} {reputation:?} {flags:?}"
        )
        .unwrap();
    }
    for id in state.observation_ids() {
        let status = state.observation_status(id);
        let on: Vec<_> = state.dependents_of(Premise::Observation(id)).collect();
        write!(shown, "\n{:?} {status:?} {on:?}", state.observation(id)).unwrap();
    }
    for id in state.belief_ids() {
        about_belief(state, id, &mut shown);
    }
    for id in state.justification_ids() {
        let (holds, closing) = (state.holds(id), state.closing_of(id));
        let confidence = state.confidence_of(id);
        write!(
            shown,
            "\n{:?} {holds} {closing:?} {confidence:?}",
            state.justification(id)
        )
        .unwrap();
    }
    for id in state.decision_ids() {
        write!(
            shown,
            "\n{:?} {:?}",
            state.decision(id),
            state.decision_status(id)
        )
        .unwrap();
    }
    write!(shown, "\n{:?}", state.half_lives()).unwrap();
    let actions: Vec<_> = state.action_ids().map(|id| state.action(id)).collect();
    let rules: Vec<_> = state.rule_ids().map(|id| state.rule(id)).collect();
    let incidents: Vec<_> = state.incident_ids().map(|id| state.incident(id)).collect();
    let reviews: Vec<_> = state.review_ids().map(|id| state.review(id)).collect();
    let tasks: Vec<_> = state.task_ids().map(|id| state.task(id)).collect();
    let attributions = state.attribution_ids().map(|id| state.attribution(id));
    let attributions: Vec<_> = attributions.collect();
    let pending: Vec<_> = state.reversals_pending().collect();
    let incidents_of_mesh = state.mesh_incident_ids().map(|it| state.mesh_incident(it));
    let incidents_of_mesh: Vec<_> = incidents_of_mesh.collect();
    let antibodies: Vec<_> = state.antibody_ids().map(|it| state.antibody(it)).collect();
    let quarantined: Vec<_> = state.mesh_quarantined().collect();
    let mut blocked: Vec<_> = state.mesh_blocked().collect();
    blocked.sort_unstable();
    let seq = state.mesh_seq();
    write!(
        shown,
        "\n{incidents_of_mesh:?}\n{antibodies:?}\n{quarantined:?}\n{blocked:?}\n{seq}"
    )
    .unwrap();
    write!(
        shown,
        "\n{actions:?}\n{rules:?}\n{incidents:?}\n{reviews:?}\n{tasks:?}\n{attributions:?}\n{pending:?}"
    )
    .unwrap();
    shown
}

fn about_belief(state: &State, id: BeliefId, shown: &mut String) {
    let belief = state.belief(id).unwrap();
    let (now, refuted) = (state.belief_now(id), state.refutations_of(id));
    let about: Vec<_> = state
        .beliefs_about(&belief.namespace, &belief.subject)
        .collect();
    let by: Vec<_> = state.written_for(id).collect();
    let on: Vec<_> = state.dependents_of(Premise::Belief(id)).collect();
    let used: Vec<_> = state.decisions_on(id).collect();
    let known = state
        .subjects(&belief.namespace)
        .any(|it| *it == belief.subject);
    let alias = state.alias_of(Item::Belief(id));
    let weight = state.weight_of(id, state.at());
    write!(
        shown,
        "\n{belief:?} {now:?} {refuted:?} {about:?} {by:?} {on:?} {used:?} {known} {alias:?} {weight:?}"
    )
    .unwrap();
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_state_that_was_packed_goes_on_like_one_that_was_not(
        script in steps(40),
        packs in prop::collection::vec(prop::bool::weighted(0.2), 40),
    ) {
        let (mut folded, mut unpacked) = (History::new(), History::new());
        for (step, pack) in script.iter().zip(packs) {
            folded.state.take_changes();
            unpacked.state.take_changes();
            if pack {
                unpacked.state = again(&unpacked.state);
            }
            folded.take(step);
            unpacked.take(step);
            prop_assert_eq!(&folded.log, &unpacked.log, "the plans are the same");
            let changes = [&mut folded, &mut unpacked].map(|it| it.state.take_changes());
            let [of_folded, of_unpacked] = changes.map(|it| format!("{it:?}"));
            prop_assert_eq!(of_folded, of_unpacked);
        }
        prop_assert_eq!(shown(&folded.state), shown(&unpacked.state));
        prop_assert!(packed(&folded.state) == packed(&unpacked.state), "the bytes are the same");
    }

    #[test]
    fn bytes_that_are_no_state_are_none(script in steps(10), cut in any::<prop::sample::Index>()) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let bytes = packed(&history.state);
        let cut = cut.index(bytes.len());
        prop_assert!(State::unpack(&Bytes::new(bytes[..cut].to_vec())).is_none());
    }
}

/// The bytes of one history, for ever: whoever changes what they say gives the change a number.
#[test]
fn a_version_has_one_form() {
    use immune_testkit::history::{FlagOf, Step};
    let mut history = History::new();
    let remember = |source, value| Step::Remember {
        source,
        subject: 1,
        value,
        ttl: value == 2,
    };
    let derive = Step::Derive {
        premises: vec![0, 1],
        subject: 2,
        value: 1,
    };
    let flag = Step::Flag {
        of: FlagOf::Source,
        pick: 3,
    };
    let act = Step::Act { beliefs: vec![1] };
    for step in [
        remember(0, 1),
        remember(1, 2),
        remember(0, 0),
        derive,
        act,
        flag,
        Step::Parole { beliefs: vec![1] },
        Step::Mesh { what: 0, pick: 0 },
        Step::Mesh { what: 2, pick: 0 },
        Step::Wait,
    ] {
        history.take(&step);
    }
    let digest = blake3::hash(&packed(&history.state)).to_hex();
    assert_eq!(
        (VERSION, &digest[..16]),
        (6, "ac967f17c6c8b4ca"),
        "a state has other bytes than before: give `state::VERSION` the next number"
    );
}
