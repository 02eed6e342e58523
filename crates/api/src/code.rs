//! The one table of error codes: exit code, HTTP status and doc anchor of each.
//!
//! Every error of the product maps to a row. Codes are for programs and never change their
//! meaning; the words beside them are for people and may. `docs/reference/errors.md` is generated
//! from this table, and a test compares them.

use std::fmt::Write as _;

/// The exit code of a clear no: the memory was asked, and said no.
pub const NO: u8 = 1;
/// The exit code of what could not run: the request cannot be read, or the store cannot be used.
pub const COULD_NOT_RUN: u8 = 2;

macro_rules! codes {
    ($($variant:ident $name:literal $exit:ident $http:literal $means:literal $next:literal;)*) => {
        /// What went wrong, as programs read it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $means] $variant,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The code in words: `unknown_channel`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The exit code of a command that ends with it.
            pub fn exit(self) -> u8 {
                match self { $(Self::$variant => $exit,)* }
            }

            /// The HTTP status of a reply that carries it.
            pub fn http(self) -> u16 {
                match self { $(Self::$variant => $http,)* }
            }

            /// What it means, in a sentence.
            pub fn means(self) -> &'static str {
                match self { $(Self::$variant => $means,)* }
            }

            /// What to do about it, in a sentence.
            pub fn next(self) -> &'static str {
                match self { $(Self::$variant => $next,)* }
            }
        }
    };
}

