//! The laws of the network on random ones: labels and levels are the least fixpoints, supports are
//! well-founded, and it does not matter where dependents lie.

use proptest::prelude::*;

use super::*;

/// One change to a network.
#[derive(Debug, Clone)]
enum Change {
    Believe,
    Justify {
        head: u8,
        premises: Vec<u8>,
        cap: u8,
    },
    Facts {
        justification: u8,
        cap: u8,
    },
    Refute {
        belief: u8,
    },
    LayOut,
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let cap = || prop_oneof![4 => 0..4u8, 1 => 4..8u8];
    let change = prop_oneof![
        2 => Just(Change::Believe),
        6 => (any::<u8>(), prop::collection::vec(any::<u8>(), 0..3), cap())
            .prop_map(|(head, premises, cap)| Change::Justify { head, premises, cap }),
        5 => (any::<u8>(), cap())
            .prop_map(|(justification, cap)| Change::Facts { justification, cap }),
        2 => any::<u8>().prop_map(|belief| Change::Refute { belief }),
        1 => Just(Change::LayOut),
    ];
    prop::collection::vec(change, 1..60)
}

/// Few different caps, so that equal labels meet; closed, flagged and undone among them.
fn facts(cap: u8) -> Facts {
    let value = |it: u16| Trust::from_thousandths(it * 300);
    Facts {
        cap: (cap % 8 < 4).then(|| value(u16::from(cap % 4))).flatten(),
        open: cap % 8 < 6,
        written: cap % 8 < 7,
    }
}

fn at<I: Slot>(number: u8, len: usize) -> Option<I> {
    (len > 0).then(|| I::at(usize::from(number) % len))
}

/// Takes one change, and the update that follows.
fn take(network: &mut Network, change: &Change) {
    let (n_beliefs, n_grounds) = (network.nodes.len(), network.grounds.len());
    let mut seeds = Seeds::default();
    match change {
        Change::Believe => network.push_belief(),
        Change::LayOut => network.lay_out_now(),
        Change::Justify {
            head,
            premises,
            cap,
        } => {
            let Some(head) = at(*head, n_beliefs) else {
                return;
            };
            let mut premises: Vec<BeliefId> = premises
                .iter()
                .filter_map(|it| at(*it, n_beliefs))
                .collect();
            premises.sort_unstable();
            premises.dedup();
            network.push_justification(head, &premises);
            let id = JustificationId::from_index(n_grounds);
            network.set_facts(id, facts(*cap), &mut seeds);
        }
        Change::Facts { justification, cap } => {
            if let Some(id) = at(*justification, n_grounds) {
                network.set_facts(id, facts(*cap), &mut seeds);
            }
        }
        Change::Refute { belief } => {
            if let Some(id) = at(*belief, n_beliefs) {
                network.set_refuted(id, !network.get(id).is_refuted(), &mut seeds);
            }
        }
    }
    network.update(&seeds);
}

/// The least fixpoint of max over min, grown from nothing.
fn naive(network: &Network, cap: impl Fn(&Allowed) -> Label, refuted_stands: bool) -> Vec<Label> {
    let mut labels = vec![Label::OUT; network.nodes.len()];
    loop {
        let mut grew = false;
        for id in (0..network.grounds.len()).map(JustificationId::from_index) {
            let head = network.head_of(id);
            if network.get(head).is_refuted() && !refuted_stands {
                continue;
            }
            let premises = network.premises_of(id).iter();
            let of = |it: &BeliefId| labels.get(it.index()).copied().unwrap_or_default();
            let value = premises
                .map(of)
                .fold(cap(network.allowed.get(id)), Label::min);
            if let Some(slot) = labels.get_mut(head.index())
                && value > *slot
            {
                *slot = value;
                grew = true;
            }
        }
        if !grew {
            return labels;
        }
    }
}

fn check(network: &Network) {
    let whole = |on: bool| if on { Label(1) } else { Label::OUT };
    let labels = naive(network, |it| it.cap, false);
    let open = naive(network, |it| whole(it.is(Allowed::OPEN)), false);
    let ever = naive(network, |it| whole(it.is(Allowed::WRITTEN)), true);
    for (index, ((label, open), ever)) in labels.into_iter().zip(open).zip(ever).enumerate() {
        let belief = BeliefId::from_index(index);
        let node = network.get(belief);
        assert_eq!(node.label, label, "{belief}");
        let levels = Levels {
            ever: ever.is_in(),
            open: open.is_in(),
            in_now: label.is_in(),
        };
        assert_eq!(node.levels(), levels, "{belief}");
        assert_eq!(node.support.is_some(), label.is_in(), "{belief}");
        if let Some(support) = node.support {
            assert_eq!(network.value(support), label, "{belief}");
            for premise in network.premises_of(support) {
                assert!(
                    network.get(*premise).rank < node.rank,
                    "{belief} on {premise}"
                );
            }
        }
        let working = Node::PENDING | Node::TOUCHED | Node::WAITING;
        assert!(!node.is(working), "{belief}");
        let several = network.justifications_of(belief).count() > 1;
        assert_eq!(node.is(Node::SEVERAL), several, "{belief}");
        let mut dependents: Vec<_> = network.dependents_of(belief).collect();
        dependents.sort_unstable();
        let all = (0..network.grounds.len()).map(JustificationId::from_index);
        let having = all.filter(|it| network.premises_of(*it).contains(&belief));
        assert_eq!(dependents, having.collect::<Vec<_>>(), "{belief}");
        for it in network.dependents(belief) {
            assert_eq!(it.head, network.head_of(it.justification), "{belief}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn every_update_gives_the_least_fixpoints(changes in changes()) {
        let mut network = Network::default();
        for change in &changes {
            take(&mut network, change);
            check(&network);
        }
    }
}

/// A support that gets longer raises what it supports: here, a belief is believed more strongly
/// by a longer way, and what rests on it keeps its label.
#[test]
fn a_longer_support_raises_what_it_supports() {
    let justify = |head, premises: &[u8], cap| Change::Justify {
        head,
        premises: premises.to_vec(),
        cap,
    };
    let mut network = Network::default();
    let changes = [
        Change::Believe,
        Change::Believe,
        Change::Believe,
        Change::Believe,
        justify(0, &[], 1),
        justify(1, &[0], 1),
        justify(2, &[], 3),
        justify(3, &[2], 3),
        justify(0, &[3], 3),
    ];
    for change in &changes {
        take(&mut network, change);
        check(&network);
    }
}
