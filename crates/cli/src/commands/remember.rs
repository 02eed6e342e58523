//! `remember`: content arrives from a source.

use immune_api::extract::ReadBy;
use immune_api::{Code, write};
use immune_engine::reason::plan::{NewClaim, Remember, Remembered, SetChannel, Sign, SourceRef};
use immune_engine::{Extraction, Extractor, Session};
use immune_model::{
    ChannelName, Handle, Instant, Namespace, RunId, Screening, Subject, SubjectFrom, Text, Trust,
};

use super::{Context, extractor, noted, reply, screening, show, verb};
use crate::args::{self, Place, Source, named};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{input, moment};

pub(crate) fn run(context: &mut Context, args: &args::Remember) -> Result<Exit, Failure> {
    let Taken {
        session,
        remembered,
        read,
        ..
    } = remember(context, args)?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let mut view = write::Remembered::of(state, session.principal(), &remembered);
    view.read_by = read.as_ref().map(ReadBy::from);
    if context.printer.reply(&reply(&session, view.clone()))? {
        return Ok(Exit::Yes);
    }
    let verb = if remembered.repeated {
        "was there already:"
    } else {
        verb(&session, "remembered", "would remember")
    };
    let (observation, source) = (&view.observation, show::source(&view.report.source));
    context
        .printer
        .line(format!("{verb} {observation} from {source}"))?;
    screening::print_statements(context, state, &view.report)?;
    if let Some(read) = &view.read_by {
        extractor::print(context, read)?;
    }
    if session.is_preview() {
        return Ok(Exit::Yes);
    }
    match view.report.statements.first() {
        Some(first) => context.next(format!("explain {}", first.belief)),
        None => context.next("list unscreened"),
    }
    if !remembered.repeated {
        context.undo(format!("forget {observation}"));
    }
    Ok(Exit::Yes)
}

/// What was taken up.
pub(crate) struct Taken {
    /// Where.
    pub(crate) session: Session,
    /// What became of it.
    pub(crate) remembered: Remembered,
    /// Who would find the claims of a text.
    pub(crate) extractor: Extractor,
    /// Who read it, if anybody had to.
    pub(crate) read: Option<Extraction>,
}

/// Takes up what the arguments say, or plans it.
pub(crate) fn remember(context: &mut Context, args: &args::Remember) -> Result<Taken, Failure> {
    // What cannot be read is refused before a store is opened, or made.
    let mut command = command(context, args)?;
    let extractor = extractor::of(context, &args.extractor)?;
    let session = context.writer(args.dry_run)?;
    command.from = source(&session, &args.source)?;
    open_channel(&session, &args.source)?;
    let is_known = args.claims.confidence.is_none() && is_known(&session, &extractor, &command)?;
    let read = if is_known {
        command.screening = Screening::Model;
        None
    } else {
        read(&extractor, &command)?
    };
    if let Some(read) = &read {
        command = read.fill(command);
        for claim in &mut command.claims {
            claim.lower(args.claims.confidence);
        }
    }
    let remembered = session.remember(command)?;
    Ok(Taken {
        session,
        remembered,
        extractor,
        read,
    })
}

/// Whether a text came before that a model would have to read: it need not read it again.
fn is_known(session: &Session, extractor: &Extractor, command: &Remember) -> Result<bool, Failure> {
    if extractor.reader().is_none() || !command.claims.is_empty() {
        return Ok(false);
    }
    let snapshot = session.snapshot()?;
    Ok(snapshot.state().repeated_by(command).is_some())
}

/// The claims of a text that states none.
fn read(extractor: &Extractor, command: &Remember) -> Result<Option<Extraction>, Failure> {
    if !command.claims.is_empty() {
        return Ok(None);
    }
    let read = extractor.extract(command.from.handle.as_str(), command.text.as_str());
    read.map(Some).map_err(|it| extractor::failed(&it, None))
}

fn command(context: &mut Context, args: &args::Remember) -> Result<Remember, Failure> {
    let now = context.now();
    let given = args.text.as_deref().map(|word| input::text(context, word));
    let given = given.transpose()?;
    let mut claims = claims(context, &args.claims, given.as_ref())?;
    let expires_at = expiry(now, args.times.ttl.as_deref())?;
    let valid_from = args.times.valid_from.as_deref().map(moment::time);
    let valid_from = valid_from.transpose()?;
    let valid_until = args.times.valid_until.as_deref().map(moment::time);
    let valid_until = valid_until.transpose()?;
    for claim in &mut claims {
        claim.expires_at = claim.expires_at.or(expires_at);
        claim.valid_from = claim.valid_from.or(valid_from);
        claim.valid_until = claim.valid_until.or(valid_until);
        claim.lower(args.claims.confidence);
    }
    if claims.is_empty() && (expires_at.or(valid_from).or(valid_until)).is_some() {
        return Err(
            Failure::usage("how long it holds is said of a claim, and none is stated")
                .hint("state it with `--about SUBJECT --claim TEXT`"),
        );
    }
    let text = match given {
        Some(text) => text,
        None if claims.is_empty() => {
            return Err(Failure::usage("there is nothing to remember")
                .hint("give the text, `-` for standard input, or `--about` and `--claim`"));
        }
        None => {
            let words: Vec<&str> = claims.iter().map(|it| it.text.as_str()).collect();
            Text::new(&words.join("\n"))?
        }
    };
    let sent_at = args.sent_at.as_deref().map(moment::time).transpose()?;
    let external_id = args.external_id.as_deref().map(Text::new).transpose()?;
    let screening = if claims.is_empty() {
        Screening::Rules
    } else {
        Screening::Explicit
    };
    Ok(Remember {
        from: SourceRef {
            channel: args
                .source
                .channel
                .as_deref()
                .map(ChannelName::new)
                .transpose()?,
            handle: Handle::new(&args.source.from)?,
            kind: None,
        },
        namespace: namespace(&args.place)?,
        text,
        sent_at,
        external_id,
        run: run_id(&args.place)?,
        screening,
        claims,
        metadata: noted::metadata(context, &args.noted)?,
    })
}

