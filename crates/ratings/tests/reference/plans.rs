//! Sections (g), (i) and (j).

use super::case::Case;
use super::coverage;

fn input(case: &Case, name: &str) -> f64 {
    case.input[name].as_f64().unwrap()
}

fn whole(case: &Case, name: &str) -> u64 {
    case.input[name].as_u64().unwrap()
}

pub(crate) fn pairs_needed(case: &Case) {
    let two_sided = case.input["two_sided"].as_bool().unwrap();
    let [elo, alpha, beta, var] = ["elo", "alpha", "beta", "var_pair"].map(|name| input(case, name));
    case.count("pairs", ratings::pairs_needed(elo, alpha, beta, two_sided, var));
}

pub(crate) fn pairs_for_width(case: &Case) {
    let [half, level, var] = ["half_elo", "conf", "var_pair"].map(|name| input(case, name));
    case.count("pairs", ratings::pairs_for_width(half, level, var));
}

pub(crate) fn pair_var_default(case: &Case) {
    let [elo, draw, rho] = ["elo", "draw", "rho"].map(|name| input(case, name));
    case.number("var_pair", ratings::pair_var_default(elo, draw, rho));
}

pub(crate) fn coverage_band(case: &Case) {
    let (lo, hi) = coverage::coverage_band(whole(case, "runs"), input(case, "level"));
    case.number("lo", lo);
    case.number("hi", hi);
}

pub(crate) fn conf_sequence(case: &Case) {
    let [mean, var, alpha] = ["mean", "var", "alpha"].map(|name| input(case, name));
    let c = ratings::conf_sequence(whole(case, "n"), mean, var, whole(case, "n_star"), alpha);
    case.number("rho2", c.map(|c| c.rho2));
    case.number("lo", c.map(|c| c.lo));
    case.number("hi", c.map(|c| c.hi));
}
