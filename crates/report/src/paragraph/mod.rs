//! The standings in plain English: one paragraph. It claims only what the corrected p-values allow.

mod notes;
mod phrase;
mod strength;

use tournament::standings::{Cycle, Standings};

use crate::text_table::{display_width, printable};
pub use notes::notes;
use phrase::{elo, join_and, name_list, p_value, thousands};

/// With a p-value of the fit below this, one rating per engine does not fit.
const MISFIT: f64 = 0.01;
/// Up to this many cycles are named; the rest is counted.
const MAX_CYCLES: usize = 3;

/// The advantage of moving first is told from this many degrees of freedom of the dispersion on (start positions, less
/// one an encounter).
const MIN_STARTS: u64 = 10;

/// The results in plain English: the [`notes()`], then the [`findings`].
///
/// One line of bounded length, however many engines there are: long lists are cut and the rest is counted.
#[must_use]
pub fn paragraph(standings: &Standings) -> String {
    let mut sentences = notes(standings);
    sentences.push(findings(standings));
    sentences.join(" ")
}

/// What the games show: which engines are stronger than which and which can't be told apart (by p-values corrected for
/// the number of comparisons), if one rating per engine fits, how many games were different, and the advantage of
/// moving first. One line, as [`paragraph`].
#[must_use]
pub fn findings(standings: &Standings) -> String {
    if standings.games.played == 0 {
        return "No game has been played, so there is nothing to say yet.".to_owned();
    }
    let mut sentences = strength::sentences(standings);
    sentences.extend(extremes(standings));
    sentences.extend(groups_apart(standings));
    sentences.extend(fit(standings));
    sentences.extend(games(standings));
    sentences.extend(colour(standings));
    sentences.join(" ")
}

/// The paragraph in lines of at most `width` columns. A longer word is a line of its own.
#[must_use]
pub fn wrapped(paragraph: &str, width: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    for word in paragraph.split(' ') {
        let length = display_width(word);
        if used > 0 && used + 1 + length > width {
            text.push('\n');
            used = 0;
        } else if used > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += length;
    }
    text
}

fn name(standings: &Standings, index: usize) -> String {
    printable(&standings.engines[index].name)
}

/// Engines that won or lost every game: their ratings are only bounds.
fn extremes(standings: &Standings) -> Vec<String> {
    let of = |won: bool| -> Vec<String> {
        let extreme = standings.engines.iter().filter(|engine| engine.extreme && engine.elo.is_some());
        let side = extreme.filter(|engine| (engine.results.half_points() > 0) == won);
        side.map(|engine| printable(&engine.name)).collect()
    };
    [(true, "won", "at least"), (false, "lost", "at most")]
        .into_iter()
        .map(|(won, word, bound)| (of(won), word, bound))
        .filter(|(names, ..)| !names.is_empty())
        .map(|(names, word, bound)| {
            let whose = if names.len() == 1 { "its" } else { "their" };
            format!("{} {word} every game, so that {whose} Elo means \"{bound}\".", name_list(&names))
        })
        .collect()
}

fn groups_apart(standings: &Standings) -> Option<String> {
    let groups = standings.engines.iter().map(|engine| engine.component).max().unwrap_or(0);
    let text =
        "groups of engines that never met, directly or through others: ratings compare only within a group.";
    (groups > 1).then(|| format!("There are {} {text}", thousands(groups as u64)))
}

fn fit(standings: &Standings) -> Vec<String> {
    let fit = &standings.pool.fit;
    let verdict = match fit.p_f {
        _ if fit.df == 0 => return Vec::new(),
        None => "There is too little to tell whether one number per engine fits.".to_owned(),
        Some(p) if p < MISFIT => format!(
            "These results do not fit a single ranking ({}): who wins depends on who meets whom, and one number per engine hides that.",
            p_value(p)
        ),
        Some(p) => format!("Nothing speaks against one number per engine ({}).", p_value(p)),
    };
    std::iter::once(verdict).chain(cycles(standings)).collect()
}

fn cycles(standings: &Standings) -> Option<String> {
    let cycles = &standings.pool.cycles;
    let ring = |cycle: &Cycle| {
        let [a, b, c] = cycle.engines.map(|index| name(standings, index));
        format!("{a} over {b} over {c} over {a}")
    };
    let mut named: Vec<String> = cycles.iter().take(MAX_CYCLES).map(ring).collect();
    if cycles.len() > MAX_CYCLES {
        let more = cycles.len() - MAX_CYCLES;
        named.push(format!("{} more", thousands(more as u64)));
    }
    (!named.is_empty()).then(|| format!("More than chance runs in a circle: {}.", join_and(&named)))
}

fn games(standings: &Standings) -> Vec<String> {
    let games = standings.games;
    let played = thousands(games.played);
    let mut sentences = Vec::new();
    match games.duplicates() {
        None => sentences.push(
            "How many games were truly different is not known, since the moves of some or all are not."
                .to_owned(),
        ),
        Some(0) if games.played == 1 => sentences.push("There was only one game.".to_owned()),
        Some(0) => sentences.push(format!("All {played} games were different.")),
        Some(replays) => {
            let mut text = format!(
                "Of {played} games only {} were truly different, the others replay an earlier one",
                thousands(games.played - replays)
            );
            if replays * 20 > games.played {
                text += " (deterministic engines: give more openings, not more games)";
            }
            sentences.push(text + ".");
        }
    }
    if standings.repeated_starts > 0 {
        let (pairs, verb) = match standings.repeated_starts {
            1 => ("One game pair".to_owned(), "repeats"),
            many => (format!("{} game pairs", thousands(many)), "repeat"),
        };
        sentences.push(format!(
            "{pairs} {verb} an opening of the same two engines; all games from one opening count as a single piece of evidence."
        ));
    }
    sentences
}

fn colour(standings: &Standings) -> Option<String> {
    let colour = standings.pool.colour?;
    // With too few start positions the dispersion is not measured, and repeated games would count as evidence.
    let measured = standings.pool.phi_df >= MIN_STARTS;
    if !measured && standings.repeated_starts > 0 {
        return Some("Too few different starts tell what moving first is worth.".to_owned());
    }
    let interval = |lo: f64, hi: f64| format!("(95 % interval {} to {})", elo(lo), elo(hi));
    let (lo, hi) = (colour.lo, colour.hi);
    Some(if lo > 0.0 {
        format!("Black, who moves first, has an advantage of {} Elo {}.", elo(colour.value), interval(lo, hi))
    } else if hi < 0.0 {
        format!("Black, who moves first, has a disadvantage: {} Elo {}.", elo(colour.value), interval(lo, hi))
    } else {
        format!(
            "Moving first is worth {} Elo {}, which may as well be nothing.",
            elo(colour.value),
            interval(lo, hi)
        )
    })
}
