//! The reference cases of `tests/data/statistics.json`.

mod reference {
    pub(crate) mod case;
    pub(crate) mod counts;
    pub(crate) mod pool;
}

use reference::case::cases;
use std::collections::BTreeMap;

/// Cases whose input is Othello positions; what needs no rules of them is tested in `clusters.rs`, the
/// whole in the crate that has positions.
#[expect(dead_code, reason = "for the next commit")]
const NEED_RULES: &str = "clusters";

#[test]
fn every_case_agrees() {
    let mut done: BTreeMap<String, usize> = BTreeMap::new();
    for case in cases() {
        let Some(check) = check(&case.function) else {
            // The rest follows.
            continue;
        };
        check(&case);
        *done.entry(case.function.clone()).or_default() += 1;
    }
    assert_eq!(done.values().sum::<usize>(), 35, "{done:?}");
}

fn check(function: &str) -> Option<fn(&reference::case::Case)> {
    use reference::{counts, pool};
    Some(match function {
        "head_to_head" => counts::head_to_head,
        "discs" => counts::discs,
        "holm" => counts::holm,
        "pool" => pool::pool,
        _ => return None,
    })
}
