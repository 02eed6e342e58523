//! Laying out rows and wrapped text. Widths are counted as a terminal shows them.

use unicode_width::UnicodeWidthStr as _;

/// Spaces between columns.
const GAP: usize = 2;
/// A column that is cut keeps at least so much.
const KEPT: usize = 8;
/// What stands where a text was cut; plain, for any locale.
pub(crate) const CUT: &str = "...";

/// Rows whose columns are padded to one width each. Where they do not fit the terminal, the
/// widest are cut; the first, an id, never is. Without a terminal nothing is cut.
pub(crate) fn rows(rows: &[Vec<Cell>], width: Option<usize>) -> Vec<String> {
    let widths = column_widths(rows, width);
    rows.iter()
        .map(|row| {
            let mut line = String::new();
            for (place, (cell, wide)) in row.iter().zip(&widths).enumerate() {
                if place > 0 {
                    line.push_str(&" ".repeat(GAP));
                }
                let text = cut(&cell.text, *wide);
                line.push_str(&cell.shown(&text));
                if place + 1 < row.len() {
                    line.push_str(&" ".repeat(wide.saturating_sub(text.width())));
                }
            }
            line.trim_end().to_owned()
        })
        .collect()
}

fn column_widths(rows: &[Vec<Cell>], width: Option<usize>) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|it| it.text.width()).max().unwrap_or(0)
        })
        .collect();
    let Some(width) = width else {
        return widths;
    };
    let gaps = GAP * columns.saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > width {
        let widest = widths.iter_mut().skip(1).max();
        match widest.filter(|it| **it > KEPT) {
            Some(widest) => *widest -= 1,
            None => break,
        }
    }
    widths
}

/// One cell: its text and its style.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    style: anstyle::Style,
}

impl Cell {
    /// A cell in a style.
    pub(crate) fn styled(style: anstyle::Style, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { text, style }
    }

    fn shown(&self, text: &str) -> String {
        if self.style.is_plain() || text.is_empty() {
            return text.to_owned();
        }
        crate::printer::styled(self.style, text)
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::styled(anstyle::Style::new(), text)
    }
}

/// The text, cut to a width with a mark where it was cut.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 0;
    for character in text.chars() {
        let wide = unicode_width::UnicodeWidthChar::width(character).unwrap_or(0);
        if used + wide + CUT.len() > width {
            break;
        }
        used += wide;
        shown.push(character);
    }
    shown.push_str(CUT);
    shown
}

/// The text wrapped at words below an indent. Without a terminal it stays on one line.
pub(crate) fn wrapped(text: &str, indent: usize, width: Option<usize>) -> String {
    let pad = " ".repeat(indent);
    let Some(width) = width else {
        return format!("{pad}{text}");
    };
    let room = width.saturating_sub(indent).max(16);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && line.width() + 1 + word.width() > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    let lines: Vec<String> = lines.into_iter().map(|it| format!("{pad}{it}")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_by_what_is_seen_and_the_last_is_cut() {
        let table = [
            vec![Cell::from("日本"), Cell::from("short")],
            vec![Cell::from("a"), Cell::from("a text that is much too long")],
        ];
        assert_eq!(
            rows(&table, Some(20)),
            ["日本  short", "a     a text that..."]
        );
        assert_eq!(
            rows(&table, None),
            ["日本  short", "a     a text that is much too long"]
        );
    }

    #[test]
    fn text_is_wrapped_at_words() {
        assert_eq!(
            wrapped("one two three four five", 2, Some(20)),
            "  one two three four\n  five"
        );
        assert_eq!(wrapped("one two", 2, None), "  one two");
    }
}
