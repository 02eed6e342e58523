//! Reading a graph: one JSON object a line, whose first key names its kind (`docs/reference/graph-format.md`).
//!
//! The CLI opens a file with [`read`] and hands the [`Graph`] to the engine. Every error names the
//! line, and the alias as soon as it is known. Only a line is held at a time, besides the graph.

mod keys;

use std::io::{BufRead, BufReader, Read};

use immune_model::limits;
use immune_reason::graph::{Graph, GraphError, GraphProblem};

use crate::lines::Lines;

const PIECE_BYTES: usize = 64 << 10;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads a graph to its end. `progress` is told the bytes and the lines so far, and stops the
/// reading with `false`: then there is no graph.
pub fn read(
    from: impl Read,
    progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Option<Graph>, GraphError> {
    let mut lines = Lines::new(BufReader::with_capacity(1 << 18, from));
    let mut graph = Graph::new();
    let (mut line, mut number) = (Vec::new(), 0);
    while next_line(&mut lines, &mut line, number + 1)? {
        number += 1;
        if number % 4096 == 0 && !progress(lines.position_bytes(), number) {
            return Ok(None);
        }
        let mut written = line.as_slice();
        if number == 1 {
            written = written.strip_prefix(BYTE_ORDER_MARK).unwrap_or(written);
        }
        let written = written.trim_ascii();
        if !written.is_empty() {
            keys::read_line(written, number, &mut graph)?;
        }
    }
    progress(lines.position_bytes(), number);
    Ok(Some(graph))
}

/// Reads the next line whole; false at the end.
fn next_line<R: BufRead>(
    lines: &mut Lines<R>,
    line: &mut Vec<u8>,
    number: u64,
) -> Result<bool, GraphError> {
    let wrong = |problem| GraphError {
        line: number,
        alias: None,
        problem,
    };
    line.clear();
    let mut piece = Vec::new();
    loop {
        let read = lines.read(&mut piece, PIECE_BYTES).map_err(|error| {
            let reason = error.to_string();
            wrong(GraphProblem::Unreadable { reason })
        })?;
        let Some(read) = read else {
            return Ok(!line.is_empty());
        };
        line.extend_from_slice(&piece);
        if line.len() > limits::GRAPH_LINE_BYTES_MAX {
            let limit = limits::GRAPH_LINE_BYTES_MAX;
            return Err(wrong(GraphProblem::TooLong { limit }));
        }
        if read.ends_line {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &[u8]) -> Result<u64, String> {
        let graph = read(text, &mut |_, _| true);
        graph
            .map(|it| it.map_or(0, |it| it.n_lines()))
            .map_err(|it| it.to_string())
    }

    #[test]
    fn every_kind_of_line_is_read() {
        let text = concat!(
            "\u{feff}{\"source\":\"mail\",\"channel\":\"inbox\",\"tier\":0.7,\"kind\":\"email\",\"mirrors\":[\"scrape\"]}\r\n",
            "\n",
            "{\"observation\":\"o1\",\"source\":\"mail\",\"text\":\"Refunds\",\"at\":\"2026-08-13T13:30:00Z\"}\n",
            "  {\"belief\":\"b1\",\"about\":\"refund.destination\",\"claim\":\"c\",\"agent\":\"researcher\"}\n",
            "{\"justification\":\"j1\",\"belief\":\"b1\",\"premises\":[\"o1\",\"b0\"]}\n",
            "{\"decision\":\"d1\",\"agent\":\"invoicing\",\"relied_on\":[\"b1\"]}\n",
            "{\"action\":\"a1\",\"decision\":\"d1\",\"kind\":\"refund.payout\",\"class\":\"compensable\",\"status\":\"executed\"}\n",
            "{\"flag\":\"mail\",\"reason\":\"spoofed\"}"
        );
        assert_eq!(read_all(text.as_bytes()), Ok(7));
        let least = concat!(
            "{\"source\":\"s\",\"channel\":\"c\",\"tier\":1}\n{\"observation\":\"o\",\"source\":\"s\"}\n",
            "{\"belief\":\"b\"}\n{\"justification\":\"j\",\"premises\":[\"o\"],\"belief\":\"b\"}\n",
            "{\"decision\":\"d\",\"relied_on\":[]}\n{\"action\":\"a\",\"decision\":\"d\"}\n{\"flag\":\"s\"}\n"
        );
        assert_eq!(read_all(least.as_bytes()), Ok(7));
        assert_eq!(read_all(b""), Ok(0));
    }

    #[test]
    fn what_is_wrong_is_named_by_line_and_alias() {
        let cases: &[(&str, &str)] = &[
            ("[]", "line 1: it is no JSON object: "),
            ("{}", "line 1: it has no key"),
            ("nope", "line 1: it is no JSON object: "),
            ("{\"belief\":\"b\"", "line 1, `b`: it is no JSON object: "),
            (
                "{\"belief\":\"b\"} x",
                "line 1, `b`: it is no JSON object: ",
            ),
            (
                "{\"about\":\"x\",\"belief\":\"b\"}",
                "line 1: the first key is `about`, which names no kind",
            ),
            ("{\"belief\":7}", "line 1: `belief` is no text"),
            (
                "{\"belief\":\"b\",\"colour\":\"red\"}",
                "line 1, `b`: a belief has no key `colour`",
            ),
            (
                "{\"belief\":\"b\",\"premises\":[]}",
                "line 1, `b`: a belief has no key `premises`",
            ),
            (
                "{\"belief\":\"b\",\"claim\":\"x\",\"claim\":\"x\"}",
                "line 1, `b`: `claim` is there twice",
            ),
            (
                "{\"belief\":\"b\",\"belief\":\"b\"}",
                "line 1, `b`: `belief` is there twice",
            ),
            (
                "{\"belief\":\"b\",\"claim\":null}",
                "line 1, `b`: `claim` is no text",
            ),
            (
                "{\"belief\":\"b\",\"claim\":\"a\\u0000b\"}",
                "line 1, `b`: `claim`: the text holds a NUL character at byte 1",
            ),
            (
                "{\"belief\":\"b\",\"claim\":\" \"}",
                "line 1, `b`: `claim`: the text is empty",
            ),
            (
                "{\"belief\":\"b\",\"about\":\"a b\"}",
                "line 1, `b`: `about`: ",
            ),
            ("{\"belief\":\"\"}", "line 1, ``: the alias is empty"),
            (
                "{\"belief\":\"bel_7\"}",
                "line 1, `bel_7`: an alias must not look like an id",
            ),
            (
                "{\"source\":\"s\",\"tier\":0.7}",
                "line 1, `s`: a source needs `channel`",
            ),
            (
                "{\"source\":\"s\",\"channel\":\"c\"}",
                "line 1, `s`: a source needs `tier`",
            ),
            (
                "{\"source\":\"s\",\"channel\":\"c\",\"tier\":0.1234}",
                "line 1, `s`: `0.1234` is no trust value",
            ),
            (
                "{\"source\":\"s\",\"channel\":\"c\",\"tier\":1.5}",
                "line 1, `s`: `1.5` is no trust value",
            ),
            (
                "{\"source\":\"s\",\"channel\":\"c\",\"tier\":-1}",
                "line 1, `s`: `-1` is no trust value",
            ),
            (
                "{\"source\":\"s\",\"channel\":\"c\",\"tier\":\"0.7\"}",
                "line 1, `s`: `tier` is no number",
            ),
            (
                "{\"source\":\"s\",\"channel\":\"c\",\"tier\":1,\"kind\":\"fax\"}",
                "line 1, `s`: `fax` is no kind of source",
            ),
            (
                "{\"source\":\"s\",\"channel\":\"c\",\"tier\":1,\"mirrors\":\"t\"}",
                "line 1, `s`: `mirrors` is no list of texts",
            ),
            (
                "{\"observation\":\"o\",\"source\":\"s\",\"at\":\"2026-08-13T13:30:00\"}",
                "line 1, `o`: `2026-08-13T13:30:00` is no time with a zone",
            ),
            (
                "{\"justification\":\"j\",\"belief\":\"b\",\"premises\":[1]}",
                "line 1, `j`: `premises` is no list of texts",
            ),
            (
                "{\"justification\":\"j\",\"belief\":\"b\"}",
                "line 1, `j`: a justification needs `premises`",
            ),
            (
                "{\"action\":\"a\",\"decision\":\"d\",\"status\":\"done\"}",
                "line 1, `a`: `done` is no status of an action",
            ),
            (
                "{\"action\":\"a\",\"decision\":\"d\",\"class\":\"x\"}",
                "line 1, `a`: `x` is no class of actions",
            ),
            (
                "{\"belief\":\"b\",\"claim\":\"x\"}\n\n{\"belief\":\"b\",\"claim\":\"y\"}",
                "line 3, `b`: line 1 says something else of it: `claim` `x` there and `y` here",
            ),
        ];
        for (text, wanted) in cases {
            let found = read_all(text.as_bytes()).unwrap_err();
            assert!(found.starts_with(wanted), "{text}\n{found}\n{wanted}");
        }
        let found = read_all(b"{\"belief\":\"\xff\"}").unwrap_err();
        assert!(
            found.starts_with("line 1: it is no UTF-8 at byte 11"),
            "{found}"
        );
        assert_eq!(
            read_all(b"{\"belief\":\"b\"}\n{\"belief\":\"b\"}"),
            Ok(2),
            "said twice"
        );
    }

    #[test]
    fn a_line_has_a_limit_and_nesting_has_none() {
        let long = vec![b'x'; limits::GRAPH_LINE_BYTES_MAX + 1];
        let found = read_all(&long).unwrap_err();
        assert_eq!(
            found,
            "line 1: it has more than 8388608 bytes, the limit of a line"
        );
        let deep = format!("{{\"belief\":\"b\",\"claim\":{}", "[".repeat(1 << 20));
        let found = read_all(deep.as_bytes()).unwrap_err();
        assert_eq!(found, "line 1, `b`: `claim` is no text");
    }
}
