//! Section (b): sequential tests.

use super::case::{Case, counts};
use ratings::{Counts, EloModel, Sprt, SprtRun};

fn number(case: &Case, name: &str) -> f64 {
    case.input[name].as_f64().unwrap()
}

/// Where a case names no model it is the logistic one.
fn sprt(case: &Case) -> Sprt {
    let model = match case.input.get("model").map_or("logistic", |m| m.as_str().unwrap()) {
        "normalized" => EloModel::Normalized,
        "logistic" => EloModel::Logistic,
        other => panic!("no model {other}"),
    };
    let [elo0, elo1, alpha, beta] = ["elo0", "elo1", "alpha", "beta"].map(|name| number(case, name));
    Sprt::new(elo0, elo1, alpha, beta, model).unwrap()
}

pub(crate) fn llr(case: &Case) {
    let sprt = sprt(case);
    let list = &case.input["counts"];
    let llr = match list.as_array().unwrap().len() {
        3 => sprt.llr(&Counts::<3>::from(counts(list))),
        5 => sprt.llr(&Counts::<5>::from(counts(list))),
        other => panic!("{other} counts"),
    };
    case.number("llr", llr);
    case.number("lower", sprt.lower());
    case.number("upper", sprt.upper());
    case.word("state", sprt.state(llr).name());
}

pub(crate) fn run(case: &Case) {
    let mut run = SprtRun::<5>::new(sprt(case), case.input["overshoot"].as_bool().unwrap());
    for score in case.input["sequence"].as_str().unwrap().chars() {
        run.push(score.to_digit(10).unwrap() as usize);
    }
    case.word("state", run.state().name());
    case.count("pairs", run.counts().units());
    case.number("llr", run.llr());
    case.number("o0", run.o0());
    case.number("o1", run.o1());
    assert_eq!(run.counts().0, counts::<5>(case.expected("counts")), "{}", case.id);
}

pub(crate) fn estimate(case: &Case) {
    let e = sprt(case).estimate(&Counts::<5>::from(counts(&case.input["counts"])));
    case.number("elo", e.elo);
    case.number("lo", e.lo);
    case.number("hi", e.hi);
}

pub(crate) fn expected(case: &Case) {
    let e = sprt(case).expected(number(case, "elo"), number(case, "var_pair"));
    case.number("p_h1", e.map(|e| e.p_h1));
    case.number("pairs", e.map(|e| e.pairs));
}
