//! One line of a graph: which keys it has, and what they hold. For `graph` only.

use std::borrow::Cow;
use std::fmt;

use immune_model::{
    ActionClass, ActionStatus, ChannelName, Handle, Instant, Kind, NameError, SourceKind, Subject,
    Text, Trust,
};
use immune_reason::graph::{
    ActionLine, BeliefLine, DecisionLine, FlagLine, Graph, GraphError, GraphProblem,
    JustificationLine, ObservationLine, Said, SourceLine, Word,
};
use serde::Deserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

use crate::jsonl::no_object;

/// The kind of action where the line names none.
const KIND: &str = "action";

/// The kinds of line, each with the word for one of it and the keys beside its own.
const KINDS: [(&str, &str, &[&str]); 7] = [
    (
        "source",
        "a source",
        &["channel", "tier", "kind", "mirrors"],
    ),
    ("observation", "an observation", &["source", "text", "at"]),
    ("belief", "a belief", &["about", "claim", "agent"]),
    ("justification", "a justification", &["belief", "premises"]),
    ("decision", "a decision", &["agent", "relied_on"]),
    (
        "action",
        "an action",
        &["decision", "kind", "class", "status"],
    ),
    ("flag", "a flag", &["reason"]),
];

/// A value as it stands in a line.
#[derive(Debug)]
enum Value<'l> {
    Text(Cow<'l, str>),
    Texts(Vec<Word>),
    Number(&'l str),
}

/// What was read of a line so far.
struct Read<'l, 'g> {
    graph: &'g mut Graph,
    kind: Option<usize>,
    alias: Cow<'l, str>,
    values: Vec<(&'static str, Value<'l>)>,
    /// What is wrong, in our words.
    problem: Option<String>,
}

/// Reads a line into the graph.
pub(super) fn read_line(line: &[u8], number: u64, graph: &mut Graph) -> Result<(), GraphError> {
    let wrong = |alias: Option<&str>, reason: String| GraphError {
        line: number,
        alias: alias.map(str::to_owned),
        problem: GraphProblem::Malformed { reason },
    };
    let text = std::str::from_utf8(line).map_err(|error| {
        wrong(
            None,
            format!("it is no UTF-8 at byte {}", error.valid_up_to()),
        )
    })?;
    let mut read = Read {
        graph: &mut *graph,
        kind: None,
        alias: Cow::Borrowed(""),
        values: Vec::with_capacity(4),
        problem: None,
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let parsed = json.deserialize_map(&mut read).and_then(|()| json.end());
    if let Err(error) = parsed {
        let alias = read.kind.is_some().then_some(&*read.alias);
        // The parser's words for what is no JSON, ours for what is none of the format.
        let ours = read.problem.filter(|_| error.is_data());
        return Err(wrong(alias, ours.unwrap_or_else(|| no_object(&error))));
    }
    let Some((kind, one, _)) = read.kind.and_then(|it| KINDS.get(it)) else {
        return Err(wrong(None, "it has no key".to_owned()));
    };
    let (alias, values) = (read.alias, read.values);
    let line = Values { one, kind, values };
    let said = line
        .said(graph)
        .map_err(|problem| GraphError::new(number, &alias, problem))?;
    graph.add(number, &alias, said)
}

impl<'l> Visitor<'l> for &mut Read<'l, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'l>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key_seed(OneText)? {
            let Some(kind) = self.kind.and_then(|it| KINDS.get(it)) else {
                self.first(&key, &mut map)?;
                continue;
            };
            let (own, one, others) = kind;
            let known = others.iter().copied().find(|it| *it == key);
            let twice = *own == key || self.values.iter().any(|(it, _)| *it == key);
            let reason = match known {
                _ if twice => format!("`{key}` is there twice"),
                None => format!("{one} has no key `{}`", key.escape_debug()),
                Some(known) => {
                    let value = self.value(known, &mut map)?;
                    self.values.push((known, value));
                    continue;
                }
            };
            return Err(self.fail(reason));
        }
        Ok(())
    }
}