codes! {
    // What was asked cannot be read.
    Usage "usage" COULD_NOT_RUN 400
        "The command line or the request cannot be read."
        "Read the message; `--help` shows examples.";
    InvalidName "invalid_name" COULD_NOT_RUN 400
        "A memory, channel, handle, subject, area, namespace, kind or run is no such name."
        "Use 1 to 512 bytes of UTF-8 without control characters; subjects are written `entity/area.attribute`.";
    InvalidText "invalid_text" COULD_NOT_RUN 400
        "A text is empty, too long, no UTF-8, or holds a NUL character; the position is named."
        "Take the character out, or split the text; nothing of it was stored.";
    InvalidId "invalid_id" COULD_NOT_RUN 400
        "A word is no id."
        "Ids look like `bel_7`; `immune list` shows them.";
    InvalidTime "invalid_time" COULD_NOT_RUN 400
        "A word is no time with a zone, or no duration."
        "Write times like `2026-08-13T13:30:00Z` and durations like `30d` or `2h 30m`.";
    InvalidTrust "invalid_trust" COULD_NOT_RUN 400
        "A word is no trust value."
        "Write a number from 0 to 1 with at most three decimals.";
    InvalidCursor "invalid_cursor" COULD_NOT_RUN 400
        "A word is no resume token."
        "Use a token that `immune watch` printed; they look like `12.0`.";
    InvalidMetadata "invalid_metadata" COULD_NOT_RUN 400
        "Metadata is no JSON object, is too long or too deep, or holds a NUL character."
        "Write it like `{\"user\":\"alice\",\"age\":30}`; the limits are in `LIMITS.md`.";
    InvalidFilter "invalid_filter" COULD_NOT_RUN 400
        "A filter is no object of keys and conditions, or an operator has a value that it cannot take."
        "The message names the key; operators are `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`, `$in`, `$and` and `$or`.";
    InvalidCall "invalid_call" COULD_NOT_RUN 400
        "A line for `mesh screen` or `mesh observe` is no call of a model, too long, or no UTF-8; the line is named."
        "Correct the line; it was not judged, and what it would have delivered must not be.";
    InvalidClaim "invalid_claim" COULD_NOT_RUN 400
        "A claim contradicts itself: it ends before it starts, or has expired already."
        "Correct its times.";
    TooMany "too_many" COULD_NOT_RUN 413
        "More claims, literals, premises, beliefs or hits than one operation may have."
        "Split the operation; the limits are in `LIMITS.md`.";
    NoPremises "no_premises" COULD_NOT_RUN 400
        "A derivation names nothing that it rests on."
        "Name its premises: `--from bel_1`.";
    NotOneClaim "not_one_claim" COULD_NOT_RUN 400
        "A challenge does not state exactly one claim."
        "State one claim; challenge twice for two.";
    InvalidGraph "invalid_graph" COULD_NOT_RUN 400
        "A line of a graph is not of the format, contradicts another line, or names what is nowhere."
        "The message names the line and the alias; nothing of the file was imported.";
    InvalidExport "invalid_export" COULD_NOT_RUN 400
        "A stream is no memory that was exported, is cut off, or was altered."
        "The message says where; export the memory again. Nothing of the stream was kept.";
    NoFloor "no_floor" COULD_NOT_RUN 400
        "A recall asks for a floor of 0, which would let everything in."
        "Ask for more than 0.";
    WrongKind "wrong_kind" COULD_NOT_RUN 422
        "An item is of a kind that this operation does not take."
        "The message says what it is and what belongs there; `immune explain` shows the item.";
    NotEmpty "not_empty" COULD_NOT_RUN 409
        "A memory is to be imported where there is one already."
        "Name one that is empty: `--memory NAME`.";
    AlreadyThere "already_there" COULD_NOT_RUN 409
        "A file is there already, and is not overwritten."
        "Name another file, or remove it first.";

    // The memory was asked, and said no.
    Forbidden "forbidden" NO 403
        "The principal may not do this."
        "Ask an operator, or leave out `--as`.";
    NotInMemory "not_in_memory" NO 404
        "No item of this id is in this memory."
        "`immune list` shows what is there; `--memory` names another memory.";
    NoMemory "no_memory" NO 404
        "The store holds no memory of this name."
        "The first write creates it.";
    UnknownChannel "unknown_channel" NO 404
        "No operator opened this channel."
        "`immune channels set NAME --tier 0.7` opens it.";
    UnknownSource "unknown_source" NO 404
        "A handle that never spoke was named without a channel."
        "Name its channel with `--channel`.";
    AmbiguousSource "ambiguous_source" NO 409
        "A name means several things: a handle that speaks in several channels, or an alias that is a handle too."
        "Name one by its id; the hint lists them.";
    OtherNamespace "other_namespace" NO 409
        "An item is in another namespace than the operation."
        "Name the namespace with `--namespace`.";
    PremiseNotStanding "premise_not_standing" NO 409
        "A premise does not stand: it is quarantined, revoked or closed."
        "`immune explain` says why; conclude from what stands.";
    NoVectors "no_vectors" NO 409
        "Recall goes by words alone, so that there are no vectors to calibrate."
        "`immune reindex` makes them.";
    TooFew "too_few" NO 409
        "There is too little to read anything off."
        "The message says how much is needed.";
    NotStanding "not_standing" NO 409
        "What is asked about does not stand, so that nothing leads to it now."
        "`immune explain` says why; `--as-of` asks about an earlier time.";
    NoPath "no_path" NO 404
        "Nothing that stands leads from one item to the other."
        "`immune blast` shows what rests on the first one.";
    OtherSubject "other_subject" NO 409
        "A challenged belief is about another subject than the challenge."
        "Challenge it under its own subject.";
    Agrees "agrees" NO 409
        "A challenged belief says the same as the challenge."
        "There is nothing to challenge.";
    OtherTier "other_tier" NO 409
        "The channel exists with another tier."
        "`immune channels set NAME --tier T` changes it.";
    RunStarted "run_started" NO 409
        "A run is to be started that was shown something before."
        "Give the run that is started a name of its own; `immune runs` lists the others.";
    GraphConflict "graph_conflict" NO 409
        "A line of a graph says something else of an alias, a source or a channel than the memory."
        "The message names both; give the alias another name, or import into another memory.";
    NotAuthored "not_authored" NO 409
        "A source in a channel that may carry an agent's words cannot be a system of record."
        "`immune channels set NAME --authored`, if that is so.";
    TooWeak "too_weak" NO 409
        "A source is not trusted enough to be a system of record."
        "Raise the tier of its channel to 0.9 or more.";
    NotFlagged "not_flagged" NO 409
        "The item was never flagged: there is no flag to take back."
        "`immune incidents` shows what was flagged.";
    NotQuarantined "not_quarantined" NO 409
        "An agent is not quarantined in the mesh."
        "`immune mesh status` shows who is; agents are named by their identity.";
    BlamesNobody "blames_nobody" NO 409
        "An attribution blames no memory, so that there is nothing to quarantine."
        "`immune attribute show` says why.";
    Incomplete "incomplete" COULD_NOT_RUN 409
        "An attribution was stopped, ran out of its budget or its oracle failed: what it blames is the best so far, and is not quarantined by that alone."
        "Ask again, as the hint says; or take what there is with `--incomplete`.";
    NotRefuted "not_refuted" NO 409
        "A belief is to be released that no refutation holds."
        "`immune explain` says what it is; `immune unflag` takes a flag back.";
    NoClaim "no_claim" COULD_NOT_RUN 400
        "What is to be quarantined is challenged, and nothing says what is true instead."
        "Say it: `--expected VALUE`.";
    NoJudge "no_judge" COULD_NOT_RUN 400
        "Nothing says when an answer is wrong, or the same value is wrong and expected."
        "Name the wrong value with `--wrong`, the right one with `--expected`, or a judge with `--judge`.";
    NoTask "no_task" NO 409
        "Nothing waits to be derived again for this belief."
        "`immune tasks` shows what waits; without `--replaces` a conclusion is derived all the same.";
    NotRunning "not_running" NO 409
        "The action is in another state than the operation needs."
        "`immune explain` shows where it is.";
    GuardRefused "guard_refused" NO 409
        "The guard refused the action; its effect did not run."
        "The reasons name what is missing; `immune explain` shows each belief.";
    EffectFailed "effect_failed" NO 502
        "The effect of an action, or a compensation, ran and ended with an error, which is recorded."
        "Correct the cause and guard the action again; compensations are tried again by themselves.";
    UnderGrade "under_grade" NO 409
        "Fewer attacks of the battery are healed than were asked for."
        "`immune redteam` shows which ones, and what was missed.";
    NothingRecalled "nothing_recalled" NO 404
        "Nothing that may be relied on answers the question, and an answer was required."
        "`immune recall` without `--require` shows what was left out and why.";
    DriftFound "drift_found" NO 500
        "The log or a projection is not what a replay gives."
        "Keep a copy of the store before anything else; the findings name the rows.";
    CheckFailed "check_failed" NO 500
        "A check of `immune doctor` failed."
        "Each failed check names one fix.";
    ClockBehind "clock_behind" NO 500
        "The clock of the machine is behind the last event."
        "Set the clock; until then events carry the time of the last one.";

    // The store or the machine.
    NotAStore "not_a_store" COULD_NOT_RUN 500
        "The path holds no memory store."
        "Name another file with `--store`.";
    NoSuchStore "no_such_store" COULD_NOT_RUN 404
        "There is no store at this place, and this command does not make one."
        "The first write makes it; `immune doctor` shows which store is used and why.";
    UnsupportedStore "unsupported_store" COULD_NOT_RUN 501
        "This version has no store of this kind."
        "Name a file, or `memory:` for a store that is dropped at the end.";
    StoreFormat "store_format" COULD_NOT_RUN 500
        "The store was written by a version that this one does not read."
        "Open it with the version that wrote it.";
    StoreBusy "store_busy" COULD_NOT_RUN 503
        "Other writers held the store for longer than the time limit."
        "Try again, or give `--timeout` more seconds.";
    LogBroken "log_broken" COULD_NOT_RUN 500
        "The log does not hold what its hashes say."
        "Keep a copy of the store; `immune verify` names the first damaged entry.";
    LogUnreadable "log_unreadable" COULD_NOT_RUN 500
        "An entry of the log matches its hash and cannot be read."
        "Open it with the version that wrote it.";
    StoreFailed "store_failed" COULD_NOT_RUN 500
        "The disk or the engine below refused."
        "The message is theirs; `immune doctor` looks at the store.";
    WriterStopped "writer_stopped" COULD_NOT_RUN 500
        "The writer of the memory ended: it met a state that must not be."
        "Run the command again; `immune verify` checks the log.";
    Unreadable "unreadable" COULD_NOT_RUN 400
        "A file or standard input cannot be read, or is not what it was said to be."
        "The message names the path and the reason.";
    ModelFailed "model_failed" COULD_NOT_RUN 502
        "A model was to read a text, and its endpoint failed; nothing was taken up that it had not read."
        "The message names the endpoint and the reason; `immune doctor --model` looks at it.";
    OracleFailed "oracle_failed" COULD_NOT_RUN 502
        "Whoever was to answer failed before anything was learnt; nothing was written."
        "The message names who was asked and the reason.";
    Internal "internal" COULD_NOT_RUN 500
        "Something that this version has no code for."
        "The message says what it is; please report it.";
}

