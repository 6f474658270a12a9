//! Sections (c) and (h): pools.

use super::case::Case;
use ratings::{ColourTally, Model, Pool, Prior, Settings};
use serde_json::Value;
use std::collections::BTreeMap;

/// Games of the case: `pairs[k]` holds the half-points of engine a with Black, then with White.
fn read(input: &Value) -> Pool {
    let mut pool = Pool::new(input["engines"].as_u64().unwrap() as usize);
    for encounter in input["encounters"].as_array().unwrap() {
        let engine = |name: &str| encounter[name].as_u64().unwrap() as usize;
        let mut clusters: BTreeMap<u64, ([u32; 3], [u32; 3])> = BTreeMap::new();
        for (k, pair) in encounter["pairs"].as_array().unwrap().iter().enumerate() {
            let opening = encounter.get("openings").map_or(k as u64, |o| o[k].as_u64().unwrap());
            let results: Vec<usize> =
                pair.as_str().unwrap().chars().map(|c| c.to_digit(10).unwrap() as usize).collect();
            let (black, white) = clusters.entry(opening).or_default();
            black[results[0]] += 1;
            white[results[1]] += 1;
        }
        for (black, white) in clusters.into_values() {
            pool.add(engine("a"), engine("b"), ColourTally::new(black, white).unwrap(), 1).unwrap();
        }
    }
    pool
}

fn settings(input: &Value) -> Settings {
    let prior = &input["prior"];
    Settings {
        model: match input["model"].as_str().unwrap() {
            "davidson" => Model::Davidson,
            "bt-half" => Model::BtHalf,
            other => panic!("no model {other}"),
        },
        colour: input["colour"].as_bool().unwrap(),
        prior: Prior {
            sd_theta: prior["sd_theta"].as_f64(),
            sd_eta: prior["sd_eta"].as_f64(),
            draw: prior["draw_prior"].as_f64().unwrap(),
        },
        anchor: input["anchor"].as_u64().map(|a| a as usize),
    }
}

pub(crate) fn pool(case: &Case) {
    let pool = read(&case.input);
    let r = pool.rate(&settings(&case.input)).unwrap();
    for (i, e) in r.engines.iter().enumerate() {
        for (name, value) in [("elo", e.elo), ("se", e.se), ("lo", e.lo), ("hi", e.hi)] {
            case.number(&format!("{name}/{i}"), value);
        }
        case.number(&format!("points/{i}"), e.half_points as f64 / 2.0);
        case.count(&format!("games/{i}"), e.games);
        case.count(&format!("component/{i}"), e.component as u64);
        case.count(&format!("scc/{i}"), e.scc as u64);
        case.flag(&format!("extreme/{i}"), e.extreme);
        for j in 0..r.engines.len() {
            let d = r.difference(i, j);
            for (name, value) in [("diff_se", d.se), ("los", d.los), ("p", d.p), ("expected", d.expected)] {
                case.number(&format!("{name}/{i}/{j}"), value);
            }
        }
    }
    case.flag("mle_exists", r.mle_exists);
    case.count("phi_df", r.phi_df);
    for (name, value) in [
        ("colour_elo", r.colour_elo),
        ("colour_se", r.colour_se),
        ("draw_nu", r.draw_nu),
        ("draw_rate_equal", r.draw_rate_equal),
        ("kappa", r.kappa),
        ("log_posterior", r.log_posterior),
        ("phi", r.phi),
        ("phi_used", Some(r.phi_used)),
    ] {
        case.number(name, value);
    }
}

pub(crate) fn fit(case: &Case) {
    let pool = read(&case.input);
    let f = ratings::fit(&pool, &pool.rate(&Settings::default()).unwrap());
    case.count("pairings", f.pairings);
    case.count("df", f.df);
    case.count("df2", f.df2);
    case.count("count", f.cycles);
    for (name, value) in
        [("chi2", f.chi2), ("p_chi2", f.p_chi2), ("f", f.f), ("p_f", f.p_f), ("zeta", f.zeta)]
    {
        case.number(name, value);
    }
    let mut cycles = Vec::new();
    pool.for_each_cycle(|cycle| cycles.push(cycle));
    assert_eq!(serde_json::to_value(&cycles).unwrap(), *case.expected("cycles"), "{}", case.id);
}

pub(crate) fn curl(case: &Case) {
    let three = |name: &str| [0, 1, 2].map(|i| case.input[name][i].as_f64().unwrap());
    let c = ratings::intransitivity(three("elo"), three("se"));
    case.number("curl", c.map(|c| c.elo));
    case.number("se", c.map(|c| c.se));
    case.number("z", c.map(|c| c.z));
    case.number("p", c.map(|c| c.p));
}
