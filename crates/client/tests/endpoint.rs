//! The client against an endpoint on this machine that answers rightly, wrongly and not at all.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use immune_client::{
    Chat, Client, ClientError, Constraint, Key, Money, Plain, Price, Prompt, Settings, Tokens,
};
use immune_testkit::endpoint::{Answer, Endpoint};
use serde_json::{Value, json};

/// A client whose waits are noted and not waited.
struct World {
    endpoint: Endpoint,
    waits: Arc<Mutex<Vec<u64>>>,
    client: Client,
}

impl World {
    fn of(answers: Vec<Answer>) -> Self {
        Self::with(answers, |it| it)
    }

    fn with(answers: Vec<Answer>, change: impl FnOnce(Settings) -> Settings) -> Self {
        let endpoint = Endpoint::of(answers);
        let base = immune_client::Endpoint::parse(&endpoint.url(), Plain::OnThisMachine);
        let waits = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&waits);
        let wait = move |it: Duration| {
            let mut waits = noted.lock().unwrap();
            waits.push(u64::try_from(it.as_millis()).unwrap());
        };
        let settings = change(Settings::new(base.unwrap(), "small"));
        Self {
            endpoint,
            waits,
            client: Client::waiting(settings, Arc::new(wait)),
        }
    }

    fn ask(&self) -> Result<String, ClientError> {
        let schema = json!({"type": "object"});
        self.client.chat(&Chat {
            system: "Answer in JSON.",
            user: "äöü ✓",
            name: "answer",
            schema: &schema,
        })
    }

    fn waits(&self) -> Vec<u64> {
        self.waits.lock().unwrap().clone()
    }

    /// The error with the port taken out, and whether it is about the endpoint.
    fn error(&self) -> (String, bool) {
        let error = self.ask().unwrap_err();
        assert!(!error.advice().is_empty());
        let shown = error.to_string().replace(&self.endpoint.url(), "URL");
        (shown, error.is_about_the_endpoint())
    }
}

#[test]
fn a_reply_comes_back_and_the_request_says_the_least() {
    let world = World::of(vec![Answer::reply("{\"a\": \"ä\\n\"}")]);
    assert_eq!(world.ask().unwrap(), "{\"a\": \"ä\\n\"}");
    let asked = world.endpoint.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].line, "POST /v1/chat/completions");
    assert_eq!(asked[0].header("content-type"), Some("application/json"));
    assert_eq!(asked[0].header("authorization"), None);
    let body: Value = serde_json::from_str(&asked[0].body).unwrap();
    assert_eq!(body["model"], "small");
    assert_eq!(body["messages"][1]["content"], "äöü ✓");
    assert_eq!(body["response_format"]["json_schema"]["strict"], true);
    assert_eq!(world.client.calls_sent(), 1);
}

#[test]
fn a_schema_that_is_refused_is_asked_for_in_weaker_words_and_never_again() {
    let no = Answer::status(
        400,
        r#"{"error":{"message":"response_format is not supported"}}"#,
    );
    let world = World::of(vec![
        no.clone(),
        no.clone(),
        Answer::reply("{}"),
        Answer::reply("{}"),
    ]);
    assert_eq!(world.ask().unwrap(), "{}");
    assert_eq!(world.client.constraint(), Constraint::Words);
    world.ask().unwrap();
    assert_eq!(world.endpoint.asked().len(), 4);

    // A text that is refused whatever is asked for it changes nothing for the next one.
    let world = World::of(vec![no.clone(), no.clone(), no, Answer::reply("{}")]);
    let expected = "`URL` answered 400: response_format is not supported";
    assert_eq!(world.error(), (expected.to_owned(), true));
    assert_eq!(world.client.constraint(), Constraint::Schema);
    world.ask().unwrap();
}

