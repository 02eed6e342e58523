//! The base facts of a small memory as plain lists, kept beside the state that folds them. The
//! oracles read these and never the state. Invariant: nothing here is taken from a `State`.

use immune_model::Status;

/// Why a justification or a note is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    Expired,
    Forgotten,
    /// By a later justification, by its place.
    Superseded(usize),
}

impl Why {
    pub(crate) fn status(self) -> Status {
        match self {
            Self::Expired => Status::Expired,
            Self::Forgotten => Status::Forgotten,
            Self::Superseded(_) => Status::Superseded,
        }
    }
}

/// What a justification is capped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Giver {
    /// It is derived by the agent of this place.
    Agent(usize),
    /// It is stated by the source of this place, in the observation of this number.
    Source(usize, usize),
}

#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) head: usize,
    pub(crate) beliefs: Vec<usize>,
    pub(crate) notes: Vec<usize>,
    pub(crate) giver: Giver,
    /// The minute in which it was written.
    pub(crate) at: u32,
    /// With the event that wrote each.
    pub(crate) closings: Vec<(u64, Why)>,
}

/// An observation without claims.
#[derive(Debug, Clone)]
pub(crate) struct Note {
    pub(crate) source: usize,
    /// Its place among all observations.
    pub(crate) observation: usize,
    /// The minute in which it was received.
    pub(crate) at: u32,
    pub(crate) closed: bool,
}

/// What a flag is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flagged {
    /// What a source sent and concluded since a minute.
    Source(usize, u32),
    Observation(usize),
}

/// An incident: a refutation, or a flag of a source or an observation.
#[derive(Debug, Clone)]
pub(crate) struct Refutation {
    /// The beliefs that it refutes, or flags, themselves.
    pub(crate) beliefs: Vec<usize>,
    /// What the sources had stated of them: source and observation, by observation.
    pub(crate) stated: Vec<(usize, usize)>,
    pub(crate) flagged: Option<Flagged>,
    pub(crate) undone: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    pub(crate) n_beliefs: usize,
    pub(crate) tiers: Vec<u16>,
    /// Which source copies which.
    pub(crate) mirrors: Vec<(usize, usize)>,
    pub(crate) notes: Vec<Note>,
    pub(crate) links: Vec<Link>,
    pub(crate) refutations: Vec<Refutation>,
}

/// What the oracles compute on: who may stand, and what each justification needs and gives.
#[derive(Debug, Clone)]
pub(crate) struct Graph {
    pub(crate) n_beliefs: usize,
    pub(crate) refuted: Vec<bool>,
    pub(crate) links: Vec<Arc>,
}

/// A justification, with everything outside the beliefs already counted in.
#[derive(Debug, Clone)]
pub(crate) struct Arc {
    pub(crate) head: usize,
    /// A bit for each belief that it needs.
    pub(crate) needs: u32,
    /// The closing fact that applies to it.
    pub(crate) closed: Option<(u64, Why)>,
    /// It, or a note that it needs, is flagged.
    pub(crate) fallen: bool,
    /// One of the notes it needs is closed.
    pub(crate) stale: bool,
    /// The most that it gives, in thousandths.
    pub(crate) most: u16,
}

impl Facts {
    pub(crate) fn is_refuted(&self, belief: usize) -> bool {
        let mut standing = self.refutations.iter().filter(|it| !it.undone);
        standing.any(|it| it.beliefs.contains(&belief))
    }

    pub(crate) fn has_link(&self, belief: usize) -> bool {
        self.links.iter().any(|it| it.head == belief)
    }

    /// The latest closing fact that is not void.
    pub(crate) fn closing_of(&self, link: usize) -> Option<(u64, Why)> {
        let closings = &self.links.get(link)?.closings;
        let applies = |why: Why| match why {
            Why::Superseded(by) => self.replaces(by),
            Why::Expired | Why::Forgotten => true,
        };
        closings
            .iter()
            .rev()
            .copied()
            .find(|(_, why)| applies(*why))
    }

    /// Whether a flag covers what this source sent at this minute, or this observation of it.
    fn is_flagged(&self, source: usize, at: u32, observation: Option<usize>) -> bool {
        let standing = self.refutations.iter().filter(|it| !it.undone);
        standing.filter_map(|it| it.flagged).any(|it| match it {
            Flagged::Source(flagged, since) => flagged == source && since <= at,
            Flagged::Observation(flagged) => Some(flagged) == observation,
        })
    }

    pub(crate) fn is_link_flagged(&self, link: &Link) -> bool {
        match link.giver {
            Giver::Agent(agent) => self.is_flagged(agent, link.at, None),
            Giver::Source(source, observation) => {
                self.is_flagged(source, link.at, Some(observation))
            }
        }
    }

    pub(crate) fn is_note_flagged(&self, note: &Note) -> bool {
        self.is_flagged(note.source, note.at, Some(note.observation))
    }