/// The source as the engine names it.
pub(crate) fn source(session: &Session, args: &Source) -> Result<SourceRef, Failure> {
    let snapshot = session.snapshot()?;
    named::speaker(
        snapshot.state(),
        session.principal(),
        &args.from,
        args.channel.as_deref(),
    )
}

/// Opens the channel with the tier that was asked for; one that exists has to have it.
pub(crate) fn open_channel(session: &Session, args: &Source) -> Result<(), Failure> {
    let (Some(channel), Some(tier)) = (&args.channel, args.tier) else {
        return Ok(());
    };
    create_channel(session, channel, tier)
}

/// Opens a channel; one that exists has to have this tier.
pub(crate) fn create_channel(session: &Session, channel: &str, tier: Trust) -> Result<(), Failure> {
    session.set_channel(SetChannel {
        name: ChannelName::new(channel)?,
        tier,
        carriage: None,
        create_only: true,
    })?;
    Ok(())
}

/// The namespace of a command.
pub(crate) fn namespace(place: &Place) -> Result<Namespace, Failure> {
    Ok(Namespace::new(&place.namespace)?)
}

/// The run of a command, if one is named.
pub(crate) fn run_id(place: &Place) -> Result<Option<RunId>, Failure> {
    Ok(place.run.as_deref().map(RunId::new).transpose()?)
}

/// When something with this time to live expires.
pub(crate) fn expiry(now: Instant, ttl: Option<&str>) -> Result<Option<Instant>, Failure> {
    ttl.map(|it| moment::after(now, it)).transpose()
}

/// The claims of the options, each with its subject. One subject without a claim is what the
/// text is about.
fn claims(
    context: &mut Context,
    args: &args::Claims,
    text: Option<&Text>,
) -> Result<Vec<NewClaim>, Failure> {
    if let Some(json) = &args.claims {
        let json = input::words(context, json)?;
        return stated(&json, text, sign_of(context));
    }
    let (subjects, texts, signs) = (args.about.len(), args.claim.len(), args.polarity.len());
    let whole = text.filter(|_| subjects == 1 && texts == 0);
    if subjects != texts && whole.is_none() {
        return Err(Failure::usage(format!(
            "there are {subjects} `--about` and {texts} `--claim`; each claim has its subject"
        )));
    }
    if signs != 0 && signs != subjects {
        return Err(Failure::usage(format!(
            "there are {signs} `--polarity` and {texts} `--claim`; give one for each, or none"
        )));
    }
    let texts = args.claim.iter().map(String::as_str);
    let texts = texts.chain(whole.map(Text::as_str));
    let pairs = args.about.iter().zip(texts);
    let mut claims: Vec<NewClaim> = pairs
        .map(|(about, claim)| new_claim(about, claim))
        .collect::<Result<_, _>>()?;
    for (claim, polarity) in claims.iter_mut().zip(&args.polarity) {
        claim.polarity = *polarity;
    }
    let sign = match signs {
        0 => Sign::Read,
        _ => sign_of(context),
    };
    if let Some(text) = text {
        for claim in &mut claims {
            claim.hold_to(text.as_str(), sign);
        }
    }
    Ok(claims)
}

/// Whether the sign of a claim that is named holds against the text.
fn sign_of(context: &Context) -> Sign {
    if context.is_operator() {
        Sign::Vouched
    } else {
        Sign::Read
    }
}

/// A claim in words.
pub(crate) fn new_claim(about: &str, claim: &str) -> Result<NewClaim, Failure> {
    let subject = Subject::new(about)?;
    Ok(NewClaim::read(
        subject,
        SubjectFrom::Caller,
        Text::new(claim)?,
    ))
}

/// The claims of `--claims`, as the wire states them.
fn stated(json: &str, text: Option<&Text>, named: Sign) -> Result<Vec<NewClaim>, Failure> {
    let stated = immune_api::claim::parse(json).map_err(|error| {
        Failure::new(Code::Usage, format!("`--claims`: {error}"))
            .hint(r#"write it like `[{"about":"shop.hours","claim":"The shop opens at nine"}]`"#)
    })?;
    stated
        .iter()
        .map(|it| {
            let mut claim = new_claim(&it.about, &it.claim)?;
            if let Some(polarity) = it.polarity {
                claim.polarity = polarity;
            }
            claim.lower(it.confidence);
            if let Some(text) = text {
                let sign = it.polarity.map_or(Sign::Read, |_| named);
                claim.hold_to(text.as_str(), sign);
            }
            claim.valid_from = it.valid_from.as_deref().map(moment::time).transpose()?;
            claim.valid_until = it.valid_until.as_deref().map(moment::time).transpose()?;
            claim.expires_at = it.expires_at.as_deref().map(moment::time).transpose()?;
            Ok(claim)
        })
        .collect()
}
