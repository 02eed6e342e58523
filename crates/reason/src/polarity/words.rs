//! The tokens of a sentence and the closed lists of words that [`super::polarity`] reads by;
//! `relate` reads the same tokens.

use unicode_normalization::UnicodeNormalization;

/// A word in lower case, a number, or a comma.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl Token {
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.0 == word
    }

    pub(crate) fn is_comma(&self) -> bool {
        self.0 == ","
    }

    pub(super) fn is_number(&self) -> bool {
        self.0
            .trim_start_matches(['$', '#', '-'])
            .starts_with(|it: char| it.is_ascii_digit())
    }
}

/// Whether the token is one of the words.
pub(crate) fn is(token: &Token, words: &str) -> bool {
    words.split_ascii_whitespace().any(|it| it == token.0)
}

/// One sentence: its tokens, and whether it ends with a question mark.
#[derive(Debug, Default)]
pub(crate) struct Sentence {
    pub(crate) tokens: Vec<Token>,
    pub(crate) is_question: bool,
}

/// The sentences of a text that hold a word.
pub(crate) fn sentences(text: &str) -> Vec<Sentence> {
    let text: String = text
        .nfkc()
        .map(|it| {
            if matches!(it, '\u{2018}' | '\u{2019}') {
                '\''
            } else {
                it
            }
        })
        .flat_map(char::to_lowercase)
        .collect();
    let mut all = Vec::new();
    let mut sentence = Sentence::default();
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    while let Some(character) = chars.next() {
        let inner = match character {
            '.' | ',' => !word.is_empty() && chars.peek().is_some_and(|it| it.is_alphanumeric()),
            '\'' | '-' | '_' | '/' | '@' | '&' | '%' | '$' | '#' => true,
            other => other.is_alphanumeric(),
        };
        if inner {
            word.push(character);
            continue;
        }
        let abbreviated = ABBREVIATIONS.split_ascii_whitespace().any(|it| it == word);
        push_word(&mut sentence.tokens, &mut word);
        match character {
            ',' | ';' | ':' | '(' | ')' => sentence.tokens.push(Token(",".to_owned())),
            '.' if abbreviated => {}
            '.' | '!' | '?' => {
                let ends = chars.peek().is_none_or(|it| !it.is_alphanumeric());
                sentence.is_question |= character == '?';
                if ends && !sentence.tokens.is_empty() {
                    all.push(std::mem::take(&mut sentence));
                } else if ends && character == '?' {
                    if let Some(last) = all.last_mut() {
                        last.is_question = true;
                    }
                    sentence.is_question = false;
                }
            }
            _ => {}
        }
    }
    push_word(&mut sentence.tokens, &mut word);
    if !sentence.tokens.is_empty() {
        all.push(sentence);
    }
    all.retain(|it| it.tokens.iter().any(|token| !token.is_comma()));
    all
}

/// Adds a word; a contraction becomes the two words that it stands for.
fn push_word(tokens: &mut Vec<Token>, word: &mut String) {
    let whole = std::mem::take(word);
    let whole = whole.trim_matches(['\'', '-', '/', '_', '&']);
    if whole.is_empty() {
        return;
    }
    let (first, second) = match whole {
        "can't" | "cannot" | "cant" => ("can", "not"),
        "won't" | "wont" => ("will", "not"),
        "shan't" => ("shall", "not"),
        "ain't" | "isnt" => ("is", "not"),
        "dont" => ("do", "not"),
        "doesnt" => ("does", "not"),
        "didnt" => ("did", "not"),
        "mustnt" => ("must", "not"),
        _ => contraction(whole),
    };
    for part in [first, second] {
        if !part.is_empty() {
            tokens.push(Token(part.to_owned()));
        }
    }
}

/// The parts of `isn't` or `it's`: a clause is recognised by its verb.
fn contraction(word: &str) -> (&str, &str) {
    const BEFORE_IS: [&str; 7] = ["it", "that", "there", "he", "she", "what", "here"];
    if let Some(stem) = word.strip_suffix("n't") {
        return (stem, "not");
    }
    match word.rsplit_once('\'') {
        Some((stem, "ll")) => (stem, "will"),
        Some((stem, "re")) => (stem, "are"),
        Some((stem, "ve")) => (stem, "have"),
        Some((stem, "m")) => (stem, "am"),
        Some((stem, "d")) => (stem, "would"),
        Some((stem, "s")) if BEFORE_IS.contains(&stem) => (stem, "is"),
        _ => (word, ""),
    }
}

const ABBREVIATIONS: &str = "\
    no nos mr mrs ms dr inc ltd co corp vs etc approx dept st jr sr acct ref ext fig sec jan \
    feb mar apr jun jul aug sep sept oct nov dec";

/// Whether a word after "may be" is a past participle, so that something is permitted.
pub(crate) fn is_participle(token: &Token) -> bool {
    const IRREGULAR: &str = "\
    sent paid made done put left kept held met bought sold cut set built lost told won run \
    read spent lent shown withdrawn drawn sought brought reset let split shut begun";
    (token.0.len() > 4 && (token.0.ends_with("ed") || token.0.ends_with("en")))
        || is(token, IRREGULAR)
}

pub(super) const OPENERS: &str = "\
    no yes ok okay well sure thanks hi hello hey please also however again sorry yep nope \
    right actually fyi therefore thus finally first second further furthermore moreover \
    today now";
pub(super) const CONNECTIVES: &str = "and but so or also please then";
pub(crate) const AUXILIARIES: &str = "\
    is are was were am be been must shall should will can may might could would has have had \
    do does did";