#[test]
fn a_model_that_takes_no_temperature_keeps_its_schema() {
    let no = r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0"}}"#;
    let world = World::of(vec![Answer::status(400, no), Answer::reply("{}")]);
    world.ask().unwrap();
    world.ask().unwrap();
    assert_eq!(world.client.constraint(), Constraint::Schema);
    let asked = world.endpoint.asked();
    let bodies = asked.iter().map(|it| {
        let body: Value = serde_json::from_str(&it.body).unwrap();
        (
            body.get("temperature").is_some(),
            body.get("response_format").is_some(),
        )
    });
    let bodies: Vec<_> = bodies.collect();
    assert_eq!(bodies, [(true, true), (false, true), (false, true)]);
}

#[test]
fn a_busy_endpoint_is_asked_again_when_it_says() {
    let busy = |after: &str| Answer::status(429, "slow down").with("retry-after", after);
    let world = World::of(vec![busy("7"), busy("0"), Answer::reply("{}")]);
    world.ask().unwrap();
    assert_eq!(world.waits(), [7_000, 0]);
    assert_eq!(world.client.calls_sent(), 3);

    let world = World::of(vec![busy("3600")]);
    let expected = "`URL` answered 429 and asks to wait 3600 s";
    assert_eq!(world.error(), (expected.to_owned(), true));
    assert!(world.waits().is_empty());
}

