//! Two ways to the same answer that share no idea with counting: the least of all closed sets,
//! and plain iteration from nothing.

use immune_model::{Status, Trust};

use crate::facts::{Counting, Graph, Models};

/// IN is the least set that is closed under the justifications: every subset is looked at, and
/// what is in all closed ones is the least. A strength is the largest value such that the belief
/// is still in it when weaker justifications are left out.
pub(crate) fn brute(graph: &Graph) -> Models {
    let standing = least_closed(graph, Counting::All, 0);
    let mut strengths = vec![0; graph.n_beliefs];
    let mut values: Vec<u16> = graph.links.iter().map(|it| it.most).collect();
    values.sort_unstable();
    values.dedup();
    for value in values {
        let reaches = least_closed(graph, Counting::All, value);
        for (belief, strength) in strengths.iter_mut().enumerate() {
            if reaches & (1 << belief) != 0 {
                *strength = value;
            }
        }
    }
    Models {
        ever: least_closed(graph, Counting::Nothing, 0),
        open: least_closed(graph, Counting::Refuting, 0),
        standing,
        strengths,
    }
}

fn least_closed(graph: &Graph, counting: Counting, least: u16) -> u32 {
    let rules: Vec<(u32, u32)> = graph
        .rules(counting, least)
        .map(|(head, needs)| (1 << head, needs))
        .collect();
    let is_closed = |set: &u32| {
        let broken = |(head, needs): &(u32, u32)| needs & !set == 0 && head & set == 0;
        !rules.iter().any(broken)
    };
    let all: u32 = (1 << graph.n_beliefs) - 1;
    (0..=all)
        .filter(is_closed)
        .fold(all, |least, set| least & set)
}

/// The same by iterating from nothing until nothing is added, strengths as values.
pub(crate) fn iterate(graph: &Graph) -> Models {
    let standing = grow(graph, Counting::All);
    let mut strengths = vec![0_u16; graph.n_beliefs];
    loop {
        let mut grew = false;
        for link in &graph.links {
            let open = !graph.refuted[link.head] && !link.fallen;
            let counts = open && link.closed.is_none() && !link.stale;
            let needed = (0..graph.n_beliefs).filter(|it| link.needs & (1 << it) != 0);
            let weakest = needed.map(|it| strengths[it]).fold(link.most, u16::min);
            if counts && link.needs & !standing == 0 && weakest > strengths[link.head] {
                strengths[link.head] = weakest;
                grew = true;
            }
        }
        if !grew {
            break;
        }
    }
    Models {
        ever: grow(graph, Counting::Nothing),
        open: grow(graph, Counting::Refuting),
        standing,
        strengths,
    }
}

fn grow(graph: &Graph, counting: Counting) -> u32 {
    let mut set = 0_u32;
    loop {
        let before = set;
        for (head, needs) in graph.rules(counting, 0) {
            if needs & !set == 0 {
                set |= 1 << head;
            }
        }
        if set == before {
            return set;
        }
    }
}

/// Status and strength of every belief.
pub(crate) fn answers(graph: &Graph, models: &Models) -> Vec<(Status, Trust)> {
    let answer = |belief: usize| {
        let strength = Trust::from_thousandths(models.strengths[belief]).unwrap();
        (graph.status(belief, models), strength)
    };
    (0..graph.n_beliefs).map(answer).collect()
}
