//! A memory in which many say what the account of somebody is.

use immune_model::{
    BeliefId, Carriage, ChannelName, Handle, Item, Literal, LiteralKind, MemoryName, Namespace,
    Polarity, Principal, Role, Screening, Status, Subject, SubjectFrom, Text, Trust,
};
use immune_reason::plan::{
    DeclareSource, Derivation, Narrowing, NewClaim, Remember, SetChannel, SourceRef,
};
use immune_reason::{Draft, Lead, State};

use super::Said;
use crate::machine::epoch;

/// Who says something: a name that an operator declared, or one that nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// Declared, under a number.
    Declared(u32),
    /// A new name, under a number.
    Newcomer(u32),
}

/// What a memory answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// This value leads.
    Answers(u32),
    /// Values stand, and none leads.
    Contested,
    /// Nothing that may be relied on.
    Nothing,
}

/// The memory, with the values that were said in it.
pub(super) struct Forum {
    state: State,
    values: Vec<u32>,
}

impl Forum {
    pub(super) fn new() -> Self {
        Self {
            state: State::new(),
            values: Vec::new(),
        }
    }

    fn plan<T>(&mut self, plan: impl FnOnce(&mut Draft) -> T) -> T {
        let operator = Principal {
            role: Role::Operator,
            name: Handle::new("bench").expect("a constant that is a name"),
        };
        let mut draft = Draft::new(self.state.clone(), operator, epoch());
        draft.name(&MemoryName::new("bench").expect("a constant that is a name"));
        let done = plan(&mut draft);
        (self.state, _) = draft.finish();
        done
    }

    fn channel(&mut self, tier: u16) -> ChannelName {
        let name = ChannelName::new(&format!("channel{tier}")).expect("a name");
        let command = SetChannel {
            name: name.clone(),
            tier: Trust::from_thousandths(tier).expect("a tier is at most 1000"),
            carriage: Some(Carriage::Relays),
            create_only: false,
        };
        self.plan(|draft| draft.set_channel(&command).map(drop))
            .expect("an operator sets channels");
        name
    }

    /// Somebody says a value.
    pub(super) fn say(&mut self, said: &Said) {
        let channel = self.channel(said.tier);
        let name = match said.voice {
            Voice::Declared(n) => format!("declared {n}"),
            Voice::Newcomer(n) => format!("newcomer {n}"),
        };
        let handle = Handle::new(&name).expect("a name");
        if matches!(said.voice, Voice::Declared(_)) {
            let command = DeclareSource {
                channel: channel.clone(),
                handle: handle.clone(),
                kind: None,
            };
            self.plan(|draft| draft.declare_source(&command).map(drop))
                .expect("an operator declares sources");
        }
        let claim = match said.guessed {
            Some(confidence) => guess(said.value, confidence),
            None => claim(said.value, subject()),
        };
        self.values.push(said.value);
        let command = Remember {
            from: SourceRef {
                channel: Some(channel),
                handle,
                kind: None,
            },
            namespace: Namespace::ROOT,
            text: claim.text.clone(),
            sent_at: None,
            external_id: None,
            run: None,
            screening: Screening::Explicit,
            claims: vec![claim],
            metadata: immune_model::Metadata::default(),
        };
        self.plan(|draft| draft.remember(&command).map(drop))
            .expect("a claim of one value is taken up");
    }

    /// A value comes in through a channel of this tier, and goes through the hands of so many
    /// agents, each of whom concludes it anew.
    pub(super) fn launder(&mut self, value: u32, tier: u16, hops: u32) {
        let said = Said {
            value: 1_000,
            tier,
            voice: Voice::Newcomer(9_999),
            guessed: None,
        };
        self.say(&said);
        self.values.pop();
        let mut premise = self.belief(1_000, &subject()).expect("it was said");
        for hop in 0..hops {
            let last = hop + 1 == hops;
            let about = if last {
                subject()
            } else {
                Subject::new(&format!("summary.hop{hop}")).expect("a subject")
            };
            let command = Derivation {
                agent: Handle::new(&format!("agent {hop}")).expect("a name"),
                namespace: Namespace::ROOT,
                premises: vec![Item::Belief(premise)],
                claim: claim(value, about.clone()),
                run: None,
                narrowing: Narrowing::Whole,
                metadata: immune_model::Metadata::default(),
            };
            let derived = self.plan(|draft| draft.derive(&command));
            premise = derived.expect("its premise stands").belief;
        }
        self.values.push(value);
    }

