//! `--extractor model`: what is shown of who read a text, where its endpoint and its key come from,
//! and what happens when it fails.

use std::process::Command;

use immune_testkit::endpoint::{Answer, Endpoint};
use serde_json::{Value, json};

use crate::common::{Ran, World, split};

const MAIL: &str = "Refunds go to DE89 3704 0044 0532 0130 00";
const REMEMBER: &str =
    "remember 'Refunds go to DE89 3704 0044 0532 0130 00' --from a@b.example --channel inbox";

/// A world whose environment names a model.
struct Asking {
    world: World,
    endpoint: Endpoint,
}

impl Asking {
    fn of(answers: Vec<Answer>) -> Self {
        let world = World::new();
        world.ok("channels set inbox --tier 0.7");
        Self {
            world,
            endpoint: Endpoint::of(answers),
        }
    }

    fn command(&self, line: &str) -> Command {
        let mut command = self.world.command();
        command
            .args(split(line))
            .env("IMMUNE_EXTRACTOR", "model")
            .env("IMMUNE_MODEL_URL", self.endpoint.url())
            .env("IMMUNE_MODEL_NAME", "small");
        command
    }

    fn run(&self, line: &str) -> Ran {
        Ran::of(&self.command(line).output().unwrap())
    }

    fn json(&self, line: &str) -> Value {
        let ran = self.run(&format!("--json {line}"));
        assert_eq!(ran.code, 0, "{line}: {}", ran.err);
        serde_json::from_str(&ran.out).unwrap()
    }
}

fn reply(claims: &Value) -> Answer {
    Answer::reply(&json!({"claims": claims}).to_string())
}

fn found() -> Value {
    json!({"subject": "refund.destination", "quote": MAIL, "polarity": "affirmed",
        "confidence": "plain"})
}

#[test]
fn the_rung_is_on_every_result() {
    let asking = Asking::of(vec![reply(&json!([found()]))]);
    let remembered = asking.json(REMEMBER);
    assert_eq!(remembered["screening"], "model");
    assert_eq!(remembered["read_by"], json!({"extractor": "model"}));
    assert_eq!(remembered["statements"][0]["strength"], 0.7);

    let explained = asking.world.json("explain bel_1");
    assert_eq!(
        explained["belief"]["justifications"][0]["screening"],
        "model"
    );
    let shown = asking.world.ok("explain bel_1");
    assert!(
        shown.contains("stated in obs_1 by a@b.example (inbox), read by model"),
        "{shown}"
    );
    let listed = asking.world.json("list observations");
    assert_eq!(listed["items"][0]["screening"], "model");
    let doctor = asking.json("doctor");
    let checks = doctor["checks"].as_array().unwrap();
    let check = checks.iter().find(|it| it["name"] == "extractor").unwrap();
    let words = check["found"].as_str().unwrap();
    assert!(
        words.starts_with("model small at http://127.0.0.1:"),
        "{words}"
    );
    assert!(words.ends_with("texts stay on this machine"), "{words}");
    assert!(checks.iter().all(|it| it["name"] != "model"));
    // Nobody asks twice about the same text, and `doctor` does on request only.
    asking.json(REMEMBER);
    assert_eq!(asking.endpoint.asked().len(), 1);

    // Rules say so too, and an option is stronger than the environment.
    let by_rules = asking.json(&format!(
        "{} --extractor rules",
        REMEMBER.replace("a@b", "c@b")
    ));
    assert_eq!(by_rules["read_by"], json!({"extractor": "rules"}));
    assert_eq!(asking.endpoint.asked().len(), 1);
    // A claim that is stated needs nobody to read it.
    let stated = asking.json("remember 'It is so' --about a.b --from a@b.example --channel inbox");
    assert_eq!(stated["screening"], "explicit");
    assert!(stated.get("read_by").is_none());
}

#[test]
fn what_is_not_taken_up_is_shown_with_its_reason() {
    let mut id = found();
    id["id"] = json!("12");
    let mut other = found();
    other["quote"] = json!("Refunds go to GB29 NWBK 6016 1331 9268 19");
    let asking = Asking::of(vec![reply(&json!([id, found(), other]))]);
    let shown = asking.run(REMEMBER);
    assert_eq!(shown.code, 0, "{}", shown.err);
    for part in [
        "  read by model\n",
        "rejected: claim 1 of the model about refund.destination: it names `id`",
        "rejected: claim 3 of the model about refund.destination: the text does not say",
    ] {
        assert!(shown.out.contains(part), "{}", shown.out);
    }
    let asking = Asking::of(vec![reply(&json!([]))]);
    let shown = asking.run(REMEMBER).out;
    assert!(
        shown.contains("no claim was found") && shown.contains("read by model"),
        "{shown}"
    );
}

