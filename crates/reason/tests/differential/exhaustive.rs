//! Every small graph: so many beliefs with at most two justifications each, told apart only by
//! more than the names of the beliefs; and what becomes of each when one thing falls.
//!
//! A justification rests on any of the other beliefs and on a note that falls later, or, if on none
//! of these, on a note that stands throughout: so every way to rest on two observations of which
//! one falls is there. Invariant: one graph of each class of
//! renamings is looked at, the one whose code is the least.

use immune_model::{Status, Trust};

use crate::world::{Change, World};

/// What a graph says of one belief: the premises of its justifications, in order, as bits: one
/// for each belief and, above these, one for the note that may fall.
type Choice = Vec<u32>;

/// Every choice there is for each belief, and how renamings move them.
pub(crate) struct Choices {
    n_beliefs: usize,
    /// For each belief, by code.
    of_belief: Vec<Vec<Choice>>,
    renamings: Vec<Renaming>,
}

struct Renaming {
    /// The new name of each belief.
    to: Vec<usize>,
    /// For each belief, the code under the new name of each of its codes.
    codes: Vec<Vec<u16>>,
}

impl Choices {
    pub(crate) fn new(n_beliefs: usize) -> Self {
        let of_belief: Vec<Vec<Choice>> = (0..n_beliefs)
            .map(|belief| choices(n_beliefs, belief))
            .collect();
        let renamings = permutations(n_beliefs).into_iter().map(|to| {
            let code = |belief: usize, choice: &Choice| {
                let mut renamed: Choice = choice.iter().map(|it| rename(*it, &to)).collect();
                renamed.sort_unstable();
                let all = &of_belief[to[belief]];
                let place = all.iter().position(|it| *it == renamed).unwrap();
                u16::try_from(place).unwrap()
            };
            let codes = of_belief.iter().enumerate();
            let codes = codes.map(|(belief, all)| all.iter().map(|it| code(belief, it)).collect());
            Renaming {
                codes: codes.collect(),
                to,
            }
        });
        let renamings = renamings.collect();
        Self {
            n_beliefs,
            of_belief,
            renamings,
        }
    }

    /// How many choices the first belief has: each is a share of the work.
    pub(crate) fn n_shares(&self) -> usize {
        self.of_belief[0].len()
    }

    /// How many classes of renamings there are, by Burnside's lemma: the mean number of graphs
    /// that a renaming leaves as they are.
    pub(crate) fn n_classes(&self) -> u64 {
        let fixed = |renaming: &Renaming| {
            let mut seen = vec![false; self.n_beliefs];
            let mut product = 1_u64;
            for belief in 0..self.n_beliefs {
                // A graph stays as it is when the choices along each circle of names follow from
                // the first, and come back to it.
                if seen[belief] {
                    continue;
                }
                let codes = 0..self.of_belief[belief].len();
                let mut last = belief;
                let mut image: Vec<usize> = codes.clone().collect();
                while !std::mem::replace(&mut seen[last], true) {
                    for code in &mut image {
                        *code = usize::from(renaming.codes[last][*code]);
                    }
                    last = renaming.to[last];
                }
                product *= codes.filter(|it| image[*it] == *it).count() as u64;
            }
            product
        };
        self.renamings.iter().map(fixed).sum::<u64>() / self.renamings.len() as u64
    }

    /// Looks at every graph in which the first belief has this choice; how many there are, and how
    /// many states were compared.
    pub(crate) fn share(&self, start: &World, first: usize) -> (u64, u64) {
        let mut counts = (0, 0);
        let code = u16::try_from(first).unwrap();
        let world = self.with_choice(start, 0, code);
        self.extend(&world, &mut vec![code], &mut counts);
        counts
    }

    fn extend(&self, world: &World, codes: &mut Vec<u16>, counts: &mut (u64, u64)) {
        let belief = codes.len();
        if belief == self.n_beliefs {
            counts.0 += 1;
            counts.1 += self.check(world, codes);
            return;
        }
        for code in 0..self.of_belief[belief].len() {
            codes.push(u16::try_from(code).unwrap());
            let last = codes.len() == self.n_beliefs;
            if !last || self.is_least(codes) {
                let with = self.with_choice(world, belief, codes[belief]);
                self.extend(&with, codes, counts);
            }
            codes.pop();
        }
    }

    /// Whether no renaming gives a lesser code.
    fn is_least(&self, codes: &[u16]) -> bool {
        let mut renamed = [0_u16; 4];
        self.renamings.iter().all(|renaming| {
            for (belief, code) in codes.iter().enumerate() {
                renamed[renaming.to[belief]] = renaming.codes[belief][usize::from(*code)];
            }
            codes <= &renamed[..codes.len()]
        })
    }

    fn with_choice(&self, world: &World, belief: usize, code: u16) -> World {
        let mut world = world.clone();
        let beliefs = (1 << self.n_beliefs) - 1;
        for premises in &self.of_belief[belief][usize::from(code)] {
            let falls = premises >> self.n_beliefs;
            world.take(&Change::Derive {
                head: belief,
                beliefs: premises & beliefs,
                notes: if *premises == 0 { 2 } else { falls },
                agent: belief % 2,
            });
        }
        world.state.take_changes();
        world
    }

