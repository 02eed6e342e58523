//! The embedder behind an endpoint, against one on this machine that answers rightly and wrongly.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use immune_client::{Client, Endpoint as Base, Plain, Settings};
use immune_embed::{Remote, RemoteSettings};
use immune_model::limits;
use immune_recall::{EmbedError, Embedder, Window, chunk};
use immune_testkit::endpoint::{Answer, Asked, Endpoint};
use serde_json::{Value, json};

/// An embedder of `dimensions` behind `endpoint`, whose waits are not waited.
fn remote(endpoint: &Endpoint, dimensions: Option<u32>) -> Result<Remote, EmbedError> {
    let base = Base::parse(&endpoint.url(), Plain::OnThisMachine).unwrap();
    let client = Client::waiting(Settings::new(base, "small"), Arc::new(|_| ()));
    let settings = RemoteSettings {
        dimensions,
        ..RemoteSettings::default()
    };
    Remote::new(client, settings)
}

/// For each text its length and 1, last text first.
fn vectors(asked: &Asked) -> Answer {
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    let texts = body.get("input").and_then(Value::as_array).unwrap();
    let one = |(index, text): (usize, &Value)| {
        let length = text.as_str().unwrap().len();
        json!({"object": "embedding", "index": index, "embedding": [length, 1]})
    };
    let list: Vec<Value> = texts.iter().enumerate().map(one).rev().collect();
    Answer::status(200, &json!({"object": "list", "data": list}).to_string())
}

fn error(answer: Answer) -> EmbedError {
    let endpoint = Endpoint::of(vec![answer]);
    let remote = remote(&endpoint, Some(2)).unwrap();
    remote.embed(&["one"]).unwrap_err()
}

#[test]
fn texts_go_in_batches_and_come_back_in_their_order_with_length_one() {
    let endpoint = Endpoint::new(|_, asked| vectors(asked));
    let remote = remote(&endpoint, None).unwrap();
    assert_eq!(remote.model().to_string(), "small (2 dimensions)");
    assert!(remote.is_on_this_machine());
    let texts: Vec<String> = (1..=2 * limits::EMBED_BATCH_TEXTS_MAX + 1)
        .map(|it| "x".repeat(it))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = remote.embed(&texts).unwrap();
    assert_eq!(found.len(), texts.len());
    for (vector, text) in found.iter().zip(&texts) {
        let length = f32::from(u16::try_from(text.len()).unwrap());
        assert!((vector[0] / vector[1] - length).abs() < 0.01 * length);
        assert!((vector[0].hypot(vector[1]) - 1.0).abs() < 1e-6);
    }
    let asked = endpoint.asked();
    // One to learn the dimensions, and three batches.
    assert_eq!(asked.len(), 4);
    assert_eq!(asked[0].line, "POST /v1/embeddings");
    let keys: Value = serde_json::from_str(&asked[0].body).unwrap();
    assert_eq!(
        keys.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["model", "input"]
    );
}

#[test]
fn a_text_that_is_larger_than_a_batch_goes_alone() {
    let endpoint = Endpoint::new(|_, asked| vectors(asked));
    let remote = remote(&endpoint, Some(2)).unwrap();
    let long = "x".repeat(limits::EMBED_BATCH_BYTES_MAX + 1);
    assert_eq!(remote.embed(&["a", "b", &long, "c"]).unwrap().len(), 4);
    assert_eq!(endpoint.asked().len(), 3);
    assert!(remote.embed(&[]).unwrap().is_empty());
    assert_eq!(endpoint.asked().len(), 3);
}

#[test]
fn a_busy_endpoint_is_asked_again() {
    let endpoint = Endpoint::new(|n, asked| match n {
        0 => Answer::status(503, "busy"),
        _ => vectors(asked),
    });
    let remote = remote(&endpoint, Some(2)).unwrap();
    assert_eq!(remote.embed(&["one"]).unwrap().len(), 1);
    assert_eq!(endpoint.asked().len(), 2);
}

#[test]
fn other_dimensions_are_refused_with_both_numbers() {
    let answer = |numbers: &str| {
        Answer::status(200, &format!(r#"{{"data": [{{"embedding": {numbers}}}]}}"#))
    };
    assert_eq!(
        error(answer("[1, 2, 3]")).to_string(),
        "`small` gave a vector of 3 dimensions where 2 are expected"
    );
    assert_eq!(
        error(answer("[0, 0]")).to_string(),
        "`small` gave a vector without a direction"
    );
    assert_eq!(
        error(answer("[1e300, 1]")).to_string(),
        "`small` gave a vector without a direction"
    );
}

#[test]
fn what_is_no_answer_says_so_and_what_to_do() {
    for (answer, part, right) in [
        (Answer::status(200, "{}"), "there is no `data` in it", false),
        (
            Answer::status(200, r#"{"data": []}"#),
            "0 vectors for 1 texts",
            false,
        ),
        (
            Answer::status(400, r#"{"error": {"message": "no embeddings"}}"#),
            "no embeddings",
            true,
        ),
        (Answer::status(404, "no model"), "answered 404", true),
        (Answer::status(401, ""), "does not take the key", true),
        (Answer::Closed, "cannot be reached", true),
    ] {
        let EmbedError::Endpoint {
            reason,
            advice,
            is_about_the_endpoint,
        } = error(answer)
        else {
            panic!("it is about the endpoint");
        };
        assert!(reason.contains(part), "{reason}");
        assert!(!advice.is_empty());
        assert_eq!(is_about_the_endpoint, right, "{reason}");
    }
}

#[test]
fn a_blank_text_is_near_to_nothing() {
    let endpoint = Endpoint::new(|_, asked| vectors(asked));
    let remote = remote(&endpoint, Some(2)).unwrap();
    let found = remote.embed(&[" \n", "x"]).unwrap();
    assert!(found[0].iter().all(|it| it.abs() < f32::MIN_POSITIVE));
    assert!(found[1][0] > 0.0);
}

#[test]
fn a_long_text_is_cut_into_spans_that_fit() {
    let endpoint = Endpoint::new(|_, asked| vectors(asked));
    let remote = remote(&endpoint, Some(2)).unwrap();
    let text = "A sentence of some words. ".repeat(500);
    let count = |it: &str| remote.n_tokens(it);
    let spans = chunk(&text, Window::of(&remote), &count);
    assert!(spans.len() > 5);
    assert!(
        spans
            .iter()
            .all(|it| count(&text[it.clone()]) <= limits::EMBED_WINDOW_TOKENS)
    );
}
