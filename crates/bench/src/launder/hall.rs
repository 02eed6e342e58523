//! Ours: a memory in which a scene is played, read by read and write by write.

use immune_model::{
    BeliefId, Carriage, ChannelName, Handle, Item, MemoryName, Namespace, Principal, Role, RunId,
    Screening, Status, Subject, Text, Trust,
};
use immune_reason::plan::{
    DeclareSource, Derivation, Narrowing, Remember, SetChannel, Show, SourceRef,
};
use immune_reason::{Draft, Lead, State};

use super::{Hop, Scene, TRUSTED, Way};
use crate::belief::forum::claim;
use crate::machine::epoch;

/// Whether what agents read is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    Written,
    Unwritten,
}

/// Words of a long text, and how many of them one hop changes.
const WORDS: usize = 80;
const WORDS_CHANGED: usize = 5;

/// Who says something, and how.
struct Said<'a> {
    who: &'a str,
    /// The tier of the channel.
    tier: u16,
    run: Option<RunId>,
    /// In a long text of which so many words were changed; in the words of the claim without.
    changed: Option<usize>,
}

impl<'a> Said<'a> {
    fn short(who: &'a str, tier: u16, run: Option<RunId>) -> Self {
        Self {
            who,
            tier,
            run,
            changed: None,
        }
    }

    fn words(&self, claim: &Text) -> Text {
        let Some(changed) = self.changed else {
            return claim.clone();
        };
        let word = |at: usize| {
            let sign = if at < changed { "hop" } else { "page" };
            format!("{sign}{at}")
        };
        let words: Vec<String> = (0..WORDS).map(word).collect();
        let words = format!("{} {}", words.join(" "), claim.as_str());
        Text::new(&words).expect("a text of some hundred characters")
    }
}

/// The memory.
struct Hall {
    state: State,
}

/// Whether the value of the first hop is what our memory answers in the end.
pub(super) fn answered_by_ours(scene: &Scene, reads: Reads) -> bool {
    let mut hall = Hall {
        state: State::new(),
    };
    for at in 0..scene.n_against {
        let staff = format!("staff{at}");
        hall.say(&Said::short(&staff, TRUSTED, None), asked(), 0);
    }
    let echoes = scene.hops.iter().any(|it| it.way == Way::EchoOutside);
    let page = Said {
        changed: echoes.then_some(0),
        ..Said::short("page", scene.first_tier, None)
    };
    let mut writes = vec![hall.say(&page, note(0), 1)];
    for (at, hop) in scene.hops.iter().enumerate() {
        let premise = writes.get(hop.read).copied();
        let premise = premise.expect("a hop reads what was written before it");
        writes.push(hall.hop(at, hop, premise, reads));
    }
    hall.answers(1)
}

impl Hall {
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

    /// A run of its own reads one thing and writes the same value; or a tool says it in no run.
    fn hop(&mut self, at: usize, hop: &Hop, premise: BeliefId, reads: Reads) -> BeliefId {
        let about = if hop.is_asked { asked() } else { note(at + 1) };
        if hop.way == Way::EchoOutside {
            let said = Said {
                changed: Some((at + 1) * WORDS_CHANGED),
                ..Said::short("browser", hop.way.tier(), None)
            };
            return self.say(&said, about, 1);
        }
        let run = RunId::new(&format!("run {at}")).expect("a name");
        if reads == Reads::Written {
            let command = Show {
                run: Some(run.clone()),
                items: vec![Item::Belief(premise)],
            };
            let shown = self.plan(|draft| draft.show(&command).map(drop));
            shown.expect("what was written can be read");
        }
        if !hop.declares {
            let who = match hop.way {
                Way::ToolEcho | Way::EchoOutside => "browser".to_owned(),
                Way::SelfSummary | Way::Corroboration => format!("agent{at}"),
            };
            return self.say(&Said::short(&who, hop.way.tier(), Some(run)), about, 1);
        }
        let command = Derivation {
            agent: Handle::new(&format!("agent{at}")).expect("a name"),
            namespace: Namespace::ROOT,
            premises: vec![Item::Belief(premise)],
            claim: claim(1, about),
            run: Some(run),
            narrowing: Narrowing::Whole,
            metadata: immune_model::Metadata::default(),
        };
        let derived = self.plan(|draft| draft.derive(&command));
        derived.expect("its premise stands").belief
    }

    /// Somebody whom an operator declared says a value in a channel of this tier, which relays.
    fn say(&mut self, said: &Said<'_>, about: Subject, value: u32) -> BeliefId {
        let Said { who, tier, .. } = *said;
        let channel = ChannelName::new(&format!("channel{tier}")).expect("a name");
        let set = SetChannel {
            name: channel.clone(),
            tier: Trust::from_thousandths(tier).expect("a tier is at most 1000"),
            carriage: Some(Carriage::Relays),
            create_only: false,
        };
        self.plan(|draft| draft.set_channel(&set).map(drop))
            .expect("an operator sets channels");
        let handle = Handle::new(who).expect("a name");
        let declare = DeclareSource {
            channel: channel.clone(),
            handle: handle.clone(),
            kind: None,
        };
        self.plan(|draft| draft.declare_source(&declare).map(drop))
            .expect("an operator declares sources");
        let claim = claim(value, about);
        let command = Remember {
            from: SourceRef {
                channel: Some(channel),
                handle,
                kind: None,
            },
            namespace: Namespace::ROOT,
            text: said.words(&claim.text),
            sent_at: None,
            external_id: None,
            run: said.run.clone(),
            screening: Screening::Explicit,
            claims: vec![claim],
            metadata: immune_model::Metadata::default(),
        };
        let remembered = self.plan(|draft| draft.remember(&command));
        let remembered = remembered.expect("a claim of one value is taken up");
        let first = remembered.statements.first().map(|it| it.belief);
        first.expect("it has one claim")
    }

    /// Whether a value stands at or above the floor and leads every other one that does.
    fn answers(&self, value: u32) -> bool {
        let words = claim(value, asked()).text;
        let state = &self.state;
        let about = state.beliefs_about(&Namespace::ROOT, &asked());
        let standing: Vec<BeliefId> = about
            .filter(|it| {
                let now = state.belief_now(*it);
                now.is_some_and(|it| it.status == Status::Active && it.strength >= Trust::FLOOR)
            })
            .collect();
        let says = |it: &&BeliefId| state.belief(**it).is_some_and(|it| it.text == words);
        standing.iter().find(says).is_some_and(|ours| {
            let mut others = standing.iter().filter(|it| *it != ours);
            others.all(|it| state.lead(*ours, *it, None) == Lead::First)
        })
    }
}

/// What the question is about.
fn asked() -> Subject {
    Subject::new("vendor.account").expect("a constant that is a subject")
}

/// What is noted on the way.
fn note(n: usize) -> Subject {
    Subject::new(&format!("note.hop{n}")).expect("a subject")
}
