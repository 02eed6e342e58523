//! Replays: the same (source, external id), or (source, sent time, content), again is nothing new
//! (semantics.md 3).

use immune_model::{Instant, Namespace, ObservationId, Observed, Screening, SourceId, Text};

use crate::pack::key as digest;
use crate::state::State;

/// The keys under which an observation is recognised when it comes again.
pub(crate) fn keys_of(observed: &Observed) -> Vec<[u8; 16]> {
    let explicit: Vec<(&str, &str)> = match observed.screening {
        Screening::Explicit => observed
            .statements
            .iter()
            .map(|it| (it.subject.as_str(), it.text.as_str()))
            .collect(),
        Screening::Rules | Screening::Model | Screening::Unscreened => Vec::new(),
    };
    keys(&Content {
        source: observed.source,
        namespace: &observed.namespace,
        text: &observed.text,
        sent_at: observed.sent_at,
        external_id: observed.external_id.as_ref(),
        claims: &explicit,
    })
}

/// The keys of an observation of the state.
pub(crate) fn keys_of_known(state: &State, id: ObservationId) -> Vec<[u8; 16]> {
    let observation = state.observations.get(id);
    let explicit: Vec<(&str, &str)> = match observation.screening {
        Screening::Explicit => observation
            .statements
            .iter()
            .map(|it| {
                let statement = state.justifications.get(*it);
                let subject = &state.beliefs.get(statement.belief).subject;
                (subject.as_str(), statement.text.as_str())
            })
            .collect(),
        Screening::Rules | Screening::Model | Screening::Unscreened => Vec::new(),
    };
    keys(&Content {
        source: observation.source,
        namespace: &observation.namespace,
        text: &observation.text,
        sent_at: observation.sent_at,
        external_id: observation.external_id.as_ref(),
        claims: &explicit,
    })
}

/// What arrives, as far as a replay is concerned.
pub(crate) struct Content<'a> {
    pub(crate) source: SourceId,
    pub(crate) namespace: &'a Namespace,
    pub(crate) text: &'a Text,
    pub(crate) sent_at: Option<Instant>,
    pub(crate) external_id: Option<&'a Text>,
    /// Subject and text of the claims that the caller stated; they are content too.
    pub(crate) claims: &'a [(&'a str, &'a str)],
}

/// The key of the external id, if there is one, and that of the content, if it tells one from another.
pub(crate) fn keys(content: &Content<'_>) -> Vec<[u8; 16]> {
    let by_id = content
        .external_id
        .map(|id| digest(&[b"id", scope(content).as_slice(), id.as_str().as_bytes()]));
    let sent_at = content
        .sent_at
        .map_or(Vec::new(), |at| at.micros().to_le_bytes().to_vec());
    let scope = scope(content);
    let mut parts: Vec<&[u8]> = vec![
        b"content",
        &scope,
        &sent_at,
        content.text.as_str().as_bytes(),
    ];
    for (subject, text) in content.claims {
        parts.extend([subject.as_bytes(), text.as_bytes()]);
    }
    // Without a time, two messages that their channel tells apart are two, whatever they say.
    let by_content = content.sent_at.is_some() || content.external_id.is_none();
    by_id
        .into_iter()
        .chain(by_content.then(|| digest(&parts)))
        .collect()
}

fn scope(content: &Content<'_>) -> Vec<u8> {
    let mut scope = content.source.number().to_le_bytes().to_vec();
    scope.extend_from_slice(content.namespace.as_str().as_bytes());
    scope
}
