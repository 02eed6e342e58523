//! The closed lists of words that [`super::said`] and [`super::stem`] read by.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::stem::stem;

/// Forms that no rule of endings gives, and the word that they are forms of.
pub(super) const IRREGULAR: &[(&str, &str)] = &[
    ("wrote written", "write"),
    ("built", "build"),
    ("made", "make"),
    ("met", "meet"),
    ("took taken", "take"),
    ("got gotten", "get"),
    ("did done does doing", "do"),
    ("went gone going goes been", "go"),
    ("had has", "have"),
    ("spoke spoken", "speak"),
    ("gave given", "give"),
    ("began begun", "begin"),
    ("chose chosen", "choose"),
    ("found", "find"),
    ("held", "hold"),
    ("kept", "keep"),
    ("led", "lead"),
    ("left", "leave"),
    ("paid", "pay"),
    ("ran", "run"),
    ("saw seen", "see"),
    ("sent", "send"),
    ("spent", "spend"),
    ("told", "tell"),
    ("thought", "think"),
    ("won", "win"),
    ("bought", "buy"),
    ("brought", "bring"),
    ("taught", "teach"),
    ("felt", "feel"),
    ("heard", "hear"),
    ("knew known", "know"),
    ("lost", "lose"),
    ("sold", "sell"),
    ("drew drawn", "draw"),
    ("drove driven", "drive"),
    ("ate eaten", "eat"),
    ("drank drunk", "drink"),
    ("flew flown", "fly"),
    ("grew grown", "grow"),
    ("shown", "show"),
    ("threw thrown", "throw"),
    ("broke broken", "break"),
    ("became", "become"),
    ("used using", "use"),
    ("setup", "set"),
    ("tying tied", "tie"),
    ("dying died", "die"),
    ("lying lied", "lie"),
];

/// Verbs that name one deed in the words of different people.
pub(super) const DEEDS: &[&str] = &[
    "write build make create implement develop code program add set design produce draft compose \
     construct author configure",
    "use employ utilize utilise adopt apply integrate incorporate leverage work install add try",
    "meet talk speak discuss chat converse",
    "attend join participate go visit",
    "get receive obtain earn win have",
    "try test experiment explore",
    "finish complete conclude",
    "visit travel go fly",
    "fix resolve debug solve",
    "work collaborate partner team",
    "submit send apply file",
    "deploy release ship launch publish",
    "buy purchase order get",
    "handle process manage",
    "see watch view",
    "hire recruit employ",
    "like love enjoy prefer adore",
    "have own possess hold get",
    "read study review",
    "run perform conduct execute do carry",
    "learn study practice practise take",
    "take try drink eat",
    "start found launch open establish create",
];

/// The classes of each verb, by its stem.
static CLASSES: LazyLock<BTreeMap<String, Vec<usize>>> = LazyLock::new(|| {
    let mut classes: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (idx, class) in DEEDS.iter().enumerate() {
        for verb in class.split_ascii_whitespace() {
            classes.entry(stem(verb)).or_default().push(idx);
        }
    }
    classes
});

/// Whether a stem is of a verb that a list holds.
pub(super) fn is_known(stem: &str) -> bool {
    CLASSES.contains_key(stem) || IRREGULAR_STEMS.contains(stem)
}

static IRREGULAR_STEMS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| IRREGULAR.iter().map(|(_, base)| stem(base)).collect());

/// Whether two verbs, as stems, are of one class.
pub(super) fn share_class(left: &str, right: &str) -> bool {
    let classes = CLASSES.get(left).zip(CLASSES.get(right));
    classes.is_some_and(|(left, right)| left.iter().any(|it| right.contains(it)))
}

/// Verbs that say little without their object: `have a meeting`, `give a talk`.
pub(super) const LIGHT: &str = "have make take do give hold get";
/// What one has of a thing by using it.
pub(super) const EXPERIENCE: &str = "experience knowledge background familiarity exposure training";
/// What one has with a thing that does not do what it should.
pub(super) const TROUBLE: &str = "issue problem trouble difficulty error";
/// What two do with each other.
pub(super) const MUTUAL: &str = "meet talk speak discuss chat converse work collaborate consult";
/// How something comes from somebody.
pub(super) const GETTING: &str = "get receive obtain have";

