//! What a caller may rely on, through the public interface alone.

use expect_test::{Expect, expect};
use immune_recall::{Admission, Hits, Index, Limits, Threads};
use proptest::prelude::*;

const LIMITS: Limits = Limits {
    hits_max: 10,
    excluded_max: 10,
};

fn index_of<S: AsRef<str>>(texts: &[S]) -> Index {
    let mut index = Index::new();
    for (document, text) in (0..).zip(texts) {
        index.add(document, text.as_ref());
    }
    index
}

fn shown(found: &Hits) -> String {
    let mut text = String::new();
    for hit in &found.hits {
        let matched = hit.matched.join(" ");
        let line = format!(
            "{:>2}  {:>8}  {matched}",
            hit.document, hit.score_millionths
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text + &format!("excluded {:?}\n", found.excluded)
}

/// Each line of `memory` is a document; one that starts with `!` is refused.
fn check(memory: &str, query: &str, expected: &Expect) {
    let lines: Vec<&str> = memory
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    let refused: Vec<u32> = (0..)
        .zip(&lines)
        .filter(|(_, line)| line.starts_with('!'))
        .map(|(document, _)| document)
        .collect();
    let index = index_of(&lines);
    let found = index.search(query, &|d| !refused.contains(&d), LIMITS);
    expected.assert_eq(&shown(&found));
}

const MEMORY: &str = "
    Brandt GmbH is paid to IBAN GB29 NWBK 6016 1331 9268 19
    ! Brandt GmbH is paid to IBAN DE89 3704 0044 0532 0130 00
    Brandt GmbH sends its invoices from billing@brandt-gmbh.de
    The refund limit is 5,000 EUR without an approval
    ! The refund limit is 50,000 EUR
    Keller AG is paid by card
";

#[test]
fn the_best_match_comes_first_and_refused_ones_are_only_named() {
    check(
        MEMORY,
        "What is the IBAN of Brandt GmbH?",
        &expect![[r"
         0   2310823  is iban brandt gmbh
         2   1839816  brandt gmbh
        excluded [1]
    "]],
    );
}

#[test]
fn an_account_is_found_in_any_spelling() {
    check(
        MEMORY,
        "gb29nwbk60161331926819",
        &expect![[r"
         0   1059496  gb29nwbk60161331926819
        excluded []
    "]],
    );
}

#[test]
fn an_amount_is_found_in_any_spelling_and_no_other_amount_is() {
    check(
        MEMORY,
        "5000",
        &expect![[r"
         3   1243091  5000
        excluded []
    "]],
    );
}

#[test]
fn a_blank_query_lists_what_is_eligible_in_order() {
    check(
        MEMORY,
        "  ",
        &expect![[r"
         0         0
         2         0
         3         0
         5         0
        excluded [1, 4]
    "]],
    );
}

#[test]
fn a_query_without_a_word_matches_nothing() {
    check(
        MEMORY,
        "?!",
        &expect![[r"
        excluded []
    "]],
    );
}

#[test]
fn a_query_of_stop_words_alone_is_answered() {
    check(
        MEMORY,
        "to the",
        &expect![[r"
         3   1243091  the
         0   1059496  to
        excluded [1, 4]
    "]],
    );
}

#[test]
fn hidden_documents_are_not_even_named() {
    let index = index_of(&["iban one", "iban two", "iban three"]);
    let admitted = index.admit(&|document| match document {
        0 => Admission::Eligible,
        1 => Admission::Refused,
        _ => Admission::Hidden,
    });
    let found = index.search_admitted("iban", &admitted, LIMITS);
    assert_eq!(found.hits.len(), 1);
    assert_eq!(found.excluded, [1]);
    assert_eq!(index.search_admitted("", &admitted, LIMITS).excluded, [1]);
}

#[test]
fn an_empty_index_has_no_answer() {
    let index = Index::new();
    assert_eq!(index.search("iban", &|_| true, LIMITS), Hits::default());
    assert_eq!(index.search("", &|_| true, LIMITS), Hits::default());
}

#[test]
fn the_excluded_that_share_most_words_are_kept_when_there_are_too_many() {
    let index = index_of(&["iban", "iban", "iban of brandt", "iban"]);
    let limits = Limits {
        hits_max: 1,
        excluded_max: 2,
    };
    let found = index.search("brandt iban", &|_| false, limits);
    assert_eq!(found.excluded, [0, 2]);
}

#[test]
fn an_erased_document_leaves_no_term_behind() {
    let mut index = index_of(&["iban of brandt", "iban of keller"]);
    let before = index.heap_bytes();
    index.erase(0);
    index.erase(7);
    assert!(index.search("brandt", &|_| true, LIMITS).hits.is_empty());
    assert_eq!(index.search("iban", &|_| true, LIMITS).hits.len(), 1);
    assert_eq!(index.len(), 2);
    assert!(index.heap_bytes() <= before);
    index.add(2, "brandt again");
    assert_eq!(
        index.search("brandt", &|_| true, LIMITS).hits[0].document,
        2
    );
}

#[test]
fn a_text_of_one_mebibyte_is_found_and_so_is_a_query_of_that_size() {
    let long: String = (0..).map(|n| format!("word{n} ")).take(120_000).collect();
    let long = &long[..1 << 20];
    let index = index_of(&[long, "word5 alone"]);
    let found = index.search("word5", &|_| true, LIMITS);
    assert_eq!(found.hits.len(), 2);
    assert_eq!(found.hits[0].document, 1);
    let found = index.search(long, &|_| true, LIMITS);
    assert_eq!(found.hits.len(), 2);
    assert!(found.n_words_left_out > 90_000);
}

#[test]
fn what_stands_beside_a_match_is_found_with_half_of_its_score() {
    let texts = [
        "Where did you go last summer?",
        "To Lisbon, with my sister.",
        "Lovely!",
        "summer",
        "To Lisbon, with my sister.",
    ];
    let index = index_of(&texts);
    let mut threads = Threads::new();
    for thread in [Some(0), Some(0), Some(0), None, Some(1)] {
        threads.push(thread);
    }
    let hits = |refused: u32| {
        let admitted = index.admit(&|it| {
            if it == refused {
                Admission::Refused
            } else {
                Admission::Eligible
            }
        });
        let found = index.search_beside("last summer", &admitted, &threads, LIMITS);
        let hits = found.hits.into_iter();
        hits.map(|it| {
            (
                it.document,
                it.score_millionths,
                it.beside_millionths,
                it.matched.len(),
            )
        })
        .collect::<Vec<_>>()
    };
    let found = hits(9);
    assert_eq!(found.iter().map(|it| it.0).collect::<Vec<_>>(), [0, 3, 1]);
    assert_eq!((found[2].1, found[2].3), (found[0].1 / 2, 0));
    assert_eq!((found[2].2, found[0].2), (found[2].1, 0));
    // Without the answer, what follows it stands beside the question.
    assert!(hits(1).iter().any(|it| it.0 == 2));
}

#[test]
fn a_thread_is_found_by_all_of_its_words_together() {
    let index = index_of(&["lisbon", "summer", "lisbon", "summer summer", "other"]);
    let mut threads = Threads::new();
    for thread in [Some(0), Some(0), Some(1), None, Some(1)] {
        threads.push(thread);
    }
    let admitted = index.admit(&|_| Admission::Eligible);
    let found = index.search_threads("lisbon summer", &admitted, &threads, 9);
    assert_eq!(found.iter().map(|it| it.thread).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(
        index.search_threads("lisbon summer", &admitted, &threads, 1),
        found[..1]
    );
}

#[test]
fn numbers_have_no_gaps() {
    let out_of_order = std::panic::catch_unwind(|| Index::new().add(1, "iban"));
    assert!(out_of_order.is_err());
}

fn packed(index: &Index) -> Vec<u8> {
    let mut bytes = Vec::new();
    index.pack(&mut bytes).expect("a vector takes everything");
    bytes
}

fn unpacked(bytes: Vec<u8>) -> Option<Index> {
    Index::unpack(std::sync::Arc::new(bytes))
}

/// The bytes of one index, for ever: whoever changes what they say, or the terms of a text, gives
/// the change a number.
#[test]
fn a_version_has_one_form() {
    let texts = MEMORY
        .lines()
        .chain(["Größe: 30 Tage, due 2026-08-13", "naïve 変更"]);
    let bytes = packed(&index_of(&texts.collect::<Vec<_>>()));
    // FNV-1a, which is enough to tell two versions apart.
    let print = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |print, byte| {
        (print ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    assert_eq!(
        (immune_recall::VERSION, format!("{print:016x}").as_str()),
        (2, "eebe9e809cb2c75f"),
        "an index has other bytes than before: give `VERSION` the next number"
    );
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-d 5,.変更🎉é'@-]{0,24}",
        prop::collection::vec("[abc]{1,2}", 0..8).prop_map(|words| words.join(" ")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

    /// The law that the crate exists for: what is not eligible might as well not be there.
    #[test]
    fn ineligible_documents_change_no_answer(
        texts in prop::collection::vec((any_text(), any::<bool>()), 0..16),
        query in any_text(),
    ) {
        let all = index_of(&texts.iter().map(|(text, _)| text).collect::<Vec<_>>());
        let kept: Vec<u32> = (0..).zip(&texts).filter(|(_, t)| t.1).map(|(d, _)| d).collect();
        let alone = index_of(
            &texts.iter().filter(|(_, eligible)| *eligible).map(|(text, _)| text).collect::<Vec<_>>(),
        );
        let among = all.search(&query, &|document| texts[document as usize].1, LIMITS);
        let mut apart = alone.search(&query, &|_| true, LIMITS);
        for hit in &mut apart.hits {
            hit.document = kept[hit.document as usize];
        }
        prop_assert_eq!(among.hits, apart.hits);
        prop_assert_eq!(among.n_words_left_out, apart.n_words_left_out);
        prop_assert!(among.excluded.iter().all(|document| !texts[*document as usize].1));
    }

    /// The same where neighbours count, and where threads are ranked.
    #[test]
    fn ineligible_documents_change_no_answer_in_threads(
        texts in prop::collection::vec(
            ("[abcd ]{0,8}", any::<bool>(), prop::option::of(0_u32..3)), 0..16),
        query in "[abcd]( [abcd])?",
    ) {
        let kept: Vec<u32> = (0..).zip(&texts).filter(|(_, t)| t.1).map(|(d, _)| d).collect();
        let found = [true, false].map(|with_all| {
            let there: Vec<_> = texts.iter().filter(|it| with_all || it.1).collect();
            let index = index_of(&there.iter().map(|it| &it.0).collect::<Vec<_>>());
            let mut threads = Threads::new();
            for text in &there {
                threads.push(text.2);
            }
            let admitted = index.admit(&|document| if there[document as usize].1 { Admission::Eligible } else { Admission::Refused });
            let hits = index.search_beside(&query, &admitted, &threads, LIMITS).hits;
            (hits, index.search_threads(&query, &admitted, &threads, 9))
        });
        let [among, mut apart] = found;
        for hit in &mut apart.0 {
            hit.document = kept[hit.document as usize];
        }
        prop_assert_eq!(among, apart);
    }

    #[test]
    fn the_order_of_the_words_does_not_matter(
        texts in prop::collection::vec("[abcd ]{0,16}", 1..12),
        mut query in prop::collection::vec("[abcd]{1,2}", 1..5),
    ) {
        let index = index_of(&texts);
        let ranked = |words: &[String]| {
            let found = index.search(&words.join(" "), &|_| true, LIMITS);
            found.hits.into_iter().map(|hit| (hit.document, hit.score_millionths)).collect::<Vec<_>>()
        };
        let forwards = ranked(&query);
        query.reverse();
        prop_assert_eq!(ranked(&query), forwards);
    }

    #[test]
    fn a_text_with_a_word_in_it_finds_itself(text in any_text(), word in "[abc5変🎉é]{1,3}") {
        let text = format!("{text} {word} {text}");
        let found = index_of(&[&text]).search(&text, &|_| true, LIMITS);
        prop_assert_eq!(found.hits.len(), 1);
    }

    #[test]
    fn erasing_equals_adding_nothing(
        texts in prop::collection::vec("[abcd ]{0,16}", 1..12),
        query in "[abcd]{1,2}",
        erased in any::<prop::sample::Index>(),
    ) {
        let erased = erased.index(texts.len());
        let mut index = index_of(&texts);
        index.erase(erased as u32);
        let mut left = texts;
        left[erased].clear();
        let expected = index_of(&left).search(&query, &|_| true, LIMITS);
        prop_assert_eq!(index.search(&query, &|_| true, LIMITS), expected);
    }

    #[test]
    fn an_index_that_was_packed_answers_like_one_that_was_not(
        texts in prop::collection::vec((any_text(), prop::bool::weighted(0.2)), 0..16),
        query in any_text(),
        erased in prop::option::of(any::<prop::sample::Index>()),
        cut in any::<prop::sample::Index>(),
    ) {
        let (mut plain, mut packs) = (Index::new(), Index::new());
        for (document, (text, pack)) in (0..).zip(&texts) {
            plain.add(document, text);
            packs.add(document, text);
            if *pack {
                packs = unpacked(packed(&packs)).expect("it was packed");
            }
        }
        if let Some(erased) = erased.filter(|_| !texts.is_empty()) {
            let erased = erased.index(texts.len()) as u32;
            plain.erase(erased);
            packs.erase(erased);
        }
        let answers = [&plain, &packs].map(|it| it.search(&query, &|d| d % 3 > 0, LIMITS));
        prop_assert_eq!(&answers[0], &answers[1]);
        let bytes = packed(&plain);
        prop_assert_eq!(&bytes, &packed(&packs));
        prop_assert!(unpacked(bytes[..cut.index(bytes.len())].to_vec()).is_none());
    }
}
