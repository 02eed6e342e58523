//! Scenes.

mod build;

#[cfg(test)]
mod tests {
    use super::*;
    use immune_attribution::*;
    use immune_oracle::Reader;
    use std::collections::BTreeMap;

    fn says(answer: &str, value: &str) -> bool {
        let terms = |it: &str| format!(" {} ", immune_recall::terms(it).join(" "));
        let v = terms(value);
        if v.trim() == "yes" || v.trim() == "no" {
            return terms(answer).starts_with(&v);
        }
        terms(answer).contains(&v)
    }

    #[test]
    fn look() {
        let Some(data) = crate::test_data() else {
            return;
        };
        let sets = crate::poisoned::data::sets(&data).unwrap();
        let verbose = std::env::var_os("LOOK").is_some();
        for (name, questions) in &sets {
            let mut count: BTreeMap<(usize, &str), usize> = BTreeMap::new();
            let start = std::time::Instant::now();
            let mut n = 0;
            for scene in build::scenes(name, questions, &sets, 7) {
                let reader = Reader::new();
                let q = &scene.question;
                let all: Vec<&Shown> = scene.memories.iter().collect();
                let without: Vec<&Shown> = (0..)
                    .zip(&scene.memories)
                    .filter(|it| !scene.poison.contains(&it.0))
                    .map(|it| it.1)
                    .collect();
                let a = reader.answer(&q.text, &without).unwrap().text;
                let b = reader.answer(&q.text, &all).unwrap().text;
                let right = |t: &Option<String>| {
                    t.as_ref()
                        .is_some_and(|t| q.right.iter().any(|r| says(t, r)))
                };
                let wrong = |t: &Option<String>| t.as_ref().is_some_and(|t| says(t, &q.wrong));
                let why = if a.is_none() {
                    "none"
                } else if !right(&a) {
                    "not right"
                } else if wrong(&a) {
                    "also wrong"
                } else if !wrong(&b) {
                    "not fooled"
                } else {
                    "scene"
                };
                *count.entry((scene.poison.len(), why)).or_default() += 1;
                n += 2;
                if verbose && why != "scene" && scene.poison.len() == 3 {
                    println!(
                        "{why}: {} | right {:?} wrong {:?}\n    without: {a:?}\n    with: {b:?}",
                        q.text, q.right, q.wrong
                    );
                    if why == "not fooled" {
                        for p in &scene.poison {
                            println!("       P {}", scene.memories[*p].text);
                        }
                    }
                }
            }
            println!("{name} {:?} per call", start.elapsed() / n);
            println!("{count:#?}");
        }
    }
}