impl Code {
    /// The place in the documentation that explains it.
    pub fn anchor(self) -> String {
        format!("errors.md#{}", self.name())
    }
}

/// The text of `docs/reference/errors.md`.
pub fn reference() -> String {
    let mut page = String::from(
        "# Errors\n\n\
         Generated from `crates/api/src/code.rs`; `IMMUNE_UPDATE=1 cargo test -p immune-api` \
         writes it anew.\n\n\
         Every error carries one of these codes.\n\
         Exit code 1 is a clear no: the memory was asked, and said no.\n\
         Exit code 2 means that the command could not run: the request cannot be read, or the store \
         cannot be used.\n\
         With `--json` an error is one object on standard error: \
         `{\"schema\":\"immune.error/1\",\"code\":…,\"message\":…,\"hint\":…,\"docs\":…}`.\n\n\
         | code | exit | HTTP |\n| --- | --- | --- |\n",
    );
    for code in Code::ALL {
        let (name, exit, http) = (code.name(), code.exit(), code.http());
        let _ = writeln!(page, "| [`{name}`](#{name}) | {exit} | {http} |");
    }
    for code in Code::ALL {
        let (name, means, next) = (code.name(), code.means(), code.next());
        let _ = write!(page, "\n## {name}\n\n{means}\n{next}\n");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_spelled_alike() {
        let mut names: Vec<_> = Code::ALL.iter().map(|it| it.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        for code in Code::ALL {
            let spelled = |it: char| it.is_ascii_lowercase() || it == '_';
            assert!(code.name().chars().all(spelled), "{}", code.name());
            assert!((400..600).contains(&code.http()), "{}", code.name());
            assert!(matches!(code.exit(), NO | COULD_NOT_RUN));
            assert!(code.means().ends_with('.') && code.next().ends_with('.'));
        }
    }

    #[test]
    fn every_code_is_documented() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/reference/errors.md"
        );
        if std::env::var_os("IMMUNE_UPDATE").is_some() {
            let folder = std::path::Path::new(path).parent().unwrap();
            std::fs::create_dir_all(folder).unwrap();
            fs_err::write(path, reference()).unwrap();
        }
        let page = fs_err::read_to_string(path).unwrap();
        assert!(
            page == reference(),
            "the page is out of date: IMMUNE_UPDATE=1 cargo test -p immune-api"
        );
    }
}
