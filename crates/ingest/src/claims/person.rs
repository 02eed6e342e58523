//! What people say of themselves and of each other: likes, deeds, belongings, places, work.
//!
//! The clause has to start with whom it is about (`I`, `we`, a name), and the verb has to follow at
//! once: what somebody would, could or wants to do is no fact. A deed that is denied and one that
//! is affirmed have one subject, so they disagree; how often or when is no part of it, since what
//! happened twice happened.

use immune_model::{Literal, LiteralKind, Polarity};

use super::phrase::{self, Phrase, Word};
use super::{Clause, Out, Rule, sorted};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "preference",
        subject: "entity/topic.preference",
        example: "I hate Chinese food.",
        finds: "jo_at_acme_com/chinese_food.preference -",
        counter_example: "I would like to see you.",
    },
    Rule {
        name: "deed",
        subject: "entity/topic.visit, .attend, .write, …",
        example: "I have never visited Lisbon.",
        finds: "jo_at_acme_com/lisbon.visit -",
        counter_example: "I want to visit Lisbon.",
    },
    Rule {
        name: "has",
        subject: "entity/topic.have",
        example: "I have two dogs.",
        finds: "jo_at_acme_com/dog.have +",
        counter_example: "I have to go.",
    },
    Rule {
        name: "home",
        subject: "entity/home.location",
        example: "Dana moved to Lisbon.",
        finds: "dana/home.location +",
        counter_example: "I moved to the left.",
    },
    Rule {
        name: "place",
        subject: "[entity/]topic.location",
        example: "The staging server is in Frankfurt.",
        finds: "staging_server.location +",
        counter_example: "The server is in trouble.",
    },
    Rule {
        name: "work",
        subject: "entity/job.employer",
        example: "I work for Bolt Ltd.",
        finds: "jo_at_acme_com/job.employer +",
        counter_example: "I work for a living.",
    },
    Rule {
        name: "role",
        subject: "entity/fact.is",
        example: "I'm a nurse.",
        finds: "jo_at_acme_com/fact.is +",
        counter_example: "I'm a bit late.",
    },
    Rule {
        name: "owner",
        subject: "[entity/]topic.owner",
        example: "Dana is responsible for the billing service.",
        finds: "billing_service.owner +",
        counter_example: "Dana is responsible.",
    },
];

const LIKES: &str =
    "love loves loved like likes liked enjoy enjoys enjoyed prefer prefers adore adores";
const DISLIKES: &str = "hate hates hated dislike dislikes disliked detest detests loathe loathes";
const HAVING: &str = "have has own owns";
/// Forms of a verb of doing, and the attribute.
const DEEDS: &[(&str, &str)] = &[
    ("visited visit visits been went", "visit"),
    ("worked collaborated", "work"),
    ("spoken spoke talked", "talk"),
    ("ship ships shipped", "ship"),
    ("deliver delivers delivered", "deliver"),
    ("attended attend", "attend"),
    ("completed finished", "complete"),
    ("bought purchased", "buy"),
    ("sold", "sell"),
    ("written wrote", "write"),
    ("read", "read"),
    ("built", "build"),
    ("created", "create"),
    ("implemented", "implement"),
    ("integrated", "integrate"),
    ("deployed", "deploy"),
    ("installed", "install"),
    ("used use uses using", "use"),
    ("met", "meet"),
    ("learned learnt studied learning studying", "learn"),
    ("joined", "join"),
    ("hired", "hire"),
    ("submitted", "submit"),
    ("signed", "sign"),
    ("won", "win"),
    ("passed", "pass"),
    ("failed", "fail"),
    ("tested", "test"),
    ("fixed resolved", "fix"),
    ("added", "add"),
    ("removed deleted", "remove"),
    ("upgraded updated", "update"),
    ("configured", "configure"),
    ("reviewed", "review"),
    ("approved", "approve"),
    ("received", "receive"),
    ("sent", "send"),
    ("ordered", "order"),
    ("booked", "book"),
    ("scheduled", "schedule"),
    ("registered enrolled", "register"),
    ("watched", "watch"),
    ("played", "play"),
    ("painted", "paint"),
    ("designed", "design"),
    ("published released launched", "publish"),
    ("presented", "present"),
    ("taught", "teach"),
    ("practiced practised", "practise"),
    ("tried", "try"),
    ("solved", "solve"),
    ("cancelled canceled", "cancel"),
    ("adopted", "adopt"),
    ("migrated", "migrate"),
    ("eat eats eaten ate", "eat"),
    ("drink drinks", "drink"),
    ("speak speaks", "speak"),
    ("smoke smokes smoked", "smoke"),
];
/// Words between who acts and the verb.
const HELPING: &str = "\
    have has had do does did am is are was were also always really absolutely truly just \
    recently already actually personally currently now still only once often usually finally \
    successfully generally i've we've i'm we're";
