//! `compare`: two statements side by side, as a memory would read them. No store takes part.

use immune_ingest::claims::{Context, Extracted, extract};
use immune_model::{Literal, Subject};
use immune_reason::literal::{literals, look_alike};
use immune_reason::polarity::polarity;
use immune_reason::{Deciding, Relation, Side, relate, relate_apart};

/// What two statements say of each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// How they stand to each other.
    pub relation: Relation,
    /// The subject that brings them together; nothing where only their words do.
    pub subject: Option<Subject>,
    /// Whether a value of one is shown like a value of the other and is not the same.
    pub look_alike: bool,
    /// The values that the rules read in both where the claims that they find decide.
    pub values: (Vec<Literal>, Vec<Literal>),
}

/// Compares two statements: as claims about `subject` if that is named and decides, else by their
/// literals, else as the claims that the rules find in them, else by their words.
pub fn compare(subject: Option<&Subject>, a: &str, b: &str) -> Comparison {
    let (ours, theirs) = (literals(a), literals(b));
    let imitated = ours
        .iter()
        .any(|it| theirs.iter().any(|other| look_alike(it, other)));
    let side = |literals, text| Side {
        polarity: polarity(text),
        literals,
        text,
    };
    let (left, right) = (side(&ours, a), side(&theirs, b));
    let of = |relation, found: Option<&Subject>| Comparison {
        relation,
        subject: subject.or(found).cloned(),
        look_alike: imitated,
        values: Default::default(),
    };
    // A subject only adds pairs: where it decides nothing, their words may.
    if let Some(subject) = subject {
        let relation = relate(subject, left, right);
        if relation != Relation::Unrelated {
            return of(relation, None);
        }
    }
    let open = Subject::new("claim").expect("a name of letters");
    let plain = relate(&open, left, right);
    // Where only their words gainsay, the rules may tell about what.
    let by_words =
        left.polarity == right.polarity && plain == Relation::Conflict(Deciding::Polarity);
    if plain != Relation::Unrelated && !by_words {
        return of(plain, None);
    }
    match by_subject(a, b) {
        Some((relation, left, right)) => Comparison {
            values: (left.literals, right.literals),
            ..of(relation, Some(&left.subject))
        },
        None => of(relate_apart(left, right), None),
    }
}

/// What the first two claims about one subject say of each other, conflicts first.
fn by_subject(a: &str, b: &str) -> Option<(Relation, Extracted, Extracted)> {
    // Both are said by one and the same, whoever it is.
    let context = Context {
        sender: Some("speaker"),
    };
    let (ours, theirs) = (extract(&context, a), extract(&context, b));
    let pairs = ours
        .iter()
        .flat_map(|left| theirs.iter().map(move |right| (left, right)));
    let found = pairs
        .filter(|(left, right)| left.subject == right.subject)
        .map(|(left, right)| {
            let relation = relate(&left.subject, side(left), side(right));
            (relation, left, right)
        });
    found
        .filter(|(it, ..)| *it != Relation::Unrelated)
        .min_by_key(|(it, ..)| !matches!(it, Relation::Conflict(_)))
        .map(|(it, left, right)| (it, left.clone(), right.clone()))
}

fn side(claim: &Extracted) -> Side<'_> {
    Side {
        polarity: claim.polarity,
        literals: &claim.literals,
        text: claim.text.as_str(),
    }
}