/// Whether a stem is of one of the words.
pub(super) fn is_one_of(found: &str, words: &str) -> bool {
    words
        .split_ascii_whitespace()
        .any(|it| it.as_bytes().first() == found.as_bytes().first() && stem(it) == found)
}

/// Whether both are stems of words for trouble.
pub(super) fn share_trouble(left: &str, right: &str) -> bool {
    is_one_of(left, TROUBLE) && is_one_of(right, TROUBLE)
}

/// Words after which what follows is only supposed.
pub(super) const SUPPOSING: &str = "if unless whether until";
/// Words after which something else is said.
pub(super) const CONJUNCTIONS: &str = "\
    but because since although though while whereas if when whenever unless which who whom whose \
    so however until";
/// Words that start a new clause after a comma or an `and`.
pub(super) const OPENING: &str = "\
    i i'm i've we we're we've you he she it they there this that these those my our the can could \
    would should how what why where when which is are do does did please so and";
/// Words with which a segment asks or orders.
pub(super) const ASKING: &str = "\
    can could would should how what why where when which who is are do does did please help show \
    give let tell explain if whether suppose imagine assuming maybe perhaps";
/// What is wanted, planned, supposed or in doubt is no fact.
pub(super) const UNREAL: &str = "\
    want wants wanted need needs plan plans planning planned wondering wonder hope hoping consider \
    considering thinking think would could should might may must will shall hesitant \
    unsure if whether how what why someday eventually tomorrow next going can help \
    suggest recommend advice decide deciding worried afraid goal aim aiming trying intend \
    intending supposed able";
/// Verbs whose `not` denies a deed.
pub(super) const HELPING: &str = "have has had did do does am is are was were";
/// `not want`, `never mind`: nothing is denied of the world.
pub(super) const NO_DEEDS: &str = "\
    want know think believe mind need sure feel going planning able understand remember expect \
    see care mean forget really to yet worried";
/// Verbs of disliking.
pub(super) const HATING: &str = "hate hates hated dislike dislikes disliked detest detests loathe";
/// Words between a negator and its verb.
pub(super) const ADVERBS: &str = "\
    actually really ever yet even personally formally officially directly previously \
    fully once currently any the a an";
/// Where the scope of a negator ends.
pub(super) const SCOPE_ENDS: &str = "\
    but because since although though while whereas if when unless which who so however yet \
    before after until despite even";
/// Words that lead to what hangs on the object.
pub(super) const PREPOSITIONS: &str = "\
    in on at with for from to of by about into over under between during within without through \
    across against as";
/// Words that tell nothing apart.
pub(super) const FUNCTION: &str = "\
    a an the this that these those my our your his her its their i we you he she it they me us him \
    them and or nor not no never any all some each every both either neither of in on at to for \
    from with by about into over under between during within without through across against as \
    is are was were am be been being do does did has have had will would shall should can could \
    may might must there here then than too also just only very really actually already recently \
    currently yet ever even still so far now today yesterday always often usually once again \
    before after up out off down like such more most less least much many few lot lots bit \
    successfully finally initially previously personally quite rather pretty myself ourselves \
    i'm i've we're we've it's that's who which what when where why how if";
/// Words that everything may have: `in this project`, `formal`.
const GENERAL: &str = "\
    formal official specific significant professional major actual external prior single \
    project app application system code work life time day week month year thing something \
    anything everything way part case point past future moment far kind sort type number one \
    people person team task";

static GENERAL_STEMS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| GENERAL.split_ascii_whitespace().map(stem).collect());

/// Whether a word tells nothing apart.
pub(super) fn is_function(word: &str) -> bool {
    FUNCTION.split_ascii_whitespace().any(|it| it == word)
}

/// Whether a stem is of a noun that everything belongs to.
pub(super) fn is_general(stem: &str) -> bool {
    GENERAL_STEMS.contains(stem)
}
