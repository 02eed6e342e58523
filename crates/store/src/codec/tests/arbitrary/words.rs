//! Arbitrary ids, texts and words: what events are made of.

use immune_model::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

pub(super) fn number() -> impl Strategy<Value = u32> {
    prop_oneof![1..=30_u32, 1..=u32::MAX, Just(u32::MAX)]
}

macro_rules! ids {
    ($($name:ident $id:ident)*) => {$(
        pub(super) fn $name() -> impl Strategy<Value = $id> {
            number().prop_map($id::new)
        }
    )*};
}

ids! {
    channel ChannelId
    source SourceId
    observation ObservationId
    belief BeliefId
    justification JustificationId
    decision DecisionId
    action ActionId
    rule_id RuleId
    incident_id IncidentId
    review ReviewId
    task TaskId
    attribution AttributionId
    mesh_incident_id MeshIncidentId
    antibody_id AntibodyId
}

/// Long enough to stand nowhere by chance.
pub(super) fn text() -> impl Strategy<Value = Text> {
    "[ -~\n日é\u{200b}\u{202e}🦠]{12,60}x".prop_map(|text| Text::new(&text).unwrap())
}

pub(super) fn word() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z:@./%'\"日é -]{0,20}x", "x\\PC{0,20}", "[é]{200,250}"]
}

pub(super) fn subject() -> impl Strategy<Value = Subject> {
    let written = "([A-Za-z日é%'-]{1,9}/)?[a-zÉ_]{1,9}(\\.[a-z]{1,9}){0,3}";
    prop_oneof![written, "\\PC{1,20}"].prop_filter_map("a subject", |word| Subject::new(&word).ok())
}

pub(super) fn area() -> impl Strategy<Value = Area> {
    "\\*|[a-z]{1,9}(\\.[A-Z]{1,9}){0,2}(\\.\\*)?".prop_map(|word| Area::new(&word).unwrap())
}

pub(super) fn instant() -> impl Strategy<Value = Instant> {
    prop_oneof![
        any::<i64>(),
        1_700_000_000_000_000..2_000_000_000_000_000_i64
    ]
    .prop_filter_map("a date", Instant::from_micros)
}

pub(super) fn trust() -> impl Strategy<Value = Trust> {
    (0..=1000_u16).prop_map(|value| Trust::from_thousandths(value).unwrap())
}

pub(super) fn literal() -> impl Strategy<Value = Literal> {
    let kind = proptest::sample::select(&LiteralKind::ALL[..]);
    (kind, "[A-Z0-9日 ]{12,40}").prop_map(|(kind, value)| Literal::new(kind, &value))
}

pub(super) fn polarity() -> impl Strategy<Value = Polarity> {
    proptest::sample::select(vec![Polarity::Affirmed, Polarity::Denied, Polarity::Open])
}

pub(super) fn class() -> impl Strategy<Value = ActionClass> {
    proptest::sample::select(&ActionClass::ALL[..])
}

pub(super) fn premise() -> impl Strategy<Value = Premise> {
    prop_oneof![
        observation().prop_map(Premise::Observation),
        belief().prop_map(Premise::Belief)
    ]
}

pub(super) fn closing() -> impl Strategy<Value = Closing> {
    prop_oneof![
        justification().prop_map(|by| Closing::Superseded { by }),
        Just(Closing::Expired),
        Just(Closing::Forgotten)
    ]
}

pub(super) fn named_run() -> impl Strategy<Value = RunId> {
    word().prop_map(|word| RunId::new(&word).unwrap())
}

pub(super) fn run() -> impl Strategy<Value = Option<RunId>> {
    option::of(named_run())
}

pub(super) fn write() -> impl Strategy<Value = Write> {
    prop_oneof![
        observation().prop_map(Write::Observation),
        justification().prop_map(Write::Justification),
        decision().prop_map(Write::Decision),
    ]
}

pub(super) fn context_use() -> impl Strategy<Value = ContextUse> {
    let carrier = (justification(), belief()).prop_map(|(justification, belief)| Carrier {
        justification,
        belief,
    });
    prop_oneof![
        Just(ContextUse::Dropped),
        vec(carrier, 0..3).prop_map(ContextUse::Carried),
    ]
}

pub(super) fn namespace() -> impl Strategy<Value = Namespace> {
    prop_oneof![
        Just(Namespace::ROOT),
        word().prop_map(|word| Namespace::new(&word).unwrap())
    ]
}

pub(super) fn handle() -> impl Strategy<Value = Handle> {
    word().prop_map(|word| Handle::new(&word).unwrap())
}

pub(super) fn kind() -> impl Strategy<Value = Kind> {
    word().prop_map(|word| Kind::new(&word).unwrap())
}