impl<'l> Read<'l, '_> {
    /// The first key names the kind, its value the alias.
    fn first<M: MapAccess<'l>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        let Some(kind) = KINDS.iter().position(|(own, ..)| *own == key) else {
            let key = key.escape_debug();
            return Err(self.fail(format!("the first key is `{key}`, which names no kind")));
        };
        let alias = map.next_value_seed(OneText);
        self.alias = alias.map_err(|error| self.note(format!("`{key}` is no text"), error))?;
        self.kind = Some(kind);
        Ok(())
    }

    fn value<M: MapAccess<'l>>(
        &mut self,
        key: &'static str,
        map: &mut M,
    ) -> Result<Value<'l>, M::Error> {
        match key {
            "tier" => {
                let raw = map.next_value::<&serde_json::value::RawValue>()?.get();
                if raw.starts_with(|it: char| it == '-' || it.is_ascii_digit()) {
                    return Ok(Value::Number(raw));
                }
                Err(self.fail(format!("`{key}` is no number")))
            }
            "mirrors" | "premises" | "relied_on" => {
                let texts = map.next_value_seed(ManyTexts(self.graph));
                texts
                    .map(Value::Texts)
                    .map_err(|error| self.note(format!("`{key}` is no list of texts"), error))
            }
            _ => {
                let text = map.next_value_seed(OneText);
                text.map(Value::Text)
                    .map_err(|error| self.note(format!("`{key}` is no text"), error))
            }
        }
    }

    /// Notes what is wrong in our words, and stops the parser.
    fn fail<E: serde::de::Error>(&mut self, reason: String) -> E {
        self.note(reason, E::custom(""))
    }

    fn note<E>(&mut self, reason: String, error: E) -> E {
        self.problem = Some(reason);
        error
    }
}

/// One text, borrowed from the line if nothing in it is escaped.
struct OneText;

impl<'l> DeserializeSeed<'l> for OneText {
    type Value = Cow<'l, str>;

    fn deserialize<D: Deserializer<'l>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_str(self)
    }
}

impl<'l> Visitor<'l> for OneText {
    type Value = Cow<'l, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E>(self, text: &'l str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// A list of references: sorted, without repeats.
struct ManyTexts<'g>(&'g mut Graph);

impl<'l> DeserializeSeed<'l> for ManyTexts<'_> {
    type Value = Vec<Word>;

    fn deserialize<D: Deserializer<'l>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'l> Visitor<'l> for ManyTexts<'_> {
    type Value = Vec<Word>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of texts")
    }

    fn visit_seq<S: SeqAccess<'l>>(self, mut texts: S) -> Result<Self::Value, S::Error> {
        let mut words = Vec::new();
        while let Some(text) = texts.next_element_seed(OneText)? {
            words.push(self.0.word(&text));
        }
        words.sort_unstable();
        words.dedup();
        Ok(words)
    }
}

/// The values of a line, to be taken by their keys.
struct Values<'l> {
    one: &'static str,
    kind: &'static str,
    values: Vec<(&'static str, Value<'l>)>,
}

impl<'l> Values<'l> {
    /// What the line says.
    fn said(mut self, graph: &mut Graph) -> Result<Said, GraphProblem> {
        Ok(match self.kind {
            "source" => Said::Source(self.source()?),
            "observation" => Said::Observation(ObservationLine {
                source: self.word("source", graph)?,
                text: self.content("text")?,
                sent_at: self.time("at")?,
            }),
            "belief" => Said::Belief(BeliefLine {
                about: self.name("about", Subject::new)?,
                claim: self.content("claim")?,
                agent: self.name("agent", Handle::new)?,
            }),
            "justification" => Said::Justification(JustificationLine {
                belief: self.word("belief", graph)?,
                premises: self.words("premises")?,
            }),
            "decision" => Said::Decision(DecisionLine {
                agent: self.name("agent", Handle::new)?,
                relied_on: self.words("relied_on")?,
            }),
            "action" => Said::Action(self.action(graph)?),
            "flag" => Said::Flag(FlagLine {
                reason: self.content("reason")?,
            }),
            other => unreachable!("`{other}` is in no row of the kinds"),
        })
    }

