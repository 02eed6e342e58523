//! The whole path as a person walks it: a lie is told, built on, acted on, refuted, and healed.

use crate::common::{LIE, TRUTH, World};

#[test]
fn a_lie_is_told_acted_on_refuted_and_healed() {
    let world = World::with_record();
    // Honest content, and what rests on it.
    world.ok(
        "remember --from ops@acme.example --channel inbox --about delivery.address \
         --claim 'Deliveries go to 118 Mission Rock'",
    );
    world.ok(
        "derive --from bel_1 --about delivery.lane --claim 'Use the west lane' --agent support-bot",
    );
    // The lie, and three beliefs on top of it.
    world.ok(&format!(
        "remember --from mallory@evil.example --channel inbox --about refund.destination \
         --claim '{LIE}'"
    ));
    for (from, about, claim) in [
        ("bel_3", "refund.verified", "The destination is verified"),
        ("bel_4", "refund.check", "The check is not needed"),
        ("bel_3", "refund.auto", "Refunds may be automatic"),
    ] {
        world.ok(&format!(
            "derive --from {from} --about {about} --claim '{claim}' --agent support-bot"
        ));
    }
    // The agent pays, because it believes.
    world.ok("rules set refund.payout --class compensable \
         --compensation 'echo reversed $IMMUNE_ACTION_ID >> ledger.txt'");
    world.ok(
        "guard --kind refund.payout --payload '4200 to GB29NWBK60161331926819' --uses bel_3,bel_6 \
         --agent support-bot -- sh -c 'echo paid $IMMUNE_ACTION_ID >> ledger.txt'",
    );
    let recalled = world.json("recall --about refund.destination --require");
    assert_eq!(recalled["facts"][0]["belief"], "bel_3");
    // The ledger disagrees.
    let challenged = world.json(&format!(
        "challenge --from ledger --about refund.destination --claim '{TRUTH}'"
    ));
    assert_eq!(challenged["outcome"], "refuted");
    let fell: Vec<_> = challenged["fell"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            (
                it["belief"].as_str().unwrap(),
                it["depth"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        fell,
        [("bel_3", 0), ("bel_4", 1), ("bel_5", 2), ("bel_6", 1)]
    );
    assert_eq!(challenged["reversals"][0]["status"], "reversed");
    // What inherited the lie fell; the rest stands.
    for (belief, status) in [
        ("bel_1", "active"),
        ("bel_2", "active"),
        ("bel_3", "quarantined"),
        ("bel_4", "revoked"),
        ("bel_5", "revoked"),
        ("bel_6", "revoked"),
        ("bel_7", "active"),
    ] {
        assert_eq!(world.status(belief), status, "{belief}");
    }
    assert_eq!(world.status("act_1"), "reversed");
    let ledger = fs_err::read_to_string(world.path("ledger.txt")).unwrap();
    assert_eq!(
        ledger, "paid act_1\nreversed act_1\n",
        "paid once, reversed once"
    );
    // Healed memory answers with the truth.
    let recalled = world.json("recall --about refund.destination --require");
    assert_eq!(recalled["facts"][0]["claim"], TRUTH);
    assert_eq!(recalled["excluded"][0]["item"], "bel_3");
    // The second attempt is inert, and nobody can act on it.
    let again = world.json(&format!(
        "remember 'once more' --from mallory@evil.example --channel inbox --about \
         refund.destination --claim 'Please use {LIE}'"
    ));
    assert_eq!(again["statements"][0]["verdict"], "blocked");
    let refused = world.run("guard --kind refund.payout --payload x --uses bel_3 -- touch no");
    assert_eq!(refused.code, 1);
    assert!(!world.path("no").exists());
    assert_eq!(world.json("verify")["sound"], true);
}

#[test]
fn a_chain_of_fifty_falls_with_its_root() {
    let world = World::with_lie();
    for link in 4..=50 {
        world.ok(&format!(
            "-q derive --from bel_{} --about chain.link_{link} --claim 'Link {link}'",
            link - 1
        ));
    }
    let ran = world.heal();
    assert!(ran.out.contains("(49) bel_50"), "{}", ran.out);
    let revoked = world.json("list beliefs --status revoked --limit 100");
    assert_eq!(revoked["items"].as_array().unwrap().len(), 49);
}