#[test]
fn rules_take_over_in_sight_unless_a_model_is_required() {
    let asking = Asking::of(vec![Answer::status(404, r#"{"error":"no model `small`"}"#)]);
    let url = asking.endpoint.url();
    let ran = asking.run(REMEMBER);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let reason = format!("`{url}` answered 404: no model `small`");
    assert!(
        ran.err
            .contains(&format!("read by rules, for the model could not: {reason}")),
        "{}",
        ran.err
    );
    assert!(ran.out.contains("read by rules"), "{}", ran.out);

    let line = REMEMBER.replace("a@b", "c@b");
    let view = asking.json(&format!("{line} --dry-run"));
    assert_eq!(
        view["read_by"],
        json!({"extractor": "rules", "fell_back": reason})
    );

    let ran = asking.run(&format!("--json {line} --extractor-required"));
    assert_eq!(ran.code, 2);
    let problem = ran.problem();
    assert_eq!(problem["code"], "model_failed");
    assert_eq!(problem["message"], reason);
    let hint = problem["hint"].as_str().unwrap();
    assert!(hint.contains("name the base URL") && hint.contains("without `--extractor-required`"));
    assert_eq!(
        asking.world.json("list observations")["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn an_ingestion_tells_what_the_model_did_and_what_is_left_of_the_budget() {
    let asking = Asking::of(vec![reply(&json!([found()]))]);
    let lines: Vec<String> = (0..4)
        .map(|it| json!({"from": "a@b.example", "text": format!("{MAIL} ({it})")}).to_string())
        .collect();
    fs_err::write(asking.world.path("mail.jsonl"), lines.join("\n")).unwrap();
    let line = "ingest mail.jsonl --channel inbox --model-calls 3";
    let view = asking.json(&format!("{line} --dry-run"));
    assert_eq!(view["extractor"], "model");
    let model = &view["model"];
    assert_eq!(
        (
            &model["read"],
            &model["fell_back"],
            &model["calls_sent"],
            &model["calls_left"]
        ),
        (&json!(3), &json!(1), &json!(3), &json!(0))
    );
    assert_eq!(asking.endpoint.asked().len(), 3);
    let ran = asking.run(line);
    for part in [
        "\nread by model\n",
        "3  read by the model\n",
        "3  calls sent, 0 left\n",
    ] {
        assert!(ran.out.contains(part), "{}", ran.out);
    }
    let notice = "of the texts 1 were read by rules, for the model could not";
    assert!(ran.err.contains(notice), "{}", ran.err);
    let by_rules = asking.world.json("ingest mail.jsonl --channel inbox");
    assert_eq!(
        (&by_rules["extractor"], &by_rules["repeated"]),
        (&json!("rules"), &json!(4))
    );

    let screened = asking.json(&format!(
        "screen '{MAIL} (9)' --from z@b.example --channel inbox"
    ));
    assert_eq!(screened["reports"][0]["screening"], "model");
    assert_eq!(screened["model"]["read"], 1);

    let refuses = Asking::of(vec![Answer::status(401, "")]);
    fs_err::write(refuses.world.path("mail.jsonl"), lines.join("\n")).unwrap();
    let ran = refuses.run("ingest mail.jsonl --channel inbox --extractor-required");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("it does not take the key"), "{}", ran.err);
}

#[test]
fn a_key_comes_from_the_variable_that_is_named_and_goes_nowhere_else() {
    const KEY: &str = "sk-very-secret";
    let asking = Asking::of(vec![
        reply(&json!([found()])),
        Answer::status(401, r#"{"error":{"message":"wrong key sk-very-secret"}}"#),
    ]);
    let run = |line: &str, from: &str| {
        let mut command = asking.command(line);
        let command = command
            .env("IMMUNE_MODEL_KEY_FROM", from)
            .env("MY_KEY", KEY);
        Ran::of(&command.output().unwrap())
    };
    let ran = run(&format!("-vv {REMEMBER}"), "MY_KEY");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let asked = asking.endpoint.asked();
    assert_eq!(
        asked[0].header("authorization"),
        Some("Bearer sk-very-secret")
    );
    let mut all = vec![ran];
    for (line, from) in [
        ("-vv doctor --model --json", "MY_KEY"),
        ("doctor", "MY_KEY"),
        ("doctor", KEY),
        ("doctor --json", "NO_SUCH"),
        (REMEMBER, KEY),
        (REMEMBER, "NO_SUCH"),
    ] {
        all.push(run(line, from));
    }
    for ran in &all {
        assert!(
            !ran.out.contains("very-secret") && !ran.err.contains("very-secret"),
            "{ran:?}"
        );
    }
    assert!(all[2].out.contains("in MY_KEY"), "{}", all[2].out);
    let said = "is no name of an environment variable";
    assert!(all[5].err.contains(said), "{}", all[5].err);
    assert!(
        all[6].err.contains("names `NO_SUCH`, which is not set"),
        "{}",
        all[6].err
    );
    let stored = fs_err::read(asking.world.store()).unwrap();
    let stored = String::from_utf8_lossy(&stored).into_owned();
    assert!(!stored.contains("very-secret"));
}

#[test]
fn settings_that_cannot_be_used_are_told_before_anything_is_written() {
    let world = World::new();
    let run = |pairs: &[(&str, &str)]| {
        let mut command = world.command();
        let command = command.args(split(&format!("{REMEMBER} --tier 0.7")));
        Ran::of(&command.envs(pairs.iter().copied()).output().unwrap())
    };
    let model = ("IMMUNE_EXTRACTOR", "model");
    let name = ("IMMUNE_MODEL_NAME", "small");
    let url = |it| ("IMMUNE_MODEL_URL", it);
    let here = url("http://127.0.0.1:9/v1");
    for (pairs, part) in [
        (
            vec![("IMMUNE_EXTRACTOR", "magic")],
            "`magic`, which finds no claims",
        ),
        (vec![model], "`IMMUNE_MODEL_URL` is not set"),
        (vec![model, here], "`IMMUNE_MODEL_NAME` is not set"),
        (
            vec![model, name, url("http://10.0.0.7/v1")],
            "is not this machine",
        ),
        (
            vec![model, name, url("https://me:sk-x@api.example.com")],
            "carries a name or a password",
        ),
        (
            vec![model, name, here, ("IMMUNE_MODEL_TIMEOUT", "0")],
            "1 to 3600 seconds",
        ),
        (
            vec![model, name, here, ("IMMUNE_MODEL_PLAIN_HTTP", "yes")],
            "it is `allowed`",
        ),
    ] {
        let ran = run(&pairs);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(
            ran.err.contains(part) && !ran.err.contains("sk-x"),
            "{}",
            ran.err
        );
    }
    assert!(!world.store().exists());
    let ran = world.run(&format!("{REMEMBER} --extractor-required"));
    assert!(ran.err.contains("rules never fail"), "{}", ran.err);
}

#[test]
fn doctor_has_a_model_read_a_sentence_on_request() {
    let quote = "Our new IBAN is DE89 3704 0044 0532 0130 00";
    let claim = json!([{"subject": "acme_example/payment.iban", "quote": quote,
        "polarity": "affirmed", "confidence": "plain"}]);
    let no = Answer::status(400, r#"{"error":"no json_schema here"}"#);
    for (answers, result, part) in [
        (
            vec![reply(&claim)],
            "ok",
            "found the claim; replies kept to json_schema",
        ),
        (vec![no, reply(&claim)], "ok", "replies kept to json_object"),
        (
            vec![reply(&json!([]))],
            "warning",
            "answers, and found no claim in",
        ),
        (vec![Answer::reply("Hello!")], "failed", "is no JSON"),
        (
            vec![Answer::status(401, "")],
            "failed",
            "it does not take the key",
        ),
    ] {
        let asking = Asking::of(answers);
        let ran = asking.run("--json doctor --model");
        assert_eq!(ran.code, i32::from(result == "failed"), "{}", ran.err);
        let doctor: Value = serde_json::from_str(&ran.out).unwrap();
        let checks = doctor["checks"].as_array().unwrap();
        let check = checks.iter().find(|it| it["name"] == "model").unwrap();
        assert_eq!(check["result"], result, "{check}");
        assert!(check["found"].as_str().unwrap().contains(part), "{check}");
    }
}

#[test]
fn model_settings_that_cannot_be_used_are_named_before_anybody_asks_the_model() {
    let world = World::new();
    world.ok("channels set inbox --tier 0.7");
    let check = |set: &[(&str, &str)]| {
        let mut command = world.command();
        command.args(["--json", "doctor"]).envs(set.iter().copied());
        let ran = Ran::of(&command.output().unwrap());
        let doctor: Value = serde_json::from_str(&ran.out).unwrap();
        let checks = doctor["checks"].as_array().unwrap();
        let check = checks.iter().find(|it| it["name"] == "extractor").unwrap();
        (check.clone(), doctor["settings"].clone())
    };
    assert_eq!(check(&[]).0["found"], "rules");
    let usable = ("IMMUNE_MODEL_URL", "http://127.0.0.1:9/v1");
    let name = ("IMMUNE_MODEL_NAME", "small");
    assert_eq!(check(&[usable, name]).0["result"], "ok");
    for (setting, value, shown) in [
        ("IMMUNE_MODEL_TIMEOUT", "abc", "model_timeout_seconds"),
        ("IMMUNE_MODEL_PLAIN_HTTP", "yes", "model_plain_http"),
        ("IMMUNE_MODEL_URL", "http://example.com/v1", "model_url"),
        ("IMMUNE_MODEL_KEY_FROM", "NO_SUCH", "model_key"),
    ] {
        let (check, settings) = check(&[usable, name, (setting, value)]);
        assert_eq!(check["result"], "warning", "{setting}: {check}");
        assert!(
            check["found"].as_str().unwrap().contains(setting),
            "{check}"
        );
        assert!(!check["fix"].is_null(), "{check}");
        let settings = settings.as_array().unwrap();
        let found = settings.iter().find(|it| it["name"] == shown).unwrap();
        assert!(
            found["value"].as_str().unwrap().starts_with("not usable"),
            "{found}"
        );
    }
}
