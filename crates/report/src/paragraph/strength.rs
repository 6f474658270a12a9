//! Which engines are stronger than which, and which can't be told apart.

use tournament::standings::{Pairing, Standings};

use super::name;
use super::phrase::{elo, join_and, name_list, p_value, thousands};
use crate::number::fixed;

/// A difference is claimed if its corrected p-value is below this.
const SIGNIFICANT: f64 = 0.05;
/// Up to this many pairings, each claim is listed.
const MAX_LISTED_PAIRINGS: usize = 10;
/// With more pairings, only those of this many leaders are listed.
const LEADERS: usize = 3;

/// What the games of a pairing show.
enum Claim {
    /// The first is stronger than the second.
    Stronger(usize, usize),
    /// They can't be told apart.
    Undecided(usize, usize),
}

impl Claim {
    fn of(pairing: &Pairing) -> Self {
        let ahead = pairing.results.wins >= pairing.results.losses;
        let (better, worse) =
            if ahead { (pairing.engine, pairing.opponent) } else { (pairing.opponent, pairing.engine) };
        match pairing.p_holm {
            Some(p) if p < SIGNIFICANT => Self::Stronger(better, worse),
            _ => Self::Undecided(better, worse),
        }
    }
}

pub(super) fn sentences(standings: &Standings) -> Vec<String> {
    match &standings.pairings[..] {
        [] => Vec::new(),
        [only] => vec![single(standings, only)],
        few if few.len() <= MAX_LISTED_PAIRINGS => each_pairing(standings),
        _ => summarised(standings),
    }
}

fn single(standings: &Standings, pairing: &Pairing) -> String {
    let claim = Claim::of(pairing);
    let (Claim::Stronger(better, worse) | Claim::Undecided(better, worse)) = claim;
    let [first, second] = [better, worse].map(|index| name(standings, index));
    let turned = better != pairing.engine;
    let results = if turned { pairing.results.mirrored() } else { pairing.results };
    let h = &pairing.head_to_head;
    let (value, lo, hi) = if turned {
        (h.elo.map(|e| -e), h.elo_hi.map(|e| -e), h.elo_lo.map(|e| -e))
    } else {
        (h.elo, h.elo_lo, h.elo_hi)
    };
    let mut facts = vec![format!(
        "{} % of {}",
        fixed(100.0 * results.score().unwrap_or(0.5), 1),
        if results.games() == 1 {
            "one game".to_owned()
        } else {
            format!("{} games", thousands(results.games()))
        }
    )];
    match (value, lo, hi) {
        (Some(value), Some(lo), Some(hi)) => {
            facts.push(format!("Elo {} (95 % interval {} to {})", elo(value), elo(lo), elo(hi)));
        }
        (Some(value), ..) => facts.push(format!("Elo {}", elo(value))),
        (None, Some(lo), _) => facts.push(format!("Elo {} or more (95 %)", elo(lo))),
        _ => {}
    }
    facts.extend(pairing.p_holm.map(p_value));
    let facts = facts.join(", ");
    match claim {
        Claim::Stronger(..) => format!("{first} is stronger than {second}: {facts}."),
        Claim::Undecided(..) => {
            format!("{first} and {second} cannot be told apart by these games: {first} took {facts}.")
        }
    }
}

/// By engine the ones it is stronger than; and the pairs that can't be told apart. Engines are given by rank, from 0.
fn claims(standings: &Standings) -> (Vec<Vec<usize>>, Vec<[usize; 2]>) {
    let mut beaten = vec![Vec::new(); standings.engines.len()];
    let mut open = Vec::new();
    for pairing in &standings.pairings {
        match Claim::of(pairing) {
            Claim::Stronger(better, worse) => beaten[better].push(worse),
            Claim::Undecided(one, other) => open.push([one.min(other), one.max(other)]),
        }
    }
    beaten.iter_mut().for_each(|worse| worse.sort_unstable());
    open.sort_unstable();
    (beaten, open)
}

fn each_pairing(standings: &Standings) -> Vec<String> {
    let (beaten, open) = claims(standings);
    let comparisons = standings.pairings.len();
    let names = |indices: &[usize]| indices.iter().map(|&index| name(standings, index)).collect::<Vec<_>>();
    let claimed = beaten.iter().enumerate().filter(|(_, worse)| !worse.is_empty());
    let claimed: Vec<String> = claimed
        .map(|(better, worse)| {
            format!("{} is stronger than {}", name(standings, better), join_and(&names(worse)))
        })
        .collect();
    if claimed.is_empty() {
        return vec![none_stronger(comparisons)];
    }
    let mut sentences = vec![format!(
        "{} (p < 0.05 after Holm's correction for {comparisons} comparisons).",
        claimed.join("; ")
    )];
    let open: Vec<String> = open.iter().map(|pair| names(pair).join(" and ")).collect();
    if !open.is_empty() {
        sentences.push(format!("These games cannot tell apart {}.", open.join("; ")));
    }
    sentences
}

fn none_stronger(pairings: usize) -> String {
    format!(
        "No engine is shown to be stronger than another: in none of the {} pairings is chance ruled out (p < 0.05 after Holm's correction).",
        thousands(pairings as u64)
    )
}

fn summarised(standings: &Standings) -> Vec<String> {
    let (beaten, open) = claims(standings);
    let pairings = standings.pairings.len();
    if open.len() == pairings {
        return vec![none_stronger(pairings)];
    }
    let mut sentences = vec![format!(
        "In {} of {} pairings one engine is shown to be stronger (p < 0.05 after Holm's correction); in {} the two cannot be told apart.",
        thousands((pairings - open.len()) as u64),
        thousands(pairings as u64),
        if open.is_empty() { "none".to_owned() } else { thousands(open.len() as u64) }
    )];
    for leader in 0..LEADERS.min(standings.engines.len()) {
        let undecided: Vec<usize> = open
            .iter()
            .filter(|pair| pair.contains(&leader))
            .map(|&[one, other]| if one == leader { other } else { one })
            .collect();
        let stronger: Vec<usize> =
            (0..beaten.len()).filter(|&other| beaten[other].binary_search(&leader).is_ok()).collect();
        sentences.push(standing_of(standings, leader, &beaten[leader], &stronger, &undecided));
    }
    sentences
}

/// One sentence on an engine and the ones it met.
fn standing_of(
    standings: &Standings,
    engine: usize,
    beaten: &[usize],
    stronger: &[usize],
    open: &[usize],
) -> String {
    let names = |indices: &[usize]| {
        name_list(&indices.iter().map(|&index| name(standings, index)).collect::<Vec<_>>())
    };
    let met = beaten.len() + stronger.len() + open.len();
    let of = match beaten.len() {
        0 => "none".to_owned(),
        all if all == met => "all".to_owned(),
        some => thousands(some as u64),
    };
    let met =
        if met == 1 { "the one engine".to_owned() } else { format!("the {} engines", thousands(met as u64)) };
    let mut text =
        format!("Number {}, {}, is stronger than {of} of {met} it met", engine + 1, name(standings, engine));
    if !stronger.is_empty() {
        text += &format!(", weaker than {}", names(stronger));
    }
    if !open.is_empty() {
        text += &format!(", and not told apart from {}", names(open));
    }
    text + "."
}