const DENYING: &str = "\
    never not don't doesn't didn't haven't hasn't hadn't isn't aren't wasn't can't cannot";
/// Words that end the phrase of an object.
const ENDS: &str = "\
    and or but because since so when while if unless which who that than as then after before \
    until although though to again for in with at from by over during through without using via \
    within very much yesterday today tomorrow lately recently already yet too";
/// Words that count what follows.
const COUNTS: &str = "\
    no any one two three four five six seven eight nine ten twelve dozen few several many some \
    both another more first second";
const PRONOUNS: &str = "\
    it this that these those them him her me us you everything something anything nothing one \
    ones all some more most what how myself";
/// Words before who acts that leave it a plain statement.
const BEFORE: &str = "\
    and also so but then yes no ok okay well today yesterday last this week month year in on \
    actually currently recently now personally honestly by the way fyi btw , for me";

pub(super) fn apply(clause: &Clause<'_>, out: &mut Out) {
    owner(clause, out);
    place(clause, out);
    let Some((entity, at)) = actor(clause) else {
        return;
    };
    let (verb, denied) = verb(clause, at);
    if clause.has("if whether unless") || clause.word(verb).is_none() {
        return;
    }
    let act = Act {
        entity: &entity,
        verb,
        denied,
    };
    role(clause, at, out);
    home(clause, &act, out);
    work(clause, &act, out);
    preference(clause, &act, out);
    has(clause, &act, out);
    deed(clause, &act, out);
}

/// Who does something, and where the verb stands.
struct Act<'e> {
    entity: &'e str,
    verb: usize,
    denied: bool,
}

impl Act<'_> {
    fn polarity(&self, denies: bool) -> Polarity {
        if self.denied == denies {
            Polarity::Affirmed
        } else {
            Polarity::Denied
        }
    }
}

/// Whom the clause is about, and the place after the name.
fn actor(clause: &Clause<'_>) -> Option<(String, usize)> {
    if let Some(own) = clause.position("i i've i'm we we've we're") {
        let plain = |it: &Word<'_>| {
            it.is(BEFORE) || it.text.chars().all(char::is_numeric) || it.is_proper()
        };
        if clause.words.iter().take(own).all(plain) {
            let we = clause.is_at(own, "we we've we're");
            let ours = we.then(|| clause.sender_domain()).flatten();
            return Some((ours.or_else(|| clause.sender_name())?, own + 1));
        }
        return None;
    }
    // A name at the start, of one to three words that are no common ones.
    let name: Vec<&Word<'_>> = clause
        .words
        .iter()
        .take_while(|it| it.is_proper() && !it.starts_phrase_after() && !it.is(BEFORE))
        // `I'll`, `He's` are no names.
        .filter(|it| !it.text.contains(['\'', '’']))
        .take(3)
        .collect();
    let common = |it: &&&Word<'_>| phrase::listed(super::fact::COMMON, &it.lower);
    if name.is_empty()
        || name.iter().any(|it| common(&it))
        || name.iter().any(|it| it.is("please my our your"))
    {
        return None;
    }
    let text: Vec<&str> = name.iter().map(|it| it.text).collect();
    Some((phrase::name_of(&text.join(" "))?, name.len()))
}

