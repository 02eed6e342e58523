//! Who says what about each subject, and how often each source agrees with the others: what copy
//! detection and weights are read from. Called by `copying` and `origins::weigh`.
//!
//! Kept up statement by statement, with bounded work: a statement touches the sources of its own
//! subject and nothing else. A group of mirrors counts once here too. All sums are integers, so
//! that machines agree and what was added can be taken away.

use std::io;
use std::sync::Arc;

use immune_model::{BeliefId, SourceId, Trust, limits};

use super::Groups;
use crate::arena::{Arena, Slot};
use crate::network::Column;
use crate::origins::{Origin, log_odds};
use crate::pack::{Input, Keys, Packed, Packer, Unpacker, records};

/// A share of one, in the sums.
const ONE: i64 = 1_000_000;
/// Subjects of which it is supposed at first that a source spoke about them and agreed as sources
/// do on the whole: two, so that the first statement decides little.
const SUPPOSED: i64 = 2;
/// Subjects of which it is supposed at first that a source was right as often as it is trusted.
const TRUSTED: u64 = 4;
/// Subjects of which it is supposed at first that a source was wrong on them as often as all are.
const SUPPOSED_WRONG: f64 = 4.0;
/// The most that agreement says about a source, in thousandths.
const ACCURACY_MAX: u16 = 950;

/// The number of a subject in a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ItemNumber(u32);

impl Slot for ItemNumber {
    fn slot(self) -> usize {
        self.0 as usize
    }

    fn at(slot: usize) -> Self {
        Self(u32::try_from(slot).expect("subjects fit in 32 bits"))
    }
}

impl Packed for ItemNumber {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        u32::unpack(input).map(Self)
    }
}

/// What one source says about a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) source: SourceId,
    /// The belief that it states.
    pub(crate) belief: BeliefId,
    /// A digest of its value: claims with the same literals state the same.
    pub(crate) value: u64,
    /// How far the statement was trusted when it was made.
    pub(crate) strength: Trust,
    /// A system of record said it.
    pub(crate) recorded: bool,
    /// Whose origin it had then, mirrors apart.
    pub(crate) origin: Origin,
}

/// A value of a subject, as of the last statement about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value {
    /// Its digest.
    pub(crate) value: u64,
    /// How many origins state it.
    pub(crate) origins: u32,
    /// What they weigh together, in millionths of a nat.
    pub(crate) weight: u64,
    pub(crate) recorded: bool,
}

/// What is said about one subject.
#[derive(Debug, Clone, Default)]
pub(crate) struct Item {
    /// Who says what, by source.
    pub(crate) said: Arc<[Said]>,
    pub(crate) values: Arc<[Value]>,
    /// How many origins speak.
    pub(crate) origins: u32,
    /// The value that leads alone, if one does.
    leader: Option<u64>,
}

/// How often a source agrees with the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Record {
    /// The shares of other origins that said the same, summed over subjects, in millionths.
    agreed: i64,
    /// Over how many subjects.
    compared: u32,
    /// Subjects on which it states the value that leads.
    right: u32,
    /// Subjects on which a value leads, and another origin speaks.
    scored: u32,
}

records! {
    Said { source belief value strength recorded origin }
    Value { value origins weight recorded }
    Item { said values origins leader }
    Record { agreed compared right scored }
}

/// The ledger of one memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    numbers: Keys<ItemNumber>,
    items: Arena<ItemNumber, Item>,
    records: Column<SourceId, Record>,
    /// The last subjects about which each source spoke, oldest first.
    recent: Arena<SourceId, Arc<[ItemNumber]>>,
    /// The shares of all sources, and over how many statements.
    agreed: i64,
    compared: u64,
    /// How many statements are right and scored, over all sources.
    right: u64,
    scored: u64,
}

impl Item {
    /// What a source says here.
    pub(crate) fn said_by(&self, source: SourceId) -> Option<&Said> {
        let place = self.said.binary_search_by_key(&source, |it| it.source);
        place.ok().and_then(|it| self.said.get(it))
    }

    /// A value that is stated here; they are in order.
    pub(crate) fn value(&self, value: u64) -> Option<&Value> {
        let place = self.values.binary_search_by_key(&value, |it| it.value);
        place.ok().and_then(|it| self.values.get(it))
    }
}

/// The value that leads alone.
fn leader_of(values: &[Value]) -> Option<u64> {
    let key = |it: &Value| (it.recorded, it.weight);
    let best = values.iter().max_by_key(|it| key(it))?;
    let tied = values.iter().filter(|it| key(it) == key(best)).count() > 1;
    (!tied && best.weight > 0).then_some(best.value)
}

/// Who counts once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Once<'a> {
    /// Where sources are compared for evidence.
    pub(super) settled: &'a Groups,
    /// Where it is asked who is right.
    pub(super) all: &'a Groups,
    /// Both are the same.
    pub(super) is_all_settled: bool,
}

impl Ledger {
    pub(crate) fn item(&self, number: ItemNumber) -> &Item {
        self.items.get(number)
    }

