//! The reference cases of `tests/data/statistics.json`.

#[cfg(test)]
mod reference {
    pub(crate) mod case;
    pub(crate) mod counts;
    pub(crate) mod plans;
    pub(crate) mod pool;
    pub(crate) mod sprt;
}

use reference::case::cases;
use std::collections::BTreeMap;

/// Cases whose input is Othello positions; what needs no rules of them is tested in `clusters.rs`, the
/// whole in the crate that has positions.
const NEED_RULES: &str = "clusters";

#[test]
fn every_case_agrees() {
    let mut done: BTreeMap<String, usize> = BTreeMap::new();
    for case in cases() {
        let Some(check) = check(&case.function) else {
            assert_eq!(case.function, NEED_RULES, "no check for {}", case.id);
            continue;
        };
        check(&case);
        *done.entry(case.function.clone()).or_default() += 1;
    }
    assert_eq!(done.values().sum::<usize>(), 69, "{done:?}");
}

fn check(function: &str) -> Option<fn(&reference::case::Case)> {
    use reference::{counts, plans, pool, sprt};
    Some(match function {
        "head_to_head" => counts::head_to_head,
        "parity" => counts::parity,
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
        "llr_bayes" => sprt::bayes,
        "pairs_needed" => plans::pairs_needed,
        "pairs_for_width" => plans::pairs_for_width,
        "pair_var_default" => plans::pair_var_default,
        "coverage_band" => plans::coverage_band,
        "conf_sequence" => plans::conf_sequence,
        _ => return None,
    })
}