/// The place of the verb, and whether it is denied.
fn verb(clause: &Clause<'_>, at: usize) -> (usize, bool) {
    let (mut at, mut denied) = (at, false);
    loop {
        // `have` is the verb itself where a thing follows: `I have two dogs`.
        let having = clause.is_at(at, HAVING) && has_thing(clause, at);
        // `been` is the verb itself where a place follows.
        if clause.is_at(at, "been") && !clause.is_at(at + 1, "to") {
            at += 1;
            continue;
        }
        if having || !(clause.is_at(at, HELPING) || clause.is_at(at, DENYING)) {
            return (at, denied);
        }
        denied ^= clause.is_at(at, DENYING);
        at += 1;
    }
}

/// Whether what follows `have` is a thing and no verb.
fn has_thing(clause: &Clause<'_>, at: usize) -> bool {
    let number = clause.word(at + 1).is_some_and(|next| {
        clause
            .found
            .iter()
            .any(|it| it.span.start == next.span.start)
            || phrase::listed(
                "one two three four five six seven eight nine ten",
                &next.lower,
            )
    });
    number || clause.is_at(at + 1, "a an no any some many my several few")
}

/// The phrase of what follows the verb.
fn object(clause: &Clause<'_>, from: usize) -> Option<Phrase> {
    // How much, which version and how many times is no part of what it is.
    let counted = |it: &Word<'_>| {
        let number = it.text.trim_start_matches('v');
        number.starts_with(|it: char| it.is_ascii_digit()) || it.is(COUNTS)
    };
    let words: Vec<Word<'_>> = clause
        .words
        .iter()
        .skip(from)
        .take_while(|it| it.text.chars().any(char::is_alphanumeric) && !it.is(ENDS))
        .filter(|it| !counted(it))
        .take(8)
        .cloned()
        .collect();
    let first = words.first()?;
    // `tried using a saw`: the deed is another one.
    let verbal = first.lower.ends_with("ing") && words.len() > 1;
    let supposed = words
        .iter()
        .any(|it| it.is("would could should might may will can"));
    if verbal || supposed || first.is(PRONOUNS) {
        return None;
    }
    let phrase = phrase::phrase(&words)?;
    (!phrase.is_period()).then_some(phrase)
}

fn push(
    rule: &'static str,
    clause: &Clause<'_>,
    (entity, topic, attribute): (&str, &str, &str),
    (polarity, literals): (Polarity, Vec<Literal>),
    out: &mut Out,
) {
    if clause.polarity == Polarity::Open {
        return;
    }
    let subject = phrase::subject(Some(entity), topic, attribute);
    out.push_with(rule, subject, clause.text, polarity, literals);
}

/// `I love Chinese food`, `Dana does not like cats`.
fn preference(clause: &Clause<'_>, act: &Act<'_>, out: &mut Out) {
    let stand = clause.is_at(act.verb, "stand") && act.denied;
    let likes = clause.is_at(act.verb, LIKES);
    if !likes && !clause.is_at(act.verb, DISLIKES) && !stand {
        return;
    }
    let from = if clause.is_at(act.verb + 1, "to") {
        act.verb + 2
    } else {
        act.verb + 1
    };
    let Some(topic) = object(clause, from).and_then(|it| it.topic()) else {
        return;
    };
    // Who cannot stand it denies it once, not twice.
    let polarity = if stand {
        Polarity::Denied
    } else {
        act.polarity(!likes)
    };
    let subject = (act.entity, topic.as_str(), "preference");
    push("preference", clause, subject, (polarity, Vec::new()), out);
}

/// `I have two dogs`, `We have no budget`.
fn has(clause: &Clause<'_>, act: &Act<'_>, out: &mut Out) {
    if !clause.is_at(act.verb, HAVING)
        || (clause.is_at(act.verb, "have has") && !has_thing(clause, act.verb))
    {
        return;
    }
    let none = clause.is_at(act.verb + 1, "no");
    let Some(phrase) = object(clause, act.verb + 1) else {
        return;
    };
    let Some(topic) = phrase.topic().filter(|it| !phrase::is_generic(it)) else {
        return;
    };
    // How many is a part of the fact.
    let literals = clause.found.iter();
    let literals = literals
        .filter(|it| it.literal.kind == LiteralKind::Quantity)
        .map(|it| it.literal.clone());
    let value = (act.polarity(none), sorted(literals.collect()));
    push("has", clause, (act.entity, &topic, "have"), value, out);
}

