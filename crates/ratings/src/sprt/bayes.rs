//! The LLR of the BayesElo model, as cutechess computes it.

use crate::counts::Trinomial;
use crate::units::finite;

/// Log-likelihood ratio of elo1 against elo0 from single games, with BayesElo's draw model; for comparing
/// with cutechess, not for deciding.
///
/// Half a game is added to each count. The draw parameter is D = 200·log10((1−l)/l·(1−w)/w) with w, l the
/// shares of wins and losses; an Elo is divided by k = 4x/(1+x)², x = 10^(−D/400); then P(win) =
/// 1/(1+10^((D−e)/400)), P(loss) = 1/(1+10^((D+e)/400)). `None` where that leaves a result without
/// probability (many thousand Elo).
pub fn llr_bayes(games: &Trinomial, elo0: f64, elo1: f64) -> Option<f64> {
    let counts = games.0.map(|n| n as f64 + 0.5);
    let total: f64 = counts.iter().sum();
    let [loss, _, win] = counts.map(|n| n / total);
    let draw_elo = 200.0 * ((1.0 - loss) / loss * (1.0 - win) / win).log10();
    let x = 10f64.powf(-draw_elo / 400.0);
    let scale = 4.0 * x / ((1.0 + x) * (1.0 + x));
    let probabilities = |elo: f64| {
        let logistic = |e: f64| 1.0 / (1.0 + 10f64.powf(e / 400.0));
        let (win, loss) = (logistic(draw_elo - elo / scale), logistic(draw_elo + elo / scale));
        [loss, 1.0 - win - loss, win]
    };
    let (p0, p1) = (probabilities(elo0), probabilities(elo1));
    finite((0..3).map(|i| counts[i] * (p1[i] / p0[i]).ln()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_difference_no_evidence() {
        assert_eq!(llr_bayes(&Trinomial::from([10, 5, 12]), 3.0, 3.0), Some(0.0));
        assert_eq!(llr_bayes(&Trinomial::default(), f64::NAN, 3.0), None);
        assert_eq!(llr_bayes(&Trinomial::default(), 0.0, 1e9), None);
    }
}
