//! Sections (a), (d) and (e): plain functions of counts.

use super::case::{Case, counts, doubled};
use ratings::{Cluster, ClusterCounts, Pentanomial, Trinomial};

pub(crate) fn head_to_head(case: &Case) {
    let clusters: ClusterCounts = match case.input.get("penta") {
        Some(penta) => Pentanomial::from(counts(penta)).into(),
        None => case.input["clusters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| Cluster::new(doubled(&c[0]) as u32, c[1].as_u64().unwrap() as u32).unwrap())
            .collect(),
    };
    let h = ratings::head_to_head(&clusters);
    case.count("games", h.games);
    case.count("clusters", h.clusters);
    for (name, value) in [
        ("score", h.score),
        ("se", h.se),
        ("score_lo", h.score_lo),
        ("score_hi", h.score_hi),
        ("elo", h.elo),
        ("elo_lo", h.elo_lo),
        ("elo_hi", h.elo_hi),
        ("los", h.los),
        ("p_equal", h.p_equal),
        ("n_eff", h.n_eff),
    ] {
        case.number(name, value);
    }
    if let Some(penta) = case.input.get("penta") {
        let penta = Pentanomial::from(counts(penta));
        let nelo = ratings::normalized_elo(&penta);
        case.number("nelo", nelo.map(|e| e.value));
        case.number("nelo_lo", nelo.map(|e| e.lo));
        case.number("nelo_hi", nelo.map(|e| e.hi));
    }
}

pub(crate) fn pair_var_ratio(case: &Case) {
    let (pairs, games) = (counts(&case.input["penta"]), counts(&case.input["wdl"]));
    case.number("ratio", ratings::pair_var_ratio(&Pentanomial::from(pairs), &Trinomial::from(games)));
}

pub(crate) fn discs(case: &Case) {
    let means = case.input["pair_means"].as_array().unwrap();
    let sums: Vec<i32> = means.iter().map(|m| doubled(m) as i32).collect();
    let d = ratings::discs(&sums);
    case.count("n", d.n);
    case.count("df", d.df);
    for (name, value) in
        [("mean", d.mean), ("sd", d.sd), ("se", d.se), ("lo", d.lo), ("hi", d.hi), ("t", d.t), ("p", d.p)]
    {
        case.number(name, value);
    }
}

pub(crate) fn holm(case: &Case) {
    let p: Vec<Option<f64>> = case.input["p"].as_array().unwrap().iter().map(|p| p.as_f64()).collect();
    for (i, adjusted) in ratings::holm(&p).into_iter().enumerate() {
        case.number(&format!("adjusted/{i}"), adjusted);
    }
}