    /// What is given by something that a source sent at this minute: nothing if what it copies is
    /// flagged.
    pub(crate) fn worth_at(&self, source: usize, at: u32) -> u16 {
        let hops = self.copied(source);
        if hops.iter().any(|it| self.is_flagged(*it, at, None)) {
            return 0;
        }
        hops.into_iter()
            .map(|it| self.reputation(it))
            .min()
            .unwrap()
    }

    /// The most that a justification gives, its notes left aside.
    pub(crate) fn given(&self, link: &Link) -> u16 {
        match link.giver {
            Giver::Agent(agent) => self.tiers[agent],
            Giver::Source(source, _) => self.worth_at(source, link.at),
        }
    }

    /// Whether a claim, or the one that replaced it in turn, is not quarantined.
    fn replaces(&self, link: usize) -> bool {
        let link = &self.links[link];
        let by = |(_, why): &(u64, Why)| match why {
            Why::Superseded(by) => self.replaces(*by),
            Why::Expired | Why::Forgotten => false,
        };
        let quarantined = self.is_refuted(link.head) || self.is_link_flagged(link);
        !quarantined || link.closings.iter().any(by)
    }

    /// A source and all that it copies.
    fn copied(&self, source: usize) -> Vec<usize> {
        let mut hops = vec![source];
        let mut next = 0;
        while let Some(hop) = hops.get(next).copied() {
            let copied = self.mirrors.iter().filter(|(from, _)| *from == hop);
            for (_, of) in copied {
                if !hops.contains(of) {
                    hops.push(*of);
                }
            }
            next += 1;
        }
        hops
    }

    /// A tier, x0.4 half up for each refutation of what the source stated, once for each incident
    /// and each observation.
    fn reputation(&self, source: usize) -> u16 {
        let mut worth = u32::from(self.tiers[source]);
        let mut paid = Vec::new();
        for refutation in self.refutations.iter().filter(|it| !it.undone) {
            let mut own = refutation.stated.iter().filter(|(from, _)| *from == source);
            if let Some((_, observation)) = own.find(|(_, it)| !paid.contains(it)) {
                paid.push(*observation);
                worth = (worth * 4 + 5) / 10;
            }
        }
        u16::try_from(worth).unwrap()
    }

    pub(crate) fn graph(&self) -> Graph {
        let arc = |(place, link): (usize, &Link)| {
            let notes = link.notes.iter().map(|it| &self.notes[*it]);
            let worth = notes.clone().map(|it| self.worth_at(it.source, it.at));
            let flagged = notes.clone().any(|it| self.is_note_flagged(it));
            Arc {
                head: link.head,
                needs: link.beliefs.iter().fold(0, |mask, it| mask | 1 << it),
                closed: self.closing_of(place),
                fallen: flagged || self.is_link_flagged(link),
                stale: notes.clone().any(|it| it.closed),
                most: worth.fold(self.given(link), u16::min),
            }
        };
        Graph {
            n_beliefs: self.n_beliefs,
            refuted: (0..self.n_beliefs).map(|it| self.is_refuted(it)).collect(),
            links: self.links.iter().enumerate().map(arc).collect(),
        }
    }
}

/// The three least models, a bit for each belief, and the strengths in thousandths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Models {
    pub(crate) ever: u32,
    pub(crate) open: u32,
    pub(crate) standing: u32,
    pub(crate) strengths: Vec<u16>,
}

impl Graph {
    /// The justifications that count with refuting and closing facts taken into account or not,
    /// as head and needs, if they give at least `least`.
    pub(crate) fn rules(&self, facts: Counting, least: u16) -> impl Iterator<Item = (usize, u32)> {
        let counts = move |arc: &&Arc| match facts {
            Counting::Nothing => true,
            Counting::Refuting => self.is_open(arc),
            Counting::All => self.is_open(arc) && arc.closed.is_none() && !arc.stale,
        };
        let counted = self.links.iter().filter(counts);
        counted
            .filter(move |arc| arc.most >= least)
            .map(|arc| (arc.head, arc.needs))
    }

    fn is_open(&self, arc: &Arc) -> bool {
        !self.refuted[arc.head] && !arc.fallen
    }

    /// The first row of semantics.md 3 that applies.
    pub(crate) fn status(&self, belief: usize, models: &Models) -> Status {
        let is_in = |model: u32| model & (1 << belief) != 0;
        let mut own = self.links.iter().filter(|it| it.head == belief).peekable();
        if own.peek().is_none() {
            return Status::Retracted;
        }
        if self.refuted[belief] {
            return Status::Quarantined;
        }
        if !is_in(models.ever) {
            return Status::Unsupported;
        }
        if !is_in(models.open) {
            return Status::Revoked;
        }
        if is_in(models.standing) {
            return Status::Active;
        }
        let latest = own.filter_map(|it| it.closed).max_by_key(|(seq, _)| *seq);
        latest.map_or(Status::Stale, |(_, why)| why.status())
    }
}

/// Which facts are taken into account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    /// EVER.
    Nothing,
    /// OPEN.
    Refuting,
    /// IN.
    All,
}