    pub(crate) fn find(&self, key: &[u8; 16]) -> Option<ItemNumber> {
        self.numbers.get(key)
    }

    /// The last subjects about which a source spoke, oldest first.
    pub(crate) fn recent(&self, source: SourceId) -> &[ItemNumber] {
        self.recent.find(source).map_or(&[], |it| it)
    }

    /// Takes up a statement about the subject of this key; what the source said there before is
    /// replaced.
    pub(super) fn enter(&mut self, key: [u8; 16], said: Said, once: Once<'_>) {
        let number = self.numbers.get(&key).unwrap_or_else(|| {
            let number = self.items.push(Item::default());
            self.numbers.insert(key, number);
            number
        });
        self.ensure(said.source);
        let before = Arc::clone(&self.items.get(number).said);
        let mut all = before.to_vec();
        match all.binary_search_by_key(&said.source, |it| it.source) {
            Ok(place) => {
                if let Some(slot) = all.get_mut(place) {
                    *slot = said;
                }
            }
            Err(_) if all.len() >= limits::COPY_SOURCES_MAX => return,
            Err(place) => {
                all.insert(place, said);
                self.note_recent(said.source, number);
            }
        }
        self.score(number, -1);
        self.items.get_mut(number).said = all.into();
        self.tally(number, once);
        self.score(number, 1);
    }

    /// Forgets what a source said about a subject: it counts as never said.
    pub(super) fn withdraw(&mut self, key: &[u8; 16], source: SourceId, once: Once<'_>) {
        let Some(number) = self.numbers.get(key) else {
            return;
        };
        self.score(number, -1);
        let item = self.items.get_mut(number);
        item.said = item
            .said
            .iter()
            .copied()
            .filter(|it| it.source != source)
            .collect();
        self.tally(number, once);
        self.score(number, 1);
        let kept = self.recent(source).iter().copied();
        let kept: Arc<[ItemNumber]> = kept.filter(|it| *it != number).collect();
        *self.recent.get_mut(source) = kept;
    }