/// `I have never visited Lisbon`.
fn deed(clause: &Clause<'_>, act: &Act<'_>, out: &mut Out) {
    let form = |(forms, _): &&(&str, &str)| clause.is_at(act.verb, forms);
    let Some((_, attribute)) = DEEDS.iter().find(form) else {
        return;
    };
    // `worked with Dana`, `been to Lisbon`: the thing follows a preposition.
    let from = if clause.is_at(act.verb + 1, "with to on") && *attribute != "use" {
        act.verb + 2
    } else {
        act.verb + 1
    };
    let Some(topic) = object(clause, from)
        .and_then(|it| it.topic())
        .filter(|it| !phrase::is_generic(it))
    else {
        return;
    };
    // Which version is used is a value, what happened on which day is none.
    let used = clause
        .found
        .iter()
        .filter(|it| *attribute == "use" && it.literal.kind == LiteralKind::Package);
    let start = clause.word(from).map_or(0, |it| it.span.start);
    let version = used
        .filter(|it| it.span.start == start)
        .map(|it| it.literal.clone());
    let value = (act.polarity(false), version.collect());
    push("deed", clause, (act.entity, &topic, attribute), value, out);
}

/// The name that starts here, as a literal: what fills a place that holds one thing.
pub(super) fn named(clause: &Clause<'_>, from: usize) -> Option<Literal> {
    let name: Vec<&str> = clause
        .words
        .iter()
        .skip(from)
        .skip_while(|it| it.is("the"))
        .take_while(|it| it.is_proper() || it.is("of de van der la &"))
        .take(5)
        .map(|it| it.text)
        .collect();
    // A code of one letter or a pronoun is no name.
    let first = name.first()?;
    if *first == "I" || first.chars().count() < 2 {
        return None;
    }
    let name = phrase::name_of(&name.join(" "))?;
    Some(Literal::new(LiteralKind::Identifier, &name.to_uppercase()))
}

/// `I'm a nurse`, `I am vegetarian`: what somebody says to be.
fn role(clause: &Clause<'_>, at: usize, out: &mut Out) {
    const PASSING: &str = "\
        sorry sure glad happy afraid aware ok okay fine late sick back here there free ready done \
        bit fan little open able going trying excited worried interested curious new in on at out";
    let own = at.checked_sub(1).filter(|it| clause.is_at(*it, "i'm"));
    let verb = own
        .or_else(|| (clause.is_at(at, "am") && at > 0 && clause.is_at(at - 1, "i")).then_some(at));
    let Some(mut from) = verb.map(|it| it + 1) else {
        return;
    };
    let denied = clause.is_at(from, "not never");
    from += usize::from(denied);
    let article = clause.is_at(from, "a an");
    let end = clause.words.iter().skip(from + usize::from(article));
    let end: Vec<&Word<'_>> = end.take_while(|it| !it.is(". ! ,")).collect();
    let named = end
        .iter()
        .all(|it| it.text.chars().all(char::is_alphanumeric));
    let short = if article {
        (1..=3).contains(&end.len())
    } else {
        end.len() == 1
            && end
                .iter()
                .all(|it| !it.lower.ends_with("ing") && !it.lower.ends_with("ed"))
    };
    let passing = end.iter().any(|it| it.is(PASSING) || it.is(ENDS));
    if let (true, true, false, Some(entity)) = (named, short, passing, clause.sender_name()) {
        let polarity = if denied {
            Polarity::Denied
        } else {
            Polarity::Affirmed
        };
        push(
            "role",
            clause,
            (&entity, "fact", "is"),
            (polarity, Vec::new()),
            out,
        );
    }
}

/// `I live in Lisbon`, `Dana moved to Lisbon`.
fn home(clause: &Clause<'_>, act: &Act<'_>, out: &mut Out) {
    let lives = clause.is_at(act.verb, "live lives based") && clause.is_at(act.verb + 1, "in at");
    let moved = clause.is_at(act.verb, "moved relocated") && clause.is_at(act.verb + 1, "to");
    if !lives && !moved {
        return;
    }
    if let Some(place) = named(clause, act.verb + 2) {
        let value = (act.polarity(false), vec![place]);
        push("home", clause, (act.entity, "home", "location"), value, out);
    }
}

