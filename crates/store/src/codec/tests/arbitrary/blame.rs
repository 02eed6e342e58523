//! Arbitrary attributions and paroles.

use immune_model::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::words::*;

pub(super) fn evidence_for() -> impl Strategy<Value = EvidenceFor> {
    prop_oneof![
        incident_id().prop_map(EvidenceFor::Incident),
        review().prop_map(EvidenceFor::Review),
    ]
}

pub(super) fn paroled() -> impl Strategy<Value = Event> {
    let by = (
        vec(incident_id(), 0..3),
        vec(attribution(), 0..3),
        any::<u32>(),
        option::of(text()),
    );
    (belief(), by).prop_map(
        |(belief, (incidents, retested, calls, oracle))| Event::Paroled {
            belief,
            incidents,
            retested,
            calls,
            oracle,
        },
    )
}

pub(super) fn parole_held() -> impl Strategy<Value = Event> {
    let hold = prop_oneof![
        belief().prop_map(ParoleHold::ByRecord),
        belief().prop_map(ParoleHold::ByLeading),
        attribution().prop_map(ParoleHold::WrongAgain),
        Just(ParoleHold::Unanswered),
    ];
    let by = (vec(attribution(), 0..3), any::<u32>());
    let words = (option::of(text()), option::of(text()));
    (belief(), hold, by, words).prop_map(|(belief, hold, (retested, calls), (oracle, said))| {
        Event::ParoleHeld {
            belief,
            hold,
            retested,
            calls,
            oracle,
            said,
        }
    })
}

pub(super) fn attributed() -> impl Strategy<Value = Event> {
    let candidate = (premise(), any::<u32>()).prop_map(|(item, turn)| Candidate { item, turn });
    let call = (
        vec(any::<u32>(), 0..3),
        any::<bool>(),
        option::of(any::<u32>()),
    )
        .prop_map(|(shown, fails, answer)| OracleCall {
            shown,
            fails,
            answer,
        });
    let certificate =
        (any::<[u32; 5]>(), trust(), trust()).prop_map(|(counts, confidence, flips)| {
            let [
                guard_calls,
                replays,
                replays_right,
                bound_thousandths,
                non_monotone,
            ] = counts;
            AttributionCertificate {
                guard_calls,
                replays,
                replays_right,
                bound_thousandths,
                confidence,
                flips,
                non_monotone,
            }
        });
    let asked = (attribution(), namespace(), run(), option::of(decision()));
    let found = (
        vec(candidate, 0..4),
        vec(call, 0..4),
        0..Outcome::ALL.len(),
        [(); 2].map(|()| vec(vec(any::<u32>(), 0..3), 0..3)),
        vec(any::<u32>(), 0..3),
        vec(any::<u32>(), 0..3),
        certificate,
    );
    let words = (
        text(),
        option::of(text()),
        option::of(text()),
        option::of(text()),
        text(),
        vec(text(), 0..3),
    );
    (asked, found, words).prop_map(|(asked, found, words)| {
        let (attribution, namespace, run, decision) = asked;
        let (candidates, calls, outcome, [causes, hidden], correction, fallen, certificate) = found;
        let (question, wrong, expected, judge, oracle, answers) = words;
        Event::Attributed(Attributed {
            attribution,
            namespace,
            run,
            decision,
            candidates,
            calls,
            outcome: Outcome::ALL[outcome],
            causes,
            hidden,
            correction,
            fallen,
            certificate,
            question,
            wrong,
            expected,
            judge,
            oracle,
            answers,
        })
    })
}
