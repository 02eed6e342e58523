//! Long conversations with questions and the turns that answer them: LoCoMo and BEAM.
//!
//! LoCoMo (Maharana et al. 2024): five conversations of two people over many sessions; the words of
//! a turn are the date of its session, who speaks, what is said, and what a shared picture shows.
//! BEAM (Tavakoli et al. 2025): ten chats with an assistant; what follows one question of the user
//! is one thread. Evidence that names no turn is left out, and so is a question without any.
//! The date is a label before every turn of a session: words look it up, and an embedder reads who
//! says what, since a label that many share makes them alike.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use crate::BenchError;

/// A conversation.
pub(super) struct Dialog {
    pub(super) turns: Vec<Turn>,
    pub(super) questions: Vec<Question>,
}

/// What one side says.
pub(super) struct Turn {
    /// What words are looked up in: the date, who speaks and what is said.
    pub(super) text: String,
    /// How many bytes of it the date takes.
    date_bytes: usize,
    /// The session it is part of.
    pub(super) thread: u32,
}

impl Turn {
    /// A turn of a session of this date, if that is known.
    fn new(date: &str, said: &str, thread: u32) -> Self {
        let date = format!("{date} ");
        let date = date.trim_start();
        Self {
            text: format!("{date}{said}").trim_end().to_owned(),
            date_bytes: date.len(),
            thread,
        }
    }

    /// Who says what, which is what an embedder reads.
    pub(super) fn said(&self) -> &str {
        self.text.get(self.date_bytes..).unwrap_or_default()
    }
}

/// What is asked of the memory.
pub(super) struct Question {
    pub(super) text: String,
    pub(super) category: String,
    /// The turns that answer it; at least one.
    pub(super) evidence: Vec<u32>,
}

fn text<'v>(value: &'v Value, at: &str) -> &'v str {
    value.get(at).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(value: &'v Value, at: &str) -> &'v [Value] {
    let found = value.get(at).and_then(Value::as_array);
    found.map(Vec::as_slice).unwrap_or_default()
}

fn parsed(path: &Path) -> Result<Value, BenchError> {
    let text = fs_err::read_to_string(path)?;
    serde_json::from_str(&text).map_err(BenchError::refused("read the conversations"))
}

/// The conversations of the file of LoCoMo.
pub(super) fn locomo(path: &Path) -> Result<Vec<Dialog>, BenchError> {
    let file = parsed(path)?;
    let conversations = file.as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(conversations.iter().map(conversation).collect())
}

fn conversation(value: &Value) -> Dialog {
    let said = value.get("conversation").unwrap_or(&Value::Null);
    let mut turns = Vec::new();
    let mut by_id: HashMap<String, u32> = HashMap::new();
    for session in 1_u32.. {
        let name = format!("session_{session}");
        let date = said.get(format!("{name}_date_time"));
        if said.get(&name).is_none() && date.is_none() {
            break;
        }
        let date = date.and_then(Value::as_str).unwrap_or_default();
        for turn in list(said, &name) {
            let (speaker, words) = (text(turn, "speaker"), text(turn, "text"));
            let picture = text(turn, "blip_caption");
            by_id.insert(text(turn, "dia_id").to_owned(), turns.len() as u32);
            turns.push(Turn::new(
                date,
                &format!("{speaker}: {words} {picture}"),
                session - 1,
            ));
        }
    }
    let question = |it: &Value| {
        let named = list(it, "evidence").iter().filter_map(Value::as_str);
        let named = named.flat_map(|it| it.split([';', ' ', ',']));
        // Some are written `D:11:26`.
        let turns = named.filter_map(|it| by_id.get(&it.replacen("D:", "D", 1)).copied());
        Question {
            text: shown(it.get("question").unwrap_or(&Value::Null)),
            category: shown(it.get("category").unwrap_or(&Value::Null)),
            evidence: sorted(turns.collect()),
        }
    };
    Dialog {
        questions: answered(list(value, "qa").iter().map(question)),
        turns,
    }
}

/// The chats in the folder of BEAM, `1` and on.
pub(super) fn beam(path: &Path) -> Result<Vec<Dialog>, BenchError> {
    let mut dialogs = Vec::new();
    for number in 1_u32.. {
        let folder = path.join(number.to_string());
        if !folder.is_dir() {
            break;
        }
        let chat = parsed(&folder.join("chat.json"))?;
        let asked = parsed(&folder.join("probing_questions.json"))?;
        dialogs.push(of_chat(&chat, &asked));
    }
    Ok(dialogs)
}

fn of_chat(chat: &Value, asked: &Value) -> Dialog {
    let mut turns = Vec::new();
    let mut by_id: HashMap<u64, u32> = HashMap::new();
    let batches = chat.as_array().into_iter().flatten();
    let groups = batches.flat_map(|it| list(it, "turns"));
    for (thread, group) in (0_u32..).zip(groups) {
        for turn in group.as_array().into_iter().flatten() {
            if let Some(id) = turn.get("id").and_then(Value::as_u64) {
                by_id.insert(id, turns.len() as u32);
            }
            // A mark of the generator stands behind what the user says.
            let words = text(turn, "content");
            let words = words.split("->->").next().unwrap_or_default().trim();
            let (date, speaker) = (text(turn, "time_anchor"), text(turn, "role"));
            turns.push(Turn::new(date, &format!("{speaker}: {words}"), thread));
        }
    }
    let mut questions = Vec::new();
    for (category, of_category) in asked.as_object().into_iter().flatten() {
        let question = |it: &Value| {
            let mut ids = Vec::new();
            numbers(it.get("source_chat_ids").unwrap_or(&Value::Null), &mut ids);
            Question {
                text: text(it, "question").to_owned(),
                category: category.replace('_', " "),
                evidence: sorted(ids.iter().filter_map(|it| by_id.get(it).copied()).collect()),
            }
        };
        let of_category = of_category.as_array().into_iter().flatten();
        questions.extend(answered(of_category.map(question)));
    }
    Dialog { turns, questions }
}

/// All numbers in a value, however deep.
fn numbers(value: &Value, found: &mut Vec<u64>) {
    match value {
        Value::Array(list) => list.iter().for_each(|it| numbers(it, found)),
        Value::Object(fields) => fields.values().for_each(|it| numbers(it, found)),
        other => found.extend(other.as_u64()),
    }
}

/// A text as it is, anything else as JSON.
fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn sorted(mut turns: Vec<u32>) -> Vec<u32> {
    turns.sort_unstable();
    turns.dedup();
    turns
}

fn answered(questions: impl Iterator<Item = Question>) -> Vec<Question> {
    questions.filter(|it| !it.evidence.is_empty()).collect()
}
