//! What a mesh learned as bytes, and back: what is usual, who carried what, what was said lately.
//!
//! The facts are not among it: those are the log's. Whoever keeps the bytes checks that they are
//! those that were written, by this [`VERSION`](crate::VERSION); bytes that are none change nothing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use immune_model::Instant;
use immune_model::limits::{MESH_BASELINE_SCORES_MAX, MESH_PRINT_AGENTS_MAX};
use minicbor::{Decoder, Encode, Encoder};

use crate::baseline::Baseline;
use crate::common::Common;
use crate::mesh::{Lately, Mesh};
use crate::spread::Spread;
use crate::usual::Usual;

/// The most that a score, its centre or its spread are, in letters.
const SCORE_MOST: u16 = 2_000;
/// The most letters that one output took, so that a few of them are added up.
const LETTERS_MOST: u32 = u32::MAX / 16;

/// What is kept, in this order; what is new goes to the end, with another [`VERSION`](crate::VERSION).
type Learned = (
    BTreeMap<String, Baseline>,
    Baseline,
    usize,
    usize,
    Common,
    Spread,
    BTreeMap<String, VecDeque<Lately>>,
    VecDeque<Usual>,
    BTreeMap<u32, BTreeSet<String>>,
    BTreeSet<u64>,
);

impl Mesh {
    /// What was learned, as bytes.
    pub fn learned(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let learned = (
            &self.baselines,
            &self.of_all,
            self.calls,
            self.cited,
            &self.common,
            &self.spread,
            &self.lately,
            &self.usual,
            &self.seen,
            &self.told,
        );
        minicbor::encode(learned, &mut out).expect("a vector takes every byte");
        out
    }

    /// Takes up what was learned before; whether these bytes are that.
    pub fn learn_again(&mut self, bytes: &[u8]) -> bool {
        let mut input = Decoder::new(bytes);
        let Ok(learned) = input.decode::<Learned>() else {
            return false;
        };
        if input.position() != bytes.len() || !is_sound(&learned) {
            return false;
        }
        (
            self.baselines,
            self.of_all,
            self.calls,
            self.cited,
            self.common,
            self.spread,
            self.lately,
            self.usual,
            self.seen,
            self.told,
        ) = learned;
        true
    }
}

/// Whether every number is one that can be learned: others would count past their types.
fn is_sound((of_each, of_all, calls, cited, common, spread, lately, ..): &Learned) -> bool {
    let mut baselines = of_each.values().chain([of_all]);
    let mut carried = spread.prints.values().flatten();
    let mut lately = lately.values().flatten();
    baselines.all(Baseline::is_sound)
        && *calls <= MESH_BASELINE_SCORES_MAX
        && cited <= calls
        && common.is_sound()
        && carried.all(|it| it.hops as usize <= MESH_PRINT_AGENTS_MAX)
        && lately.all(|it| it.letters <= LETTERS_MOST)
}

impl Baseline {
    fn is_sound(&self) -> bool {
        let anchor = self.anchor.iter().flat_map(|it| [it.0, it.1]);
        let mut scores = self.scores.iter().copied().chain(anchor);
        self.scores.len() <= MESH_BASELINE_SCORES_MAX && scores.all(|it| it <= SCORE_MOST)
    }
}

/// The names in the order of their numbers, and who carried each print; the rest follows from it.
impl<C> Encode<C> for Spread {
    fn encode<W: minicbor::encode::Write>(
        &self,
        out: &mut Encoder<W>,
        context: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        (&self.names, &self.prints).encode(out, context)
    }
}

impl<'b, C> minicbor::Decode<'b, C> for Spread {
    fn decode(input: &mut Decoder<'b>, context: &mut C) -> Result<Self, minicbor::decode::Error> {
        let (names, prints) = input.decode_with(context)?;
        Ok(Self::of(names, prints))
    }
}

/// Moments, in microseconds since 1970.
pub(crate) mod instant {
    use minicbor::decode::Error;
    use minicbor::encode::Write;

