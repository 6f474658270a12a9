//! The reference cases of `tests/data/statistics.json`.

#[cfg(test)]
mod reference {
    pub(crate) mod case;
    pub(crate) mod counts;
    #[path = "../simulation/coverage.rs"]
    pub(crate) mod coverage;
    pub(crate) mod plans;
    pub(crate) mod pool;
    pub(crate) mod sprt;
}

use reference::case::cases;
use std::collections::BTreeMap;

/// Functions that this crate does not have. `clusters` needs the rules of the game: its cases are tested in
/// `tournament`, by `duplicates.json`. `parity` and `llr_bayes` are the figures of other tools, which no program of ours
/// shows.
const NOT_HERE: [&str; 3] = ["clusters", "parity", "llr_bayes"];

#[test]
fn every_case_agrees() {
    let mut done: BTreeMap<String, usize> = BTreeMap::new();
    for case in cases() {
        let Some(check) = check(&case.function) else {
            assert!(NOT_HERE.contains(&&*case.function), "no check for {}", case.id);
            continue;
        };
        check(&case);
        *done.entry(case.function.clone()).or_default() += 1;
    }
    assert_eq!(done.values().sum::<usize>(), 66, "{done:?}");
}

fn check(function: &str) -> Option<fn(&reference::case::Case)> {
    use reference::{counts, plans, pool, sprt};
    Some(match function {
        "head_to_head" => counts::head_to_head,
        "pair_var_ratio" => counts::pair_var_ratio,
        "discs" => counts::discs,
        "holm" => counts::holm,
        "pool" => pool::pool,
        "fit" => pool::fit,
        "curl" => pool::curl,
        "llr" => sprt::llr,
        "sprt_run" => sprt::run,
        "sprt_estimate" => sprt::estimate,
        "sprt_expected" => sprt::expected,
        "pairs_needed" => plans::pairs_needed,
        "pairs_for_width" => plans::pairs_for_width,
        "pair_var_default" => plans::pair_var_default,
        "coverage_band" => plans::coverage_band,
        "conf_sequence" => plans::conf_sequence,
        _ => return None,
    })
}
