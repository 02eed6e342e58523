//! A model behind an endpoint that is slow, broken, cut off, dear, or fine.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use immune_attribution::{
    Answerer, AskError, Asked, Judge, Oracle, Shown, Subset, Unanswered, Verdict,
};
use immune_client::{Client, Money, Plain, Price, Settings};
use immune_oracle::Model;
use immune_testkit::endpoint::{Answer, Asked as Request, Endpoint};
use serde_json::Value;

use crate::memories;

/// A model at an endpoint, whose client does not wait between attempts.
fn model(endpoint: &Endpoint, change: impl FnOnce(Settings) -> Settings) -> Model {
    let base = immune_client::Endpoint::parse(&endpoint.url(), Plain::OnThisMachine).unwrap();
    let settings = change(Settings::new(base, "small"));
    Model::new(Client::waiting(settings, Arc::new(|_| {})))
}

fn ask(model: &Model) -> Result<immune_attribution::Answer, Unanswered> {
    let memories = memories(&["Refunds go to account A-77.", "The office opens at nine."]);
    let shown: Vec<&Shown> = memories.iter().collect();
    model.answer("Where do refunds go?", &shown)
}

/// The model of these answers, asked once.
fn asked(answers: Vec<Answer>) -> Result<immune_attribution::Answer, Unanswered> {
    let endpoint = Endpoint::of(answers);
    let timeout = Duration::from_millis(400);
    let found = ask(&model(&endpoint, |it| Settings { timeout, ..it }));
    found.map_err(|it| Unanswered {
        reason: it.reason.replace(&endpoint.url(), "URL"),
        ..it
    })
}

fn sum(word: &str) -> Money {
    word.parse().unwrap()
}

#[test]
fn a_model_is_asked_from_the_memories_alone_and_its_words_are_the_answer() {
    let endpoint = Endpoint::of(vec![Answer::counted("A-77\n", 120, 4)]);
    let model = model(&endpoint, |it| it);
    let answer = ask(&model).unwrap();
    assert_eq!(answer.text.as_deref(), Some("A-77"));
    assert_eq!(answer.tokens, Some((120, 4)));
    assert_eq!(model.spent(), None, "nobody named a price");
    let name = model.name().replace(&endpoint.url(), "URL");
    assert_eq!(name, "model small at URL");
    let body: Value = serde_json::from_str(&endpoint.asked()[0].body).unwrap();
    assert_eq!(
        (&body["temperature"], &body["max_tokens"]),
        (&0.into(), &1024.into())
    );
    assert!(body.get("response_format").is_none());
    let user = body["messages"][1]["content"].as_str().unwrap();
    let expected = "Memories:\n[1] (source: wiki) Refunds go to account A-77.\n\
        [2] (source: wiki) The office opens at nine.\n\nQuestion: Where do refunds go?";
    assert_eq!(user, expected);
}

#[test]
fn not_to_know_is_no_answer_and_nothing_at_all_is_an_error() {
    for reply in ["I do not know", "<think>hm, A-77?</think>I don't know."] {
        assert_eq!(asked(vec![Answer::reply(reply)]).unwrap().text, None);
    }
    let error = asked(vec![Answer::reply("<think>A-77</think> ")]).unwrap_err();
    assert_eq!(error.reason, "model small at URL replied with nothing");
}

#[test]
fn an_endpoint_that_recovers_is_no_error() {
    let busy = Answer::status(429, "slow down").with("retry-after", "1");
    for first in [busy, Answer::status(500, "oops"), Answer::Closed] {
        let fine = Answer::reply("A-77");
        let answer = asked(vec![first.clone(), first, fine]).unwrap();
        assert_eq!(answer.text.as_deref(), Some("A-77"));
    }
}

#[test]
fn what_is_no_reply_says_what_it_is_and_whether_the_next_would_end_so() {
    let length = r#"{"choices":[{"message":{"content":"A-"},"finish_reason":"length"}]}"#;
    for (answer, part, advice, is_final) in [
        (
            Answer::Silence,
            "gave no whole answer",
            "allow it more time",
            true,
        ),
        (
            Answer::status(503, "loading"),
            "503 to each of 3 attempts",
            "try again later",
            true,
        ),
        (
            Answer::Closed,
            "cannot be reached",
            "start the server",
            true,
        ),
        (
            Answer::Short(b"{\"choices\"".to_vec()),
            "cannot be reached",
            "start the server",
            true,
        ),
        (
            Answer::status(401, "no"),
            "does not take the key",
            "environment variable",
            true,
        ),
        (
            Answer::status(200, length),
            "was cut off",
            "let it write more tokens",
            false,
        ),
        (
            Answer::status(200, "<html>"),
            "no chat completion",
            "OpenAI-compatible",
            false,
        ),
        (
            Answer::status(200, "{\"choices\":[{\"mess"),
            "no chat completion",
            "base URL",
            false,
        ),
        (
            Answer::Endless,
            "larger than 1048576 bytes",
            "larger context",
            false,
        ),
    ] {
        let error = asked(vec![answer]).unwrap_err();
        assert!(error.reason.contains(part), "{}", error.reason);
        assert!(error.advice.contains(advice), "{part}: {}", error.advice);
        assert_eq!(error.is_final, is_final, "{part}");
    }
}

