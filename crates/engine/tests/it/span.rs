//! What an attribution tells whoever listens to its spans.

use std::sync::Mutex;

use crate::attribute::*;

/// Keeps the attributes of spans.
#[derive(Default)]
struct Attributes(Mutex<Vec<(String, String)>>);

impl tracing::field::Visit for &Attributes {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        let pair = (field.name().to_owned(), format!("{value:?}"));
        self.0.lock().unwrap().push(pair);
    }
}

/// Hears the spans of attributions, and those of no others.
struct Listener(std::sync::Arc<Attributes>);

impl tracing::Subscriber for Listener {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.name() == "immune.attribution"
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        span.record(&mut &*self.0);
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        values.record(&mut &*self.0);
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn an_attribution_is_a_span_with_the_attributes_that_dashboards_ask_for() {
    let (world, lie, good) = lied_to();
    let heard = std::sync::Arc::new(Attributes::default());
    let request = about_refunds(named(&[good[0], lie, good[1]]));
    let found = tracing::subscriber::with_default(Listener(heard.clone()), || {
        ask_and_heal(&world.operator, &request, &first_of(&[TRUTH, LIE]))
    });
    let calls = found.what.calls.len().to_string();
    let heard = heard.0.lock().unwrap();
    let last = |name: &str| {
        let mut of = heard.iter().rev().filter(|(it, _)| it == name);
        of.next()
            .map(|(_, value)| value.clone())
            .unwrap_or_default()
    };
    assert_eq!(last("total_candidates"), "3");
    assert_eq!(last("oracle_calls"), calls);
    assert_eq!(last("minimal_culprits"), "1");
    assert_eq!(last("quarantine_triggered"), "true");
}
