//! Embeddings: the request, and the vectors in the answer.
//!
//! The request is the least that every server takes. Numbers are asked for as they are by default:
//! written out; servers that send them packed in base64 do so only when asked to.

use serde_json::{Value, json};

/// The body of the request.
pub(crate) fn request(model: &str, texts: &[&str]) -> Value {
    json!({"model": model, "input": texts})
}

/// The vectors of `n_texts` texts, by the number of the text that each one names; else what is
/// wrong with the answer.
pub(crate) fn read(answer: &[u8], n_texts: usize) -> Result<Vec<Vec<f32>>, String> {
    let answer: Value = serde_json::from_slice(answer).map_err(|it| it.to_string())?;
    let list = answer.get("data").and_then(Value::as_array);
    let list = list.ok_or("there is no `data` in it")?;
    if list.len() != n_texts {
        return Err(format!("{} vectors for {n_texts} texts", list.len()));
    }
    let mut vectors = vec![Vec::new(); n_texts];
    for (place, one) in (0..).zip(list) {
        // Without a number of its own, a vector is of the text in its place.
        let of = one.get("index").map_or(Some(place), Value::as_u64);
        let of = of.and_then(|it| vectors.get_mut(usize::try_from(it).ok()?));
        let vector = of.ok_or("an `index` is that of no text")?;
        if !vector.is_empty() {
            return Err("two vectors have the same `index`".to_owned());
        }
        *vector = numbers(one).ok_or("an `embedding` is no list of numbers")?;
    }
    Ok(vectors)
}

fn numbers(one: &Value) -> Option<Vec<f32>> {
    let list = one.get("embedding")?.as_array()?.iter();
    let numbers: Vec<f32> = list
        .map(|it| it.as_f64().map(|it| it as f32))
        .collect::<Option<_>>()?;
    (!numbers.is_empty()).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(answer: &str, n_texts: usize) -> Result<Vec<Vec<f32>>, String> {
        read(answer.as_bytes(), n_texts)
    }

    #[test]
    fn each_vector_goes_to_the_text_that_it_names() {
        let answer = r#"{"object": "list", "data": [
            {"object": "embedding", "index": 1, "embedding": [0.5, -2]},
            {"object": "embedding", "index": 0, "embedding": [1e-3, 3]}], "model": "m"}"#;
        assert_eq!(found(answer, 2).unwrap(), [[1e-3, 3.0], [0.5, -2.0]]);
        let answer = r#"{"data": [{"embedding": [1]}, {"embedding": [2]}]}"#;
        assert_eq!(found(answer, 2).unwrap(), [[1.0], [2.0]]);
    }

    #[test]
    fn what_is_no_list_of_vectors_says_what_is_wrong() {
        for (answer, reason) in [
            ("{}", "there is no `data` in it"),
            (r#"{"data": []}"#, "0 vectors for 1 texts"),
            (
                r#"{"data": [{"index": 0}]}"#,
                "an `embedding` is no list of numbers",
            ),
            (
                r#"{"data": [{"index": 0, "embedding": []}]}"#,
                "an `embedding` is no list of numbers",
            ),
            (
                r#"{"data": [{"index": 0, "embedding": [1, null]}]}"#,
                "an `embedding` is no list of numbers",
            ),
            (
                r#"{"data": [{"index": 1, "embedding": [1]}]}"#,
                "an `index` is that of no text",
            ),
        ] {
            assert_eq!(found(answer, 1).unwrap_err(), reason, "{answer}");
        }
        let twice = r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [2]}]}"#;
        assert_eq!(
            found(twice, 2).unwrap_err(),
            "two vectors have the same `index`"
        );
        assert!(found("<html>", 1).is_err());
    }
}
