//! The flights: claims and truth, as tables without quotes, and the times that they state.

use std::collections::BTreeMap;
use std::path::Path;

use super::Claim;

/// The claims in the order of the file, and the truth of each item.
pub(super) struct Flights {
    pub(super) claims: Vec<Claim>,
    pub(super) truth: BTreeMap<String, String>,
}

/// Reads both files of a folder; says what is not there.
pub(super) fn flights(folder: &Path) -> Result<Flights, String> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs_err::read_to_string(&path).map_err(|_| format!("no `{}`", path.display()))
    };
    let claims = rows(&read("claims.csv")?);
    let truth = rows(&read("truth.csv")?).into_iter();
    Ok(Flights {
        claims,
        truth: truth.map(|it| (it.item, it.value)).collect(),
    })
}

/// One claim for each cell that says something.
fn rows(table: &str) -> Vec<Claim> {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap_or("").trim().split(',').collect();
    let mut claims = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let [source, flight, times @ ..] = cells.as_slice() else {
            continue;
        };
        for (name, value) in names.iter().skip(2).zip(times) {
            if !value.is_empty() {
                claims.push(Claim {
                    source: (*source).to_owned(),
                    item: format!("{flight}/flight.{name}"),
                    value: (*value).to_owned(),
                });
            }
        }
    }
    claims
}

/// The time of day that a cell states: `7:10 p.m.` of `7:10 p.m. (Estimated)`, as `19:10`.
pub(super) fn time_of_day(cell: &str) -> Option<String> {
    let cell = cell.to_lowercase();
    let (place, half) = [("a.m.", 0), ("p.m.", 12)]
        .into_iter()
        .find_map(|(mark, half)| cell.find(mark).map(|place| (place, half)))?;
    let time = cell.get(..place)?.split_whitespace().last()?;
    let (hour, minute) = time.split_once(':')?;
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    let legal = (1..=12).contains(&hour) && minute < 60;
    legal.then(|| format!("{:02}:{minute:02}", hour % 12 + half))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_is_read_with_what_stands_around_it() {
        for (cell, time) in [
            ("7:10 a.m.", Some("07:10")),
            ("12:05 a.m. (Estimated)", Some("00:05")),
            ("12/02/2011 6:55 p.m.", Some("18:55")),
            ("5:50 a.m.Dec 02", Some("05:50")),
            ("10:39 p.m.&nbsp(Estimated)", Some("22:39")),
            ("Not Available", None),
            ("25:00 p.m.", None),
        ] {
            assert_eq!(time_of_day(cell).as_deref(), time, "{cell}");
        }
    }

    #[test]
    fn a_cell_that_says_nothing_is_no_claim() {
        let found = rows("src,flight,sched_dep_time,act_dep_time\naa,X-1,7:10 a.m.,\n");
        let expected = Claim {
            source: "aa".to_owned(),
            item: "X-1/flight.sched_dep_time".to_owned(),
            value: "7:10 a.m.".to_owned(),
        };
        assert_eq!(found, [expected]);
    }
}
