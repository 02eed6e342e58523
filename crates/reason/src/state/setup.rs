//! Folding what is set up: channels, sources, records, rules, half-lives.

use immune_model::{
    Area, ChannelId, Event, Handle, Instant, Rule, RuleId, SourceId, SourceKind, Standing,
};

use super::settle::Seeds;
use super::{Channel, EmbedderChoice, Source, State};

impl State {
    pub(super) fn fold_setup(&mut self, event: &Event, at: Instant) {
        match event {
            Event::MemoryCreated { name } => {
                assert!(self.name.is_none(), "a memory begins once");
                self.name = Some(name.clone());
            }
            Event::ChannelSet {
                channel,
                name,
                tier,
                carriage,
            } => {
                let set = Channel {
                    name: name.clone(),
                    tier: *tier,
                    carriage: *carriage,
                    newcomer_events: Vec::new(),
                    sources: Vec::new(),
                };
                self.fold_channel(*channel, set, at);
            }
            Event::SourceAdded {
                source,
                channel,
                handle,
                kind,
                standing,
            } => {
                let added = self.new_source(*channel, handle.clone(), *kind, *standing, at);
                self.fold_source_added(added, *source);
            }
            Event::SourceDeclared { source } => self.fold_source_declared(*source, at),
            Event::RecordNamed { source, area } => self.fold_record_named(*source, area),
            Event::RuleSet(rule) => self.fold_rule(rule),
            Event::RuleAsks {
                rule,
                corroboration,
            } => self.fold_rule_asks(*rule, *corroboration),
            Event::HalfLifeSet { area, seconds } => self.fold_half_life(area, *seconds),
            Event::EmbedderSet {
                model,
                dimensions,
                threshold,
            } => {
                self.embedder = Some(EmbedderChoice {
                    model: model.clone(),
                    dimensions: *dimensions,
                    threshold: *threshold,
                });
            }
            Event::MirrorDeclared { source, of } => {
                self.sources.get_mut(*source).mirrors.push(*of);
                self.sources.get_mut(*of).mirrored_by.push(*source);
                self.settle_mirror(*source, at);
            }
            Event::MirrorWithdrawn { source, of } => {
                self.sources.get_mut(*source).mirrors.retain(|it| it != of);
                self.sources
                    .get_mut(*of)
                    .mirrored_by
                    .retain(|it| it != source);
                self.settle_mirror(*source, at);
            }
            Event::CopyInferred { .. } | Event::MirrorRuled { .. } => self.fold_copying(event, at),
            _ => unreachable!("`fold` hands over what is set up, and nothing else"),
        }
    }

    fn fold_channel(&mut self, id: ChannelId, set: Channel, at: Instant) {
        self.changes.channels.insert(id);
        if self.channels.find(id).is_none() {
            self.channel_by_name
                .insert_mut(set.name.as_str().into(), id);
            assert_eq!(
                self.channels.push(set),
                id,
                "channels are numbered in order"
            );
            return;
        }
        let channel = self.channels.get_mut(id);
        channel.tier = set.tier;
        channel.carriage = set.carriage;
        let sources = channel.sources.clone();
        let mut touched = Seeds::default();
        for source in sources {
            self.changes.sources.insert(source);
            touched.extend(self.touched_by_source(source));
        }
        self.settle(touched, at);
    }

    /// A source that turns up with this event, before anything is known of it.
    pub(super) fn new_source(
        &self,
        channel: ChannelId,
        handle: Handle,
        kind: SourceKind,
        standing: Standing,
        at: Instant,
    ) -> Source {
        Source {
            channel,
            handle,
            kind,
            standing,
            records: Vec::new(),
            first_seq: self.seq,
            first_seen: at,
            events: Vec::new(),
            mirrors: Vec::new(),
            mirrored_by: Vec::new(),
            last_observation: None,
            last_derivation: None,
        }
    }

    pub(super) fn fold_source_added(&mut self, added: Source, source: SourceId) {
        let (channel, handle) = (added.channel, added.handle.clone());
        assert_eq!(
            self.sources.push(added),
            source,
            "sources are numbered in order"
        );
        self.channels.get_mut(channel).sources.push(source);
        let key = super::lookup::handle_key(channel, &handle);
        self.source_by_handle.insert(key, source);
        self.note_domain(source);
        self.changes.sources.insert(source);
    }

    fn fold_source_declared(&mut self, source: SourceId, at: Instant) {
        self.sources.get_mut(source).standing = Standing::Declared;
        self.changes.sources.insert(source);
        let touched = self.touched_by_source(source);
        self.settle(touched, at);
    }

    fn settle_mirror(&mut self, source: SourceId, at: Instant) {
        self.changes.sources.insert(source);
        let touched = self.touched_by_source(source);
        self.settle(touched, at);
    }

    fn fold_record_named(&mut self, source: SourceId, area: &Area) {
        let records = &mut self.sources.get_mut(source).records;
        if !records.contains(area) {
            records.push(area.clone());
        }
        self.changes.sources.insert(source);
    }

    fn fold_rule(&mut self, rule: &Rule) {
        if self.rules.find(rule.rule).is_some() {
            *self.rules.get_mut(rule.rule) = rule.clone();
        } else {
            assert_eq!(
                self.rules.push(rule.clone()),
                rule.rule,
                "rules are numbered in order"
            );
        }
        self.rule_by_kind.insert_mut(rule.kind.clone(), rule.rule);
        self.corroboration_asked.remove_mut(&rule.rule);
        self.changes.rules.insert(rule.rule);
    }

    /// Weights are asked for, never kept: nothing is recomputed.
    fn fold_half_life(&mut self, area: &Area, seconds: Option<u32>) {
        match seconds {
            Some(seconds) => self.half_lives.insert_mut(area.clone(), seconds),
            None => {
                self.half_lives.remove_mut(area);
            }
        }
    }

    fn fold_rule_asks(&mut self, rule: RuleId, corroboration: u32) {
        assert!(
            self.rules.find(rule).is_some(),
            "a rule is set before it asks"
        );
        self.corroboration_asked.insert_mut(rule, corroboration);
        self.changes.rules.insert(rule);
    }
}