    fn belief(&self, value: u32, about: &Subject) -> Option<BeliefId> {
        let words = claim(value, about.clone()).text;
        let mut about = self.state.beliefs_about(&Namespace::ROOT, about);
        about.find(|it| self.state.belief(*it).is_some_and(|it| it.text == words))
    }

    /// The values that are stated and stand at this strength or above, each with its own.
    fn standing(&self, floor: Trust) -> Vec<(u32, BeliefId, Trust)> {
        let mut values = self.values.clone();
        values.sort_unstable();
        values.dedup();
        let subject = subject();
        let standing = values.into_iter().filter_map(|value| {
            let belief = self.belief(value, &subject)?;
            let now = self.state.belief_now(belief)?;
            let stands = now.status == Status::Active && now.strength >= floor;
            stands.then_some((value, belief, now.strength))
        });
        standing.collect()
    }

    /// What a question is answered with that asks for what nobody trusted says too: where nothing
    /// is at the floor, the strongest of what is stated, which is labelled `unverified`. What is
    /// only guessed states nothing.
    pub(super) fn answer_unverified(&self) -> Outcome {
        let standing = self.standing(Trust::ZERO);
        let Some(most) = standing.iter().map(|(_, _, strength)| *strength).max() else {
            return Outcome::Nothing;
        };
        let strongest = standing.iter().filter(|(_, _, strength)| *strength == most);
        match strongest.collect::<Vec<_>>()[..] {
            [(value, _, _)] => Outcome::Answers(*value),
            _ => Outcome::Contested,
        }
    }

    /// What a question about it is answered with.
    pub(super) fn answer(&self) -> Outcome {
        let standing = self.standing(Trust::FLOOR).into_iter();
        let standing = standing.map(|(value, belief, _)| (value, belief));
        let standing: Vec<(u32, BeliefId)> = standing.collect();
        let leads = |(_, one): &&(u32, BeliefId)| {
            let others = standing.iter().filter(|(_, other)| other != one);
            others
                .into_iter()
                .all(|(_, other)| self.state.lead(*one, *other, None) == Lead::First)
        };
        match standing.iter().find(leads) {
            Some((value, _)) => Outcome::Answers(*value),
            None if standing.is_empty() => Outcome::Nothing,
            None => Outcome::Contested,
        }
    }
}

fn subject() -> Subject {
    Subject::new("vendor.account").expect("a constant that is a subject")
}

/// The value as somebody says it who does not know: how sure that is, and that it states nothing,
/// is read from the words, as it is from any text; the confidence can only be less.
fn guess(value: u32, confidence: u16) -> NewClaim {
    let account = format!("ACCOUNT{value}");
    let words = Text::new(&format!("I guess the account is {account}")).expect("a text");
    let mut claim = NewClaim::read(subject(), SubjectFrom::Caller, words);
    claim.literals = vec![Literal::new(LiteralKind::Account, &account)];
    claim.lower(Trust::from_thousandths(confidence));
    claim
}

/// Values disagree: they carry different accounts.
pub(crate) fn claim(value: u32, subject: Subject) -> NewClaim {
    let account = format!("ACCOUNT{value}");
    NewClaim {
        subject,
        subject_from: SubjectFrom::Caller,
        text: Text::new(&format!("The account is {account}")).expect("a text"),
        polarity: Polarity::Affirmed,
        literals: vec![Literal::new(LiteralKind::Account, &account)],
        confidence: None,
        valid_from: None,
        valid_until: None,
        expires_at: None,
    }
}