    /// The last subjects of these sources, each once.
    pub(super) fn subjects_of(&self, sources: &[SourceId]) -> Vec<ItemNumber> {
        let numbers = sources.iter().flat_map(|it| self.recent(*it).iter());
        let mut numbers: Vec<ItemNumber> = numbers.copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Takes what is said about these subjects out of the records, before who counts once changes.
    pub(super) fn take_out(&mut self, numbers: &[ItemNumber]) {
        for it in numbers {
            self.score(*it, -1);
        }
    }

    /// Puts it back, after that changed.
    pub(super) fn put_back(&mut self, numbers: &[ItemNumber], once: Once<'_>) {
        for it in numbers {
            self.tally(*it, once);
            self.score(*it, 1);
        }
    }

    /// How often a source is right by what the others say, as a trust: never more than it is
    /// trusted. `but` is left out: what is said there is in question.
    pub(crate) fn accuracy(
        &self,
        source: SourceId,
        trusted: Trust,
        but: Option<ItemNumber>,
    ) -> Trust {
        let Some(record) = self.records.find(source) else {
            return trusted;
        };
        let (mut right, mut scored) = (u64::from(record.right), u64::from(record.scored));
        if let Some((item, said)) = but.and_then(|it| {
            let item = self.items.get(it);
            item.said_by(source).map(|said| (item, said))
        }) && let Some(leader) = item.leader
            && item.origins > 1
        {
            scored = scored.saturating_sub(1);
            right = right.saturating_sub(u64::from(said.value == leader));
        }
        let supposed = TRUSTED * u64::from(trusted.thousandths());
        let found = (1000 * right + supposed) / (scored + TRUSTED);
        let found = u16::try_from(found).ok().and_then(Trust::from_thousandths);
        found.map_or(trusted, |it| it.min(trusted))
    }

    /// The odds that a source is wrong by what leads, against those of all: by its own record, and
    /// by that of all as far as it is short.
    pub(crate) fn wrongness(&self, source: SourceId) -> f64 {
        let record = self.records.find(source).copied().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "counts of statements")]
        let all = (self.scored.saturating_sub(self.right) + 1) as f64 / (self.scored + 2) as f64;
        let wrong = f64::from(record.scored.saturating_sub(record.right));
        let own = (wrong + SUPPOSED_WRONG * all) / (f64::from(record.scored) + SUPPOSED_WRONG);
        let odds = |it: f64| it / (1.0 - it);
        odds(own) / odds(all)
    }

    /// What a source weighs where values are compared for evidence, in millionths of a nat: by how
    /// much it agrees with the others, as far as it is trusted.
    pub(crate) fn weight(&self, said: &Said) -> u64 {
        let record = self.records.find(said.source).copied().unwrap_or_default();
        // Two sources agree about as often as both are right; so the square root of how often all
        // do is how often one is right.
        let compared = i64::try_from(self.compared).unwrap_or(i64::MAX - SUPPOSED);
        let mean = (self.agreed + ONE) / (compared + SUPPOSED);
        let share = (record.agreed + SUPPOSED * mean) / (i64::from(record.compared) + SUPPOSED);
        let typical = (mean.max(1) * ONE).isqrt();
        let accuracy = (share * 1000 / typical.max(1)).clamp(0, i64::from(ACCURACY_MAX));
        let accuracy = u16::try_from(accuracy)
            .ok()
            .and_then(Trust::from_thousandths);
        log_odds(accuracy.unwrap_or(Trust::ZERO).min(said.strength))
    }

    pub(super) fn pack(&self, to: &mut Packer<'_>) -> io::Result<()> {
        let Self {
            numbers,
            items,
            records,
            recent,
            agreed,
            compared,
            right,
            scored,
        } = self;
        to.note(&((*agreed, *compared), (*right, *scored)));
        numbers.pack(to)?;
        items.pack(to)?;
        records.pack(to)?;
        recent.pack(to)
    }

    pub(super) fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let ((agreed, compared), (right, scored)) = from.noted()?;
        Some(Self {
            numbers: Keys::unpack(from)?,
            items: Arena::unpack(from)?,
            records: Column::unpack(from)?,
            recent: Arena::unpack(from)?,
            agreed,
            compared,
            right,
            scored,
        })
    }

    fn ensure(&mut self, source: SourceId) {
        while self.records.len() <= source.slot() {
            self.records.push(Record::default());
            self.recent.push(Arc::default());
        }
    }

    fn note_recent(&mut self, source: SourceId, number: ItemNumber) {
        let recent = self.recent.get_mut(source);
        let too_many = (recent.len() + 1).saturating_sub(limits::COPY_SUBJECTS_MAX);
        *recent = recent
            .iter()
            .copied()
            .skip(too_many)
            .chain([number])
            .collect();
    }

    /// Which origins state each value, and what they weigh.
    fn tally(&mut self, number: ItemNumber, once: Once<'_>) {
        let item = self.items.get(number);
        let (values, origins) = self.counted(&item.said, once.settled);
        // Few subjects need both: mostly who counts once is settled, or nobody does.
        let leader = if once.is_all_settled {
            leader_of(&values)
        } else {
            leader_of(&self.counted(&item.said, once.all).0)
        };
        let item = self.items.get_mut(number);
        item.values = values.into();
        item.origins = origins;
        item.leader = leader;
    }

    /// The values, each with the origins that state it, and how many origins speak.
    fn counted(&self, said: &[Said], groups: &Groups) -> (Vec<Value>, u32) {
        let mut votes: Vec<(u64, Origin, u64, bool)> = said
            .iter()
            .map(|it| (it.value, groups.origin(it), self.weight(it), it.recorded))
            .collect();
        votes
            .sort_unstable_by(|one, other| (one.0, one.1, other.2).cmp(&(other.0, other.1, one.2)));
        let mut values: Vec<Value> = Vec::new();
        let mut last = None;
        for (value, origin, weight, recorded) in &votes {
            if values.last().is_none_or(|it| it.value != *value) {
                values.push(Value {
                    value: *value,
                    origins: 0,
                    weight: 0,
                    recorded: false,
                });
                last = None;
            }
            let Some(known) = values.last_mut() else {
                continue;
            };
            known.recorded |= recorded;
            if last != Some(*origin) {
                known.origins += 1;
                known.weight += weight;
                last = Some(*origin);
            }
        }
        let mut origins: Vec<Origin> = votes.iter().map(|it| it.1).collect();
        origins.sort_unstable();
        origins.dedup();
        (values, u32::try_from(origins.len()).unwrap_or(u32::MAX))
    }

    /// Adds what is said about a subject to the records of those who speak, or takes it away.
    fn score(&mut self, number: ItemNumber, sign: i64) {
        let item = self.items.get(number).clone();
        if item.origins < 2 {
            return;
        }
        let (leader, others) = (item.leader, i64::from(item.origins - 1));
        let (mut agreed, mut compared) = (0, 0);
        let (mut right, mut scored) = (0, 0);
        let mut records = item.said.iter().map(|said| {
            let origins = item.value(said.value).map_or(1, |it| i64::from(it.origins));
            (said.value, (origins - 1) * ONE / others)
        });
        let by = |count: u32| count.saturating_add_signed(if sign > 0 { 1 } else { -1 });
        self.records
            .write_in_order(item.said.iter().map(|it| it.source), |_, record| {
                let Some((value, share)) = records.next() else {
                    return;
                };
                record.agreed += sign * share;
                record.compared = by(record.compared);
                agreed += sign * share;
                compared += sign;
                if let Some(leader) = leader {
                    record.scored = by(record.scored);
                    scored += sign;
                    if leader == value {
                        record.right = by(record.right);
                        right += sign;
                    }
                }
            });
        self.agreed += agreed;
        self.compared = self.compared.saturating_add_signed(compared);
        self.right = self.right.saturating_add_signed(right);
        self.scored = self.scored.saturating_add_signed(scored);
    }
}