pub(super) const ASKING_VERBS: &str = "\
    is are was were am shall should will can may might could would has have had do does did";
pub(super) const ASKED: &str = "\
    i you we they he she it there this that the these those my your our their his her its a \
    an any anyone anybody somebody someone";
pub(super) const QUESTION_WORDS: &str = "who what when where why how which whose";
/// Verbs in forms that are seldom anything else, so that a clause without an auxiliary is seen.
pub(super) const MAIN_VERBS: &str = "\
    need needs require requires apply applies go goes expire expires cost costs pay pays \
    send sends use uses keep keeps get gets owe owes skip skips accept accepts allow allows \
    contains means remains becomes includes confirm confirms agree agreed know think believe \
    want said says received sent paid signed approved made took came went got ship ships \
    works runs wire call note";
pub(super) const SUBORDINATORS: &str = "\
    if unless when whenever because although though while since until before after whether \
    once as provided assuming suppose supposing in-case lest than without despite where";
pub(super) const CONDITIONS: &str = "if unless whether suppose supposing assuming provided in-case";
/// A condition that is only supposed makes what follows from it a supposition too.
pub(super) const SUPPOSING: &str = "assume assuming assumed suppose supposing supposed";
pub(super) const COORDINATORS: &str = "but and so yet";
pub(super) const PREPOSITIONS: &str = "of in on at to for from with by under about into";
pub(super) const RELATIVES: &str = "which who whom whose that";
/// After these, `that` starts what is said and not which thing is meant.
pub(super) const COMPLEMENT_VERBS: &str = "\
    confirm confirms confirmed note know knows sure aware understand remember remind advise \
    advised announce announced state states stated ensure agree agreed decided means mean \
    think believe hope see clear certain said says so true case forget forgets forgot forgotten \
    false untrue incorrect wrong lie hoax deny denies denied denying dispute disputes disputed doubts doubted";
pub(super) const DEONTIC: &str = "\
    must shall required requires require need needs should always never may can mandatory \
    allowed permitted forbidden prohibited will applies apply goes go is are";
pub(super) const IMPERATIVES: &str = "\
    pay use send call skip wire contact ask reject accept never always keep stop escalate \
    refuse approve check verify let";
pub(super) const HEARSAY: &str = "\
    reportedly allegedly apparently supposedly rumor rumour rumors rumours rumored rumoured \
    heard hear hearsay seems seem seemed appears appear presumably";
pub(super) const SAYING: &str = "\
    said says claims claimed mentioned mentions indicated indicates reported reports asserts \
    asserted thinks believes thought believed suggested suggests insists insisted alleges \
    alleged";
/// Of those, the forms that are nouns too, unless what is said follows.
pub(super) const SAYING_OR_NOUN: &str = "claims reports mentions thought";
pub(super) const SAID: &str =
    "that the it he she they there this these our their his her no we you i to a an";
pub(super) const OWN: &str = "i we the a an our my your all no";
pub(super) const AUTHORITIES: &str = "\
    policy contract agreement handbook manual terms rule rules law guideline guidelines \
    documentation docs statute tariff procedure notice";
pub(super) const HEDGES: &str = "\
    might maybe perhaps possibly probably likely unlikely guess wonder wondering unsure \
    hopefully suppose unclear uncertain doubt doubtful";
pub(super) const THINKING: &str = "think believe suspect assume imagine guess expect hope thought";
pub(super) const POLITE: &str = "like appreciate prefer love not recommend suggest ask be";
pub(crate) const NEVER: &str = "never neither";
pub(crate) const NOBODY: &str = "none nobody nothing nowhere no-one";
pub(super) const FORBIDDING: &str = "\
    forbidden forbid forbids prohibited prohibit prohibits disallowed disallow disallows \
    banned impermissible unable impossible disabled";
pub(super) const FAILING: &str = "\
    fail fails failed failing refuse refuses refused forget forgot forgets forgotten ceased \
    cease ceases declined declines decline neglect neglected omit omitted";
/// Whoever warns of a thing does not vouch for it.
pub(super) const WARNING: &str = "\
    beware thief thieves scammer scammers fraudster fraudsters crook crooks criminal criminals \
    attacker attackers hacker hackers impostor impostors imposter stolen";
/// Who wrote that something is so reports it.
pub(super) const WRITING: &str = "wrote writes written tweeted posted emailed";
pub(super) const FALSE: &str = "\
    false untrue incorrect lie lies hoax scam scams fraud fraudulent fake bogus misinformation";
pub(super) const STOPPING: &str = "block stop avoid halt freeze suspend boycott";
pub(super) const STOPPED: &str = "stop stops stopped quit quits ceased cease halted";
pub(super) const ANYTHING: &str = "anything anywhere anyone everything everywhere all";
/// What is forgotten, or not, holds.
pub(super) const FORGETTING: &str = "forget forgets forgot forgotten";
pub(super) const DENYING: &str =
    "deny denies denied denying dispute disputes disputed doubts doubted";
pub(super) const DISLIKING: &str = "dislike dislikes disliked";
pub(super) const HESITATING: &str = "hesitate";
pub(super) const BOUNDS_AND_FOCUS: &str = "only just merely simply until to-mention";
pub(super) const COMPARATIVES: &str = "\
    later more less fewer sooner earlier greater better worse higher lower exceeding";
pub(super) const NO_IDIOMS: &str = "doubt matter wonder problem";
/// Words after which `no` is a number's sign: `invoice no 5`.
pub(super) const NUMBERED: &str = "\
    invoice account acct order deal ticket contract phone fax po ref reference serial item \
    part case";