#[test]
fn a_broken_endpoint_is_asked_three_times() {
    let world = World::of(vec![Answer::status(503, r#"{"error":"loading model"}"#)]);
    let expected = "`URL` answered 503 to each of 3 attempts: loading model";
    assert_eq!(world.error(), (expected.to_owned(), true));
    assert_eq!(world.waits(), [250, 500]);

    let world = World::of(vec![Answer::Closed, Answer::Closed, Answer::reply("{}")]);
    world.ask().unwrap();
    assert_eq!(world.waits(), [250, 500]);

    let world = World::of(vec![Answer::Short(b"{\"choices\"".to_vec())]);
    let (shown, is_about_it) = world.error();
    assert!(
        shown.starts_with("`URL` cannot be reached: ") && is_about_it,
        "{shown}"
    );
}

#[test]
fn nobody_there_is_told_with_what_to_do() {
    let world = World::of(Vec::new());
    let url = world.endpoint.url();
    drop(world.endpoint);
    let base = immune_client::Endpoint::parse(&url, Plain::OnThisMachine).unwrap();
    let client = Client::waiting(Settings::new(base, "small"), Arc::new(|_| {}));
    let schema = json!({});
    let error = client.chat(&Chat {
        system: "",
        user: "",
        name: "n",
        schema: &schema,
    });
    let error = error.unwrap_err();
    assert!(error.to_string().contains("cannot be reached"), "{error}");
    assert!(error.advice().contains("start the server"));
    assert_eq!(client.calls_sent(), 3);
}

#[test]
fn silence_ends_with_the_timeout_and_an_endless_answer_with_its_limit() {
    let world = World::with(vec![Answer::Silence], |it| Settings {
        timeout: Duration::from_millis(50),
        ..it
    });
    let expected = "`URL` gave no whole answer within 0 s";
    assert_eq!(world.error(), (expected.to_owned(), true));
    assert_eq!(world.client.calls_sent(), 1);

    let world = World::of(vec![Answer::Endless]);
    let expected = "the answer of `URL` is larger than 1048576 bytes";
    assert_eq!(world.error(), (expected.to_owned(), false));
}

#[test]
fn what_is_no_chat_completion_is_told_by_what_is_wrong() {
    for (answer, part) in [
        (
            Answer::status(200, "<html>hello</html>"),
            "is no chat completion: expected value",
        ),
        (
            Answer::status(200, "{\"choices\": [{\"mess"),
            "is no chat completion: EOF",
        ),
        (
            Answer::Http(200, Vec::new(), b"{\"\xff\"}".to_vec()),
            "is no chat completion: ",
        ),
        (
            Answer::status(200, "{\"object\":\"list\"}"),
            "there is no `choices` in it",
        ),
        (
            Answer::status(
                200,
                r#"{"choices":[{"message":{"content":"{"},"finish_reason":"length"}]}"#,
            ),
            "was cut off",
        ),
    ] {
        let (shown, is_about_it) = World::of(vec![answer]).error();
        assert!(shown.contains(part) && !is_about_it, "{shown}");
    }
}

#[test]
fn a_key_goes_to_its_endpoint_and_into_no_error() {
    let keyed = |answers| {
        World::with(answers, |it| Settings {
            key: Key::new("sk-very-secret"),
            ..it
        })
    };
    let world = keyed(vec![Answer::reply("{}")]);
    world.ask().unwrap();
    let asked = world.endpoint.asked();
    assert_eq!(
        asked[0].header("authorization"),
        Some("Bearer sk-very-secret")
    );
    assert!(!format!("{:?}", world.client).contains("very-secret"));

    let elsewhere = Endpoint::of(vec![Answer::reply("{}")]);
    for answer in [
        Answer::status(401, r#"{"error":{"message":"wrong key: sk-very-secret"}}"#),
        Answer::status(
            400,
            r#"{"error":{"message":"sk-very-secret may not do this"}}"#,
        ),
        Answer::status(500, "sk-very-secret"),
        Answer::status(307, "").with("location", &elsewhere.url()),
        Answer::status(302, "").with("location", &elsewhere.url()),
        Answer::status(301, "").with("location", "https://evil.example/sk-very-secret"),
    ] {
        let (shown, is_about_it) = keyed(vec![answer]).error();
        assert!(!shown.contains("very-secret") && is_about_it, "{shown}");
    }
    assert_eq!(elsewhere.asked(), [], "a redirect is not followed");
}

#[test]
fn a_budget_counts_every_attempt() {
    let world = World::with(vec![Answer::status(500, "")], |it| Settings {
        calls: Some(2),
        ..it
    });
    assert_eq!(world.client.calls_left(), Some(2));
    let expected = "all 2 calls of the budget are used up";
    assert_eq!(world.error(), (expected.to_owned(), true));
    assert_eq!(world.endpoint.asked().len(), 2);
    assert_eq!(world.client.calls_left(), Some(0));
}

#[test]
fn wrong_paths_and_models_are_told_apart_from_a_broken_endpoint() {
    let world = World::of(vec![Answer::status(
        404,
        r#"{"error":{"message":"model `small` not found"}}"#,
    )]);
    let expected = "`URL` answered 404: model `small` not found";
    assert_eq!(world.error(), (expected.to_owned(), true));
    assert_eq!(world.client.calls_sent(), 1);
}

#[test]
fn a_text_is_asked_for_in_as_many_tokens_as_are_named_and_counted() {
    let world = World::of(vec![
        Answer::counted("<think>hm</think> Paris", 30, 2),
        Answer::reply("Rome"),
    ]);
    let prompt = Prompt {
        system: "Answer in a word.",
        user: "What is the capital of France?",
        tokens: 40,
        reply_tokens_max: 16,
    };
    let reply = world.client.answer(&prompt).unwrap();
    let tokens = Tokens {
        read: 30,
        written: 2,
    };
    assert_eq!((reply.text.as_str(), reply.tokens), ("Paris", Some(tokens)));
    assert_eq!(world.client.answer(&prompt).unwrap().tokens, None);
    let body: Value = serde_json::from_str(&world.endpoint.asked()[0].body).unwrap();
    let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["model", "messages", "max_tokens", "temperature"]);
    assert_eq!(
        (&body["max_tokens"], world.client.spent()),
        (&16.into(), None)
    );
}

#[test]
fn an_attempt_that_is_not_answered_is_taken_to_have_cost_the_most() {
    let price = Price {
        read: Money::from_millionths(1_000_000),
        written: Money::from_millionths(2_000_000),
    };
    let world = World::with(vec![Answer::Closed], |it| Settings {
        price: Some(price),
        money: Some(Money::from_millionths(150)),
        ..it
    });
    let prompt = Prompt {
        system: "",
        user: "",
        tokens: 40,
        reply_tokens_max: 10,
    };
    let error = world.client.answer(&prompt).unwrap_err();
    let expected = "the next call may cost 0.00006, and 0.00012 of the budget of 0.00015 are spent";
    assert_eq!(error.to_string(), expected);
    assert_eq!(
        world.endpoint.asked().len(),
        2,
        "nothing past the budget is sent"
    );
}
