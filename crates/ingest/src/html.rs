//! HTML as the text that a reader sees, with the places that links lead to.

use html2text::config;

/// Bytes of the largest HTML part that is read.
const HTML_BYTES_MAX: usize = 8 << 20;
/// Columns: wide enough that no sentence of a mail is broken.
const WIDTH: usize = 10_000;

/// The text of a field, which may be a whole HTML page.
pub(crate) fn text_of_field(field: &str) -> Result<std::borrow::Cow<'_, str>, String> {
    let start: String = field.trim_start().chars().take(14).collect();
    let start = start.to_ascii_lowercase();
    if start.starts_with("<html") || start.starts_with("<!doctype html") {
        return to_text(field).map(Into::into);
    }
    Ok(field.into())
}

/// The text of an HTML part, or the reason why there is none.
pub(crate) fn to_text(html: &str) -> Result<String, String> {
    if html.len() > HTML_BYTES_MAX {
        return Err(format!(
            "the HTML part has {} bytes, the limit is {HTML_BYTES_MAX}",
            html.len()
        ));
    }
    let text = config::plain_no_decorate()
        .link_footnotes(true)
        .no_table_borders()
        .no_link_wrapping()
        .allow_width_overflow()
        .string_from_read(html.as_bytes(), WIDTH)
        .map_err(|error| format!("the HTML part is unreadable: {error}"))?;
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    Ok(lines.join("\n").trim().to_owned())
}