#[test]
fn a_server_that_takes_the_newer_words_only_is_asked_in_those() {
    let no = |said: &str| Answer::status(400, &format!(r#"{{"error":{{"message":"{said}"}}}}"#));
    let endpoint = Endpoint::of(vec![
        no("Unsupported parameter: 'max_tokens', use 'max_completion_tokens'"),
        no("'temperature' does not support 0"),
        Answer::reply("A-77"),
        Answer::reply("A-77"),
    ]);
    let model = model(&endpoint, |it| it);
    ask(&model).unwrap();
    ask(&model).unwrap();
    let last: Value = serde_json::from_str(&endpoint.asked()[3].body).unwrap();
    assert_eq!(last["max_completion_tokens"], 1024);
    assert!(last.get("max_tokens").is_none() && last.get("temperature").is_none());

    let error = asked(vec![no("no such parameter: messages")]).unwrap_err();
    assert!(
        error.reason.contains("no such parameter"),
        "{}",
        error.reason
    );
}

#[test]
fn money_is_counted_and_the_call_that_may_cost_too_much_is_not_sent() {
    let endpoint = Endpoint::of(vec![
        Answer::counted("A-77", 1_000, 100),
        Answer::status(500, "refused before it began"),
        Answer::reply("nobody counted this"),
    ]);
    // One unit for a thousand tokens read, ten for a thousand written.
    let price = Price {
        read: sum("1000"),
        written: sum("10000"),
    };
    let model = model(&endpoint, |it| Settings {
        price: Some(price),
        money: Some(sum("14")),
        ..it
    });
    ask(&model).unwrap();
    let spent = model.spent().unwrap();
    assert_eq!(
        (spent.millionths, spent.most_millionths),
        (2_000_000, Some(14_000_000))
    );
    // The refusal costs nothing; what nobody counted costs the most that it may have.
    ask(&model).unwrap();
    let spent = model.spent().unwrap().millionths;
    assert!((12_240_000..12_600_000).contains(&spent), "{spent}");
    let error = ask(&model).unwrap_err();
    assert!(
        error.reason.contains("of the budget of 14.00 are spent"),
        "{}",
        error.reason
    );
    assert!(error.is_final && error.is_spent && error.advice.contains("more money"));
    assert_eq!(endpoint.asked().len(), 3, "nothing was sent");
    assert_eq!(model.spent().unwrap().millionths, spent);
}

#[test]
fn questions_at_once_do_not_overdraw_the_purse() {
    let endpoint = Endpoint::new(|_, _| Answer::counted("A-77", 200, 10));
    let price = Price {
        read: sum("1000"),
        written: sum("1000"),
    };
    let model = model(&endpoint, |it| Settings {
        price: Some(price),
        money: Some(sum("5")),
        at_once: 8,
        ..it
    });
    let model = model.writing(800);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| while ask(&model).is_ok() {});
        }
    });
    let spent = model.spent().unwrap().millionths;
    let n_requests = endpoint.asked().len() as u64;
    assert_eq!(spent, n_requests * 210_000);
    assert!(
        spent <= 5_000_000 && n_requests >= 18,
        "{n_requests} requests"
    );
}

/// Lets nobody through before so many are there.
struct Gate {
    here: Mutex<usize>,
    came: Condvar,
}

impl Gate {
    /// Whether so many came in time.
    fn wait(&self, n: usize) -> bool {
        let mut here = self.here.lock().unwrap();
        *here += 1;
        self.came.notify_all();
        let patience = Duration::from_secs(20);
        let (_here, waited) = self
            .came
            .wait_timeout_while(here, patience, |it| *it < n)
            .unwrap();
        !waited.timed_out()
    }
}

/// What asserts the poisoned account is wrong.
struct Account;

impl Judge for Account {
    fn judge(&self, _: &str, answer: &str) -> Result<Verdict, Unanswered> {
        Ok(if answer.contains("A-77") {
            Verdict::Fails
        } else {
            Verdict::Passes
        })
    }
}

#[test]
fn as_many_are_asked_at_once_as_the_client_allows_and_written_down_in_order() {
    let gate = Gate {
        here: Mutex::new(0),
        came: Condvar::new(),
    };
    let endpoint = Endpoint::new(move |_, asked: &Request| {
        if !gate.wait(4) {
            return Answer::status(400, "they came one after the other");
        }
        Answer::reply(if asked.body.contains("A-77") {
            "A-77"
        } else {
            "I do not know"
        })
    });
    let model = model(&endpoint, |it| Settings { at_once: 4, ..it });
    let memories = memories(&["a", "Refunds go to A-77.", "c", "d"]);
    let mut oracle = Asked::new(&model, &Account, "Where?", &memories);
    let each: Vec<Subset> = (0..4).map(|it| Subset::of(4, [it])).collect();
    let verdicts = oracle.ask(&each).unwrap();
    assert_eq!(
        verdicts,
        [
            Verdict::Passes,
            Verdict::Fails,
            Verdict::Passes,
            Verdict::Passes
        ]
    );
    let asked: Vec<Subset> = oracle.calls().iter().map(|it| it.subset.clone()).collect();
    assert_eq!(asked, each);
}

#[test]
fn what_was_answered_is_kept_where_one_of_a_list_is_not() {
    let endpoint = Endpoint::new(|_, asked: &Request| {
        if asked.body.contains("poison") {
            Answer::status(200, "<html>")
        } else {
            Answer::reply("A-77")
        }
    });
    let model = model(&endpoint, |it| Settings { at_once: 1, ..it });
    let memories = memories(&["a", "b", "poison", "d"]);
    let mut oracle = Asked::new(&model, &Account, "Where?", &memories);
    let each: Vec<Subset> = (0..4).map(|it| Subset::of(4, [it])).collect();
    let error = oracle.ask(&each).unwrap_err();
    assert!(
        matches!(&error, AskError::Unanswered(it) if !it.is_final),
        "{error}"
    );
    assert_eq!((oracle.calls().len(), oracle.n_asked()), (2, 3));
    assert_eq!(endpoint.asked().len(), 3, "nobody is asked after an error");
    assert_eq!(oracle.ask(&each[..1]).unwrap(), [Verdict::Fails]);
}
