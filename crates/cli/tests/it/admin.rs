//! `channels` and `sources`.

use expect_test::expect;

use crate::common::World;

#[test]
fn a_channel_is_opened_changed_and_changed_back() {
    let world = World::new();
    let ran = world.run("channels set inbox --tier 0.7");
    expect![[r"
        set:
        chn_1  0.70  relays  0 sources  inbox
        exit 0
    "]]
    .assert_eq(&ran.shown());
    let ran = world.run("channels set inbox --tier 0.3 --authored");
    expect![[r"
        set:
        chn_1  0.30  authored  0 sources  inbox
        2> undo: immune channels set inbox --tier 0.70 --relays
        exit 0
    "]]
    .assert_eq(&ran.shown());
    assert!(
        world
            .ok("channels set inbox --tier 0.3")
            .starts_with("as it was:")
    );
    assert_eq!(world.ok("channels"), world.ok("channels list"));
    let set = world.json("channels set inbox --relays");
    assert_eq!(
        (set["changed"].as_bool(), set["now"]["tier"].as_f64()),
        (Some(true), Some(0.3))
    );
}

#[test]
fn a_channel_needs_a_tier_and_an_operator() {
    let world = World::new();
    let ran = world.run("channels set inbox");
    expect![[r"
        2> error: channel `inbox` is new, and needs a tier
        2>
        2> hint: `--tier 0.7` is what an open inbox gets; records get 0.9 and more
        exit 2
    "]]
    .assert_eq(&ran.shown());
    let ran = world.run("--json --as agent:bot channels set inbox --tier 1");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("forbidden"))
    );
    let ran = world.run("channels set inbox --tier 7");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no trust value"), "{}", ran.err);
}

#[test]
fn a_source_is_declared_shown_and_named_a_record() {
    let world = World::with_record();
    let ran = world.run("sources declare ops@acme.example --channel inbox --kind email");
    expect![[r"
        set:
        src_2  0.70  declared  email  ops@acme.example (inbox)
        exit 0
    "]]
    .assert_eq(&ran.shown());
    let shown = world.json("sources show ops@acme.example");
    assert_eq!(shown["source"]["standing"], "declared");
    assert_eq!(
        world.json("sources show src_1")["source"]["records"][0],
        "*"
    );
    let ran = world.run("sources record ops@acme.example --channel inbox --area 'refund.*'");
    expect![[r"
        2> error: channel `inbox` may carry an agent's words, so nobody in it is a record
        2>
        2> hint: if nothing that agents write can arrive through it: `immune channels set inbox --authored`
        exit 1
    "]]
    .assert_eq(&ran.shown());
    world.ok("channels set weak --tier 0.5 --authored");
    let ran = world.run("--json sources record clerk --channel weak --area '*'");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("too_weak"))
    );
    let ran = world.run("--json sources record clerk --channel records --area 're*'");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (2, Some("invalid_name"))
    );
}

#[test]
fn a_source_that_is_not_there_or_in_two_channels_is_a_clear_no() {
    let world = World::with_record();
    world.ok("channels set chat --tier 0.6");
    for channel in ["inbox", "chat"] {
        world.ok(&format!("remember hi --from kim --channel {channel}"));
    }
    let ran = world.run("--json sources show kim");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("ambiguous_source"))
    );
    let one = world.json("sources show kim --channel chat");
    assert_eq!(one["source"]["tier"], 0.6);
    let ran = world.run("--json sources show nobody");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("unknown_source"))
    );
    let ran = world.run("--json sources show kim --channel nowhere");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("unknown_channel"))
    );
    assert_eq!(world.run("sources show").code, 2);
}

#[test]
fn an_inferred_mirror_says_what_shows_it_and_is_overruled() {
    let world = World::new();
    world.ok("channels set web --tier 0.9");
    for name in ["news@mail.example.com", "press@example.com"] {
        world.ok(&format!("sources declare {name} --channel web"));
    }
    let say = |name: &str| {
        let line = format!(
            "remember --from {name} --channel web --about vendor.amount 'The total is USD 50'"
        );
        world.ok(&line);
    };
    say("news@mail.example.com");
    say("press@example.com");
    let shown = world.ok("sources show press@example.com");
    assert!(
        shown.contains("one origin with news@mail.example.com (web), inferred"),
        "{shown}"
    );
    assert!(shown.contains("both belong to `example.com`"), "{shown}");
    let source = world.json("sources show press@example.com");
    let inferred = &source["source"]["inferred"][0];
    assert_eq!(
        (inferred["by"].as_str(), inferred["with"]["handle"].as_str()),
        (Some("domain"), Some("news@mail.example.com")),
        "{source}"
    );
    assert_eq!(world.json("origins bel_1")["corroboration"], 1);
    let line = "sources mirror press@example.com --of news@mail.example.com";
    let ran = world.run(&format!("{line} --independent"));
    assert!(
        ran.err
            .contains("undo: immune sources mirror src_2 --of src_1 --open"),
        "{}",
        ran.err
    );
    assert_eq!(world.json("origins bel_1")["corroboration"], 2);
    world.ok("remember --from press@example.com --channel web --about vendor.amount 'The total is USD 60'");
    let source = world.json("sources show press@example.com");
    assert_eq!(source["source"]["inferred"], serde_json::Value::Null);
    assert_eq!(
        source["source"]["independent_of"][0]["handle"],
        "news@mail.example.com"
    );
    world.ok(&format!("{line} --open"));
    world.ok("remember --from press@example.com --channel web --about vendor.amount 'The total is USD 70'");
    let source = world.json("sources show press@example.com");
    assert_eq!(source["source"]["inferred"][0]["by"], "domain");
}