/// `The staging server is in Frankfurt`, `We moved the office to Munich`.
fn place(clause: &Clause<'_>, out: &mut Out) {
    if clause.polarity == Polarity::Open {
        return;
    }
    let found = if let Some(at) = clause.position("moved relocated") {
        let to = clause.words.iter().skip(at + 1).position(|it| it.is("to"));
        let to = to.map(|it| at + 1 + it);
        let what = to.and_then(|to| clause.words.get(at + 1..to));
        what.and_then(phrase::phrase).zip(to)
    } else {
        let verb = clause.position("is are");
        let lead = verb.map(|verb| {
            let located = clause.is_at(verb + 1, "located based hosted");
            verb + 1 + usize::from(located)
        });
        let lead = lead.filter(|it| clause.is_at(*it, "in at"));
        verb.and_then(|it| phrase::before(&clause.words, it))
            .zip(lead)
    };
    let Some((phrase, lead)) = found else { return };
    // Where somebody is today passes; a thing stays where it is.
    let thing =
        phrase.is_definite || matches!(phrase.owner, phrase::Owner::Ours | phrase::Owner::Sender);
    let passing = clause
        .words
        .iter()
        .skip(lead)
        .any(|it| it.is(super::fact::PASSING));
    if !thing || passing || clause.is_conditional(&phrase) {
        return;
    }
    let Some(place) = named(clause, lead + 1) else {
        return;
    };
    let subject = phrase
        .topic()
        .and_then(|topic| clause.subject(&phrase, &topic, "location"));
    out.push_with("place", subject, clause.text, clause.polarity, vec![place]);
}

/// `I work for Bolt Ltd`.
fn work(clause: &Clause<'_>, act: &Act<'_>, out: &mut Out) {
    let works =
        clause.is_at(act.verb, "work works working") && clause.is_at(act.verb + 1, "at for");
    let joined = clause.is_at(act.verb, "joined");
    if !works && !joined {
        return;
    }
    let from = act.verb + if works { 2 } else { 1 };
    if let Some(employer) = named(clause, from) {
        let value = (act.polarity(false), vec![employer]);
        push("work", clause, (act.entity, "job", "employer"), value, out);
    }
}

/// `Dana is responsible for the billing service`, `The billing service is owned by Dana`.
fn owner(clause: &Clause<'_>, out: &mut Out) {
    if clause.polarity == Polarity::Open {
        return;
    }
    let Some(verb) = clause.position("is are owns leads manages runs") else {
        return;
    };
    let passive = clause.is_at(verb, "is are")
        && clause.is_at(verb + 1, "owned led managed run maintained")
        && clause.is_at(verb + 2, "by");
    if passive {
        let phrase = phrase::before(&clause.words, verb);
        if let Some((phrase, owner)) = phrase.zip(named(clause, verb + 3)) {
            push_owner(clause, &phrase, owner, out);
        }
        return;
    }
    let from = if clause.is_at(verb, "owns leads manages runs") {
        verb + 1
    } else if clause.is_at(verb + 1, "responsible") && clause.is_at(verb + 2, "for") {
        verb + 3
    } else if clause.is_at(verb + 1, "in")
        && clause.is_at(verb + 2, "charge")
        && clause.is_at(verb + 3, "of")
    {
        verb + 4
    } else {
        return;
    };
    // The name has to be all that stands before the verb.
    let is_name = (1..=3).contains(&verb) && clause.words.iter().take(verb).all(Word::is_proper);
    let Some(owner) = named(clause, 0).filter(|_| is_name) else {
        return;
    };
    if let Some(phrase) = object(clause, from) {
        push_owner(clause, &phrase, owner, out);
    }
}

fn push_owner(clause: &Clause<'_>, phrase: &Phrase, owner: Literal, out: &mut Out) {
    let topic = phrase.topic().filter(|it| !phrase::is_generic(it));
    let subject = topic.and_then(|topic| clause.subject(phrase, &topic, "owner"));
    out.push_with("owner", subject, clause.text, clause.polarity, vec![owner]);
}