    fn source(&mut self) -> Result<SourceLine, GraphProblem> {
        let channel = self.name("channel", ChannelName::new)?;
        let channel = channel.ok_or_else(|| self.needs("channel"))?;
        let tier = match self.take("tier") {
            Some(Value::Number(digits)) => tier(digits)?,
            _ => return Err(self.needs("tier")),
        };
        let kind = self.choice("kind", SourceKind::from_name, "kind of source")?;
        let mirrors = match self.take("mirrors") {
            Some(Value::Texts(words)) => words.into(),
            _ => Box::default(),
        };
        Ok(SourceLine {
            channel,
            tier,
            kind: kind.unwrap_or(SourceKind::Other),
            mirrors,
        })
    }

    fn action(&mut self, graph: &mut Graph) -> Result<ActionLine, GraphProblem> {
        let decision = self.word("decision", graph)?;
        let kind = self.name("kind", Kind::new)?;
        let class = self.choice("class", ActionClass::from_name, "class of actions")?;
        let status = self.choice("status", ActionStatus::from_name, "status of an action")?;
        Ok(ActionLine {
            decision,
            kind: kind.unwrap_or_else(|| Kind::new(KIND).expect("a constant that is a name")),
            // As where no rule was set: taken to be beyond undoing.
            class: class.unwrap_or(ActionClass::Irreversible),
            status: status.unwrap_or(ActionStatus::Executed),
        })
    }

    fn take(&mut self, key: &str) -> Option<Value<'l>> {
        let place = self.values.iter().position(|(it, _)| *it == key)?;
        Some(self.values.swap_remove(place).1)
    }

    fn text(&mut self, key: &str) -> Option<Cow<'l, str>> {
        match self.take(key)? {
            Value::Text(text) => Some(text),
            Value::Texts(_) | Value::Number(_) => None,
        }
    }

    fn content(&mut self, key: &'static str) -> Result<Option<Text>, GraphProblem> {
        let text = self.text(key).map(|it| Text::new(&it)).transpose();
        text.map_err(|error| GraphProblem::Text { key, error })
    }

    fn name<T>(
        &mut self,
        key: &'static str,
        new: fn(&str) -> Result<T, NameError>,
    ) -> Result<Option<T>, GraphProblem> {
        let name = self.text(key).map(|it| new(&it)).transpose();
        name.map_err(|error| GraphProblem::Name { key, error })
    }

    fn time(&mut self, key: &str) -> Result<Option<Instant>, GraphProblem> {
        let time = self.text(key).map(|it| it.parse::<Instant>()).transpose();
        time.map_err(|error| malformed(error.to_string()))
    }

    fn choice<T>(
        &mut self,
        key: &str,
        from_name: fn(&str) -> Option<T>,
        what: &str,
    ) -> Result<Option<T>, GraphProblem> {
        let Some(word) = self.text(key) else {
            return Ok(None);
        };
        let found = from_name(&word);
        found
            .map(Some)
            .ok_or_else(|| malformed(format!("`{word}` is no {what}")))
    }

    fn word(&mut self, key: &'static str, graph: &mut Graph) -> Result<Word, GraphProblem> {
        let word = self.text(key).ok_or_else(|| self.needs(key))?;
        Ok(graph.word(&word))
    }

    fn words(&mut self, key: &'static str) -> Result<Box<[Word]>, GraphProblem> {
        match self.take(key) {
            Some(Value::Texts(words)) => Ok(words.into()),
            _ => Err(self.needs(key)),
        }
    }

    fn needs(&self, key: &str) -> GraphProblem {
        malformed(format!("{} needs `{key}`", self.one))
    }
}

fn malformed(reason: String) -> GraphProblem {
    GraphProblem::Malformed { reason }
}

/// A tier as it is written: a JSON number with at most three decimals that say something.
fn tier(digits: &str) -> Result<Trust, GraphProblem> {
    let refused = |digits: &str| {
        let error = digits.parse::<Trust>().err();
        let error = error.map_or_else(
            || format!("`{digits}` is no trust value"),
            |it| it.to_string(),
        );
        malformed(error)
    };
    let shorter = if digits.contains(['e', 'E']) {
        let value: f64 = digits.parse().map_err(|_| refused(digits))?;
        value.to_string()
    } else if digits.contains('.') {
        digits
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    } else {
        digits.to_owned()
    };
    shorter.parse().map_err(|_| refused(digits))
}
