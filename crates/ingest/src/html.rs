//! HTML as the text that a reader sees, with the places that links lead to.

use std::borrow::Cow;
use std::sync::LazyLock;

use html2text::config;
use mail_parser::decoders::html::html_to_text;
use regex::Regex;

/// Bytes of the largest HTML part that is laid out; of a larger one only the tags are taken out.
const HTML_BYTES_MAX: usize = 4 << 20;
/// How deep elements may lie in each other. Building the tree takes the square of it.
const DEPTH_MAX: usize = 256;
/// Columns: wide enough that no sentence of a mail is broken.
const WIDTH: usize = 10_000;

static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"<(?<end>/?)(?<name>[A-Za-z][A-Za-z0-9]{0,20})").expect("a tested pattern")
});

/// The text of an HTML part.
pub(crate) fn to_text(html: &str) -> String {
    let laid_out = (html.len() <= HTML_BYTES_MAX && !is_too_deep(html))
        .then(|| {
            config::plain_no_decorate()
                .link_footnotes(true)
                .no_table_borders()
                .no_link_wrapping()
                .allow_width_overflow()
                .string_from_read(html.as_bytes(), WIDTH)
                .ok()
        })
        .flatten();
    // What cannot be laid out is not lost either.
    let text = laid_out.unwrap_or_else(|| html_to_text(html));
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim().to_owned()
}

/// The text of a field, which may be a whole HTML page.
pub(crate) fn text_of_field(field: &str) -> Cow<'_, str> {
    let start: String = field.trim_start().chars().take(14).collect();
    let start = start.to_ascii_lowercase();
    if start.starts_with("<html") || start.starts_with("<!doctype html") {
        to_text(field).into()
    } else {
        field.into()
    }
}

/// Whether so many elements are open at once that laying them out is not worth its time. Elements
/// that hold nothing, or that the next of their kind closes, do not count.
fn is_too_deep(html: &str) -> bool {
    const FLAT: &[&str] = &[
        "area", "base", "br", "col", "dd", "dt", "hr", "img", "input", "li", "link", "meta",
        "option", "p", "param", "source", "td", "th", "tr", "wbr",
    ];
    let mut depth = 0_usize;
    for tag in TAG.captures_iter(html) {
        let name = tag.name("name").map_or("", |it| it.as_str());
        if FLAT.iter().any(|it| it.eq_ignore_ascii_case(name)) {
            continue;
        }
        if tag.name("end").is_some_and(|it| !it.is_empty()) {
            depth = depth.saturating_sub(1);
        } else {
            depth += 1;
        }
        if depth > DEPTH_MAX {
            return true;
        }
    }
    false
}