    use super::{Decoder, Encoder, Instant};

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "what minicbor derives hands over a reference"
    )]
    pub(crate) fn encode<C, W: Write>(
        at: &Instant,
        out: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        out.i64(at.micros()).map(|_| ())
    }

    pub(crate) fn decode<C>(input: &mut Decoder<'_>, _: &mut C) -> Result<Instant, Error> {
        let place = input.position();
        let at = Instant::from_micros(input.i64()?);
        at.ok_or_else(|| Error::message("no moment").at(place))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Agent, Exchange, Message, Origin, Purpose};

    const TEXTS: [&str; 3] = [
        "The quarterly figures are in the folder that finance shares with everybody who asks for \
            it, and the notes of the meeting lie beside them.",
        "Please bring the keys of the plant back to the gate before the evening of the next day.",
        "Yes.",
    ];

    pub(crate) const NAMES: [&str; 3] = ["ann", "bob", "cat"];

    /// Looks at one exchange: which second, agent, text and giver.
    pub(crate) fn observe(mesh: &mut Mesh, one: (i64, usize, usize, usize)) {
        let (second, agent, text, giver) = one;
        let said = format!("I looked into it. {} Let me know.", TEXTS[text]);
        let mail = Message {
            origin: NAMES
                .get(giver)
                .map_or(Origin::Outside, |it| Origin::Agent(it)),
            purpose: Purpose::Found,
            label: "mail",
            text: TEXTS[text],
        };
        let exchange = Exchange {
            at: Instant::from_seconds(second).unwrap(),
            agent: Agent {
                name: NAMES[agent],
                identity: NAMES[agent],
            },
            canaries: &[],
            input: &[mail],
            output: &[&said],
            tool_calls: &[],
        };
        mesh.observe(&exchange).unwrap();
    }

    fn observed() -> impl Strategy<Value = Mesh> {
        let one = (0_i64..1_000_000, 0..3_usize, 0..3_usize, 0..4_usize);
        prop::collection::vec(one, 0..30).prop_map(|exchanges| {
            let mut mesh = Mesh::default();
            for exchange in exchanges {
                observe(&mut mesh, exchange);
            }
            mesh
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]

        #[test]
        fn what_was_learned_is_learned_again(mesh in observed()) {
            let bytes = mesh.learned();
            let mut again = Mesh::default();
            prop_assert!(again.learn_again(&bytes));
            prop_assert_eq!(again.learned(), bytes);
            prop_assert_eq!(again.baseline("ann"), mesh.baseline("ann"));
        }

        #[test]
        fn bytes_that_are_cut_or_too_many_change_nothing(mesh in observed()) {
            let bytes = mesh.learned();
            let mut mesh = Mesh::default();
            let empty = mesh.learned();
            for cut in 0..bytes.len() {
                prop_assert!(!mesh.learn_again(&bytes[..cut]));
            }
            prop_assert!(!mesh.learn_again(&[bytes.as_slice(), &[0]].concat()));
            prop_assert_eq!(mesh.learned(), empty);
        }

        /// Whoever keeps them finds it out by a digest; were it not found, the mesh goes on.
        #[test]
        fn a_changed_byte_is_refused_or_something_that_can_be_learned(
            mesh in observed(),
            byte in any::<u8>(),
        ) {
            let mut bytes = mesh.learned();
            for place in 0..bytes.len() {
                let right = std::mem::replace(&mut bytes[place], byte);
                let mut mesh = Mesh::default();
                if mesh.learn_again(&bytes) {
                    observe(&mut mesh, (1, 1, 0, 0));
                    prop_assert!(Mesh::default().learn_again(&mesh.learned()));
                }
                bytes[place] = right;
            }
        }
    }

    #[test]
    fn a_length_that_no_bytes_follow_takes_no_memory() {
        let mut mesh = Mesh::default();
        let ten_maps = [0x8a, 0xbb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        assert!(!mesh.learn_again(&ten_maps));
        let a_text = [
            0x8a, 0xa1, 0x7b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        ];
        assert!(!mesh.learn_again(&a_text));
        assert!(!mesh.learn_again(&[0xff; 64]));
        assert!(!mesh.learn_again(&[0x9f; 64]));
    }
}
