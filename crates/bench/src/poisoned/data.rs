//! Questions with published false texts: PoisonedRAG and RealtimeQA.
//!
//! PoisonedRAG (Zou et al., USENIX Security 2025): a hundred questions each of Natural Questions and
//! HotpotQA, with five texts made to be found and to say a wrong answer; it has no honest texts, so a
//! question has one, of itself and its right answer. RealtimeQA (Kasai et al. 2023), as RobustRAG
//! uses it (Xiang et al. 2024): fifty questions with what a web search found, and five false texts.

use std::path::Path;

use serde_json::Value;

/// A question with what is true and what is false about it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Question {
    pub(crate) text: String,
    /// Honest texts.
    pub(crate) honest: Vec<Honest>,
    /// The published false ones.
    pub(crate) poison: Vec<String>,
    /// What is right, in any of these words.
    pub(crate) right: Vec<String>,
    /// What the false texts say.
    pub(crate) wrong: String,
}

/// An honest text.
#[derive(Debug, Clone)]
pub(crate) struct Honest {
    /// Who says it.
    pub(crate) source: String,
    pub(crate) text: String,
}

/// A set by its name, with its questions.
type Set = (&'static str, Vec<Question>);

/// Both sets of a folder; says what is not there.
pub(crate) fn sets(folder: &Path) -> Result<Vec<Set>, String> {
    let read = |name: &str| -> Result<Value, String> {
        let path = folder.join(name);
        let text = fs_err::read_to_string(&path).map_err(|_| format!("no `{}`", path.display()))?;
        serde_json::from_str(&text).map_err(|it| format!("`{}`: {it}", path.display()))
    };
    let mut poisonedrag = Vec::new();
    for name in ["poisonedrag/nq.json", "poisonedrag/hotpotqa.json"] {
        let file = read(name)?;
        let questions = file.as_object().into_iter().flat_map(|it| it.values());
        poisonedrag.extend(questions.map(of_poisonedrag));
    }
    let file = read("realtimeqa/questions.json")?;
    let realtimeqa = file.as_array().into_iter().flatten().map(of_realtimeqa);
    Ok(vec![
        ("poisonedrag", poisonedrag),
        ("realtimeqa", realtimeqa.collect()),
    ])
}

fn of_poisonedrag(value: &Value) -> Question {
    let question = text(value, "question");
    let sentence = format!("{question}: {}.", text(value, "correct answer"));
    Question {
        text: question.to_owned(),
        honest: vec![Honest {
            source: "almanac".to_owned(),
            text: sentence,
        }],
        poison: texts(value, "adv_texts"),
        right: vec![text(value, "correct answer").to_owned()],
        wrong: text(value, "incorrect answer").to_owned(),
    }
}

fn of_realtimeqa(value: &Value) -> Question {
    let found = value.get("context").and_then(Value::as_array);
    let honest = found.into_iter().flatten().map(|it| {
        let words = format!("{} {}", text(it, "title"), text(it, "text"));
        Honest {
            source: site(text(it, "link")),
            text: words.trim().to_owned(),
        }
    });
    Question {
        text: text(value, "question").to_owned(),
        honest: honest.filter(|it| !it.text.is_empty()).collect(),
        poison: texts(value, "incorrect_context"),
        right: texts(value, "correct answer"),
        wrong: text(value, "incorrect answer").to_owned(),
    }
}

/// The site of an address, as a name; some of what was found has none.
fn site(link: &str) -> String {
    let host = link.split("://").nth(1).and_then(|it| it.split('/').next());
    let host = host.filter(|it| !it.is_empty()).unwrap_or("unnamed");
    host.to_lowercase()
}

fn text<'v>(value: &'v Value, at: &str) -> &'v str {
    value.get(at).and_then(Value::as_str).unwrap_or_default()
}

fn texts(value: &Value, at: &str) -> Vec<String> {
    let found = value.get(at).and_then(Value::as_array);
    let found = found.into_iter().flatten().filter_map(Value::as_str);
    found.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_question_without_honest_texts_gets_its_right_answer_as_one() {
        let found = of_poisonedrag(&json!({
            "question": "who sang it", "correct answer": "Elvis", "adv_texts": ["Frank did.", "It was Frank."],
        }));
        assert_eq!(found.honest[0].text, "who sang it: Elvis.");
        assert_eq!(found.poison, ["Frank did.", "It was Frank."]);
    }

    #[test]
    fn what_a_search_found_is_a_text_of_its_site() {
        let found = of_realtimeqa(&json!({
            "question": "who", "incorrect_context": ["he"],
            "context": [
                {"title": "A", "text": "b", "link": "https://News.example/x"},
                {"title": "Title alone"},
            ],
        }));
        let found = found.honest.iter();
        let found: Vec<_> = found
            .map(|it| (it.source.as_str(), it.text.as_str()))
            .collect();
        assert_eq!(found, [("news.example", "A b"), ("unnamed", "Title alone")]);
    }
}