    /// The graph as it stands; each belief refuted, and that undone; the note flagged, and that
    /// undone; the note closed.
    fn check(&self, world: &World, codes: &[u16]) -> u64 {
        let graph = Small::new(self, codes);
        let mut world = world.clone();
        let mut n_states = 0;
        let mut compare = |world: &World, fallen: Fallen| {
            n_states += 1;
            graph.compare(world, fallen);
        };
        compare(&world, Fallen::Nothing);
        for belief in 0..self.n_beliefs {
            let before = world.facts.refutations.len();
            world.take(&Change::Refute {
                beliefs: 1 << belief,
            });
            if world.facts.refutations.len() > before {
                compare(&world, Fallen::Refuted(belief));
                world.take(&Change::Reinstate { nth: before });
                compare(&world, Fallen::Nothing);
            }
        }
        let before = world.facts.refutations.len();
        world.take(&Change::FlagObservation { nth: 1 });
        compare(&world, Fallen::NoteFlagged);
        world.take(&Change::Reinstate { nth: before });
        compare(&world, Fallen::Nothing);
        world.take(&Change::CloseNote { nth: 0 });
        compare(&world, Fallen::NoteClosed);
        n_states
    }
}

/// The one thing that fell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fallen {
    Nothing,
    Refuted(usize),
    NoteFlagged,
    NoteClosed,
}

/// All sets of at most two justifications of a belief.
fn choices(n_beliefs: usize, belief: usize) -> Vec<Choice> {
    let own = 1 << belief;
    let sets: Vec<u32> = (0..1 << (n_beliefs + 1))
        .filter(|it| it & own == 0)
        .collect();
    let mut choices = vec![Vec::new()];
    for (place, first) in sets.iter().enumerate() {
        choices.push(vec![*first]);
        choices.extend(sets[place + 1..].iter().map(|second| vec![*first, *second]));
    }
    choices
}

fn rename(premises: u32, to: &[usize]) -> u32 {
    let falls = premises >> to.len() << to.len();
    let moved = |it: &(usize, &usize)| premises & (1 << it.0) != 0;
    let beliefs = to.iter().enumerate().filter(moved);
    beliefs.fold(falls, |mask, (_, new)| mask | 1 << new)
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(n - 1);
    let with = |it: &Vec<usize>, at: usize| {
        let mut longer = it.clone();
        longer.insert(at, n - 1);
        longer
    };
    shorter
        .iter()
        .flat_map(|it| (0..n).map(move |at| with(it, at)))
        .collect()
}

/// A graph as justifications, with its own brute force: a bit for each of at most 16 subsets.
struct Small<'a> {
    n_beliefs: usize,
    choices: Vec<&'a Choice>,
}

impl<'a> Small<'a> {
    fn new(all: &'a Choices, codes: &[u16]) -> Self {
        let choices = codes.iter().zip(&all.of_belief);
        Self {
            n_beliefs: all.n_beliefs,
            choices: choices.map(|(code, of)| &of[usize::from(*code)]).collect(),
        }
    }

    /// The least subset that holds the head of every justification whose premises it holds.
    fn least_closed(&self, fallen: Fallen) -> u32 {
        let all: u32 = (1 << self.n_beliefs) - 1;
        let note = match fallen {
            Fallen::Nothing | Fallen::Refuted(_) => 1 << self.n_beliefs,
            Fallen::NoteFlagged | Fallen::NoteClosed => 0,
        };
        let is_closed = |set: &u32| {
            (0..self.n_beliefs).all(|belief| {
                let forced = self.choices[belief]
                    .iter()
                    .any(|it| it & !(set | note) == 0);
                set & (1 << belief) != 0 || !forced || fallen == Fallen::Refuted(belief)
            })
        };
        (0..=all)
            .filter(is_closed)
            .fold(all, |least, set| least & set)
    }

    /// # Panics
    /// When the state says anything else.
    fn compare(&self, world: &World, fallen: Fallen) {
        let ever = self.least_closed(Fallen::Nothing);
        let standing = self.least_closed(fallen);
        let open = if fallen == Fallen::NoteClosed {
            ever
        } else {
            standing
        };
        for (belief, (status, strength)) in world.answers().into_iter().enumerate() {
            let is_in = |set: u32| set & (1 << belief) != 0;
            let right = if self.choices[belief].is_empty() {
                Status::Retracted
            } else if fallen == Fallen::Refuted(belief) {
                Status::Quarantined
            } else if !is_in(ever) {
                Status::Unsupported
            } else if !is_in(open) {
                Status::Revoked
            } else if is_in(standing) {
                Status::Active
            } else {
                Status::Stale
            };
            assert_eq!(
                (status, strength > Trust::ZERO),
                (right, right == Status::Active),
                "belief {belief} of {} in {:?}, {fallen:?}",
                self.n_beliefs,
                self.choices
            );
        }
    }
}
