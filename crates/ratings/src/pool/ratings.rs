//! Ratings, error bars and differences from the fitted model.

use super::graph::Graph;
use super::newton::{Fitted, fit, log_posterior_without_games};
use super::{ColourTally, Pool, Settings};
use crate::distributions::{Z95, normal_cdf, normal_sf};
use crate::elo::ELO_PER_NAT;
use crate::finite::{finite, ratio};

/// The dispersion used is not below this: a smaller one was probably luck.
const PHI_FLOOR: f64 = 0.25;
/// The measured dispersion is used only with this many degrees of freedom, and this much variance in the model.
const PHI_FROM_DF: u64 = 10;
const PHI_FROM_VARIANCE: f64 = 1.0;

/// The rating of one engine. Elo is relative to the mean of the component, or to the anchor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EngineRating {
    /// Elo. `None` for an engine without games, and if the posterior has no maximum (possible only without priors). 0 in
    /// a component without a decisive game.
    pub elo: Option<f64>,
    /// Standard error of `elo`, in Elo; 0 for the anchor. For that of a difference see [`Ratings::difference`]. `None` if
    /// `elo` is, and in a component without a decisive game.
    pub se: Option<f64>,
    /// Lower end of the 95 % interval. `None` if `se` is.
    pub lo: Option<f64>,
    /// Upper end of the 95 % interval. `None` if `se` is.
    pub hi: Option<f64>,
    /// True if it won every point or lost every point. Then only the prior keeps the rating finite, and the rating means
    /// "at least" (or "at most"). `None` without games.
    pub extreme: Option<bool>,
    /// Games played.
    pub games: u64,
    /// Half-points won: win 2, draw 1.
    pub half_points: u64,
    /// Lowest number among the engines connected to this one by games; itself if it has none.
    pub component: usize,
    /// Lowest number among the engines strongly connected to this one: each won points, directly or through others,
    /// against each other one.
    pub scc: usize,
}

/// Two engines of a pool compared, the first minus the second. All is `None` for an engine with itself, and for engines of
/// different components.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Difference {
    /// Elo difference.
    pub elo: Option<f64>,
    /// Its standard error. `None` in a component without a decisive game; so are `los` and `p`.
    pub se: Option<f64>,
    /// Likelihood that the first is stronger, in [0, 1].
    pub los: Option<f64>,
    /// Two-sided p-value of "equally strong". Not valid for an [extreme](EngineRating::extreme) engine: use
    /// [`p_equal`](crate::HeadToHead::p_equal).
    pub p: Option<f64>,
    /// Points per game that the model expects of the first, mean of both colours.
    pub expected: Option<f64>,
}

/// The ratings of a pool, and the parameters of the model.
///
/// **Model.** Strength θ in nats per engine, advantage η of Black, draw parameter ν. For Black b and
/// White w, λ = θ_b + η − θ_w, and Black, White and draw have the odds e^(λ/2) : e^(−λ/2) : ν.
/// The fit maximises log-likelihood − ½Σ(θ/σ)² − ½(η/σ_η)² + d(ln ν − 2 ln(2 + ν)).
///
/// **Elo** is κ·K·θ with K = [`ELO_PER_NAT`] and κ = 2/(2 + ν). The factor κ makes small differences agree with the Elo of
/// the score. Error bars are multiplied by √φ. The dispersion φ is measured over clusters: it contains the effect of paired
/// openings (φ < 1) and of repeated games (φ > 1), which a model of single games lacks.
///
/// Sources: R. A. Bradley and M. E. Terry, *Biometrika* 39 (1952); R. R. Davidson, *JASA* 65 (1970).
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// By engine number.
    pub engines: Vec<EngineRating>,
    /// True if the whole pool is strongly connected: then the ratings exist without the prior too.
    pub mle_exists: bool,
    /// Advantage of moving first, κKη, in Elo. `None` if it was not fitted or no game was decisive.
    pub colour_elo: Option<f64>,
    /// Its standard error, in Elo. `None` if `colour_elo` is.
    pub colour_se: Option<f64>,
    /// The draw parameter ν, 0 or more. `None` without games and if the posterior has no maximum; so are the next three.
    pub draw_nu: Option<f64>,
    /// Draw rate between equal engines, ν/(2 + ν).
    pub draw_rate_equal: Option<f64>,
    /// The factor from K·θ to Elo, 2/(2 + ν), in (0, 1].
    pub kappa: Option<f64>,
    /// The maximum of the objective, in nats. Without games it is that of the prior.
    pub log_posterior: Option<f64>,
    /// Dispersion over clusters, 0 or more; 1 if games are independent. `None` unless some encounter has two clusters.
    pub phi: Option<f64>,
    /// Degrees of freedom of `phi`.
    pub phi_df: u64,
    /// The dispersion in the error bars: `phi`, but at least ¼; 1 if there are too few games to measure it.
    pub phi_used: f64,
    /// True if there are enough games to use `phi`.
    pub(crate) phi_usable: bool,
    pub(crate) fitted: Option<Fitted>,
    /// By engine: true if its component has a decisive game.
    decisive: Vec<bool>,
}

impl Ratings {
    pub(super) fn of(pool: &Pool, settings: &Settings) -> Self {
        let graph = Graph::of(pool);
        let mut ratings = Self::without_fit(pool, &graph);
        if pool.encounters().next().is_none() {
            ratings.log_posterior = finite(log_posterior_without_games(settings));
            return ratings;
        }
        let Some(fitted) = fit(pool, &graph, settings) else {
            return ratings;
        };
        ratings.measure_dispersion(pool, &fitted);
        let kappa = 2.0 / (2.0 + fitted.nu);
        ratings.kappa = finite(kappa);
        ratings.draw_nu = finite(fitted.nu);
        ratings.draw_rate_equal = finite(fitted.nu / (2.0 + fitted.nu));
        ratings.log_posterior = finite(fitted.log_posterior);
        let (to_elo, error_to_elo) = (kappa * ELO_PER_NAT, kappa * ELO_PER_NAT * ratings.phi_used.sqrt());
        if settings.colour && ratings.decisive.contains(&true) {
            let eta = ratings.engines.len();
            ratings.colour_elo = finite(to_elo * fitted.eta);
            ratings.colour_se = finite(error_to_elo * fitted.covariance[(eta, eta)].sqrt());
        }
        for members in graph.components() {
            if !ratings.decisive[members[0]] {
                continue;
            }
            let anchor = settings.anchor.filter(|a| members.contains(a));
            let reference = Reference::new(&members, anchor, &fitted);
            for &i in &members {
                let engine = &mut ratings.engines[i];
                let elo = to_elo * (fitted.theta[i] - reference.theta);
                let se = error_to_elo * reference.variance(i, &fitted).max(0.0).sqrt();
                (engine.elo, engine.se) = (finite(elo), finite(se));
                (engine.lo, engine.hi) = (finite(elo - Z95 * se), finite(elo + Z95 * se));
            }
        }
        ratings.fitted = Some(fitted);
        ratings
    }

    /// The fields that follow from the counts alone.
    fn without_fit(pool: &Pool, graph: &Graph) -> Self {
        let n = pool.engines();
        let (mut games, mut half_points, mut against) = (vec![0u64; n], vec![0u64; n], vec![0u64; n]);
        let mut decisive_component = vec![false; n];
        for (a, b, encounter) in pool.encounters() {
            let totals = encounter.totals();
            let (won, lost) = (totals.half_points(), totals.half_points_against());
            for (engine, points, conceded) in [(a, won, lost), (b, lost, won)] {
                games[engine] = games[engine].saturating_add(totals.games());
                half_points[engine] = half_points[engine].saturating_add(points);
                against[engine] = against[engine].saturating_add(conceded);
            }
            decisive_component[graph.component[a]] |= totals.draws() < totals.games();
        }
        let decisive: Vec<bool> = graph.component.iter().map(|&c| decisive_component[c]).collect();
        let engines = (0..n)
            .map(|i| EngineRating {
                elo: (games[i] > 0 && !decisive[i]).then_some(0.0),
                se: None,
                lo: None,
                hi: None,
                extreme: (games[i] > 0).then_some(half_points[i] == 0 || against[i] == 0),
                games: games[i],
                half_points: half_points[i],
                component: graph.component[i],
                scc: graph.scc[i],
            })
            .collect();
        Self {
            engines,
            mle_exists: graph.is_strong(),
            colour_elo: None,
            colour_se: None,
            draw_nu: None,
            draw_rate_equal: None,
            kappa: None,
            log_posterior: None,
            phi: None,
            phi_df: 0,
            phi_used: 1.0,
            phi_usable: false,
            fitted: None,
            decisive,
        }
    }

    /// φ: sum of the squared residuals of clusters around the mean of their encounter, divided by its expectation in the
    /// model.
    fn measure_dispersion(&mut self, pool: &Pool, fitted: &Fitted) {
        let (mut seen, mut expected) = (0.0, 0.0);
        for (a, b, encounter) in pool.encounters() {
            let clusters: u64 = encounter.clusters().fold(0, |sum, (_, times)| sum.saturating_add(times));
            if clusters < 2 {
                continue;
            }
            let (as_black, as_white) = (fitted.outcome(a, b), fitted.outcome(b, a));
            // Mean and variance of one game, with either colour.
            let (black, white) = (as_black.expected(), as_white.expected_white());
            let (scatter_black, scatter_white) = (as_black.variance(), as_white.variance());
            let sum = |of: &dyn Fn(ColourTally) -> f64| {
                encounter.clusters().map(|(tally, times)| times as f64 * of(tally)).sum::<f64>()
            };
            let both = |tally: ColourTally, black: f64, white: f64| {
                f64::from(tally.games_as_black()) * black + f64::from(tally.games_as_white()) * white
            };
            let residual =
                |tally: ColourTally| f64::from(tally.half_points()) / 2.0 - both(tally, black, white);
            let g = clusters as f64;
            let mean = sum(&residual) / g;
            seen += sum(&|tally| (residual(tally) - mean).powi(2));
            expected += (g - 1.0) / g * sum(&|tally| both(tally, scatter_black, scatter_white));
            self.phi_df = self.phi_df.saturating_add(clusters - 1);
        }
        self.phi = ratio(seen, expected);
        if let Some(phi) = self.phi.filter(|_| self.phi_df >= PHI_FROM_DF && expected >= PHI_FROM_VARIANCE) {
            self.phi_used = phi.max(PHI_FLOOR);
            self.phi_usable = true;
        }
    }

    /// Engine `i` compared with engine `j`. Computed at each call.
    ///
    /// # Panics
    /// If a number is not below the number of engines.
    pub fn difference(&self, i: usize, j: usize) -> Difference {
        let (first, second) = (self.engines[i], self.engines[j]);
        if i == j || first.component != second.component {
            return Difference::default();
        }
        let mut difference = Difference {
            elo: first.elo.zip(second.elo).and_then(|(a, b)| finite(a - b)),
            ..Difference::default()
        };
        let Some(fitted) = &self.fitted else {
            return difference;
        };
        let mean = (fitted.outcome(i, j).expected() + fitted.outcome(j, i).expected_white()) / 2.0;
        difference.expected = finite(mean);
        if self.decisive[i] {
            let v = &fitted.covariance;
            let variance = (v[(i, i)] + v[(j, j)] - 2.0 * v[(i, j)]).max(0.0);
            let error = (self.phi_used * variance).sqrt();
            difference.se = self.kappa.and_then(|kappa| finite(kappa * ELO_PER_NAT * error));
            let z = ratio(fitted.theta[i] - fitted.theta[j], error);
            difference.los = z.map(normal_cdf);
            difference.p = z.map(|z| (2.0 * normal_sf(z.abs())).min(1.0));
        }
        difference
    }

    /// Engine numbers, best first: by Elo, then by points, then by number. Engines without a rating come last. Ratings are
    /// equal if they differ by less than a millionth of an Elo.
    pub fn ranking(&self) -> Vec<usize> {
        let key = |i: usize| {
            let engine = &self.engines[i];
            (engine.elo.map(|elo| (elo * 1e6).round() as i64), engine.half_points)
        };
        let mut order: Vec<usize> = (0..self.engines.len()).collect();
        order.sort_by(|&i, &j| key(j).cmp(&key(i)).then(i.cmp(&j)));
        order
    }
}

/// The zero of a component's ratings.
struct Reference {
    theta: f64,
    anchor: Option<usize>,
    /// Mean covariance of each member (by engine number) with all members, and the mean of these.
    row_means: Vec<f64>,
    grand_mean: f64,
}

impl Reference {
    fn new(members: &[usize], anchor: Option<usize>, fitted: &Fitted) -> Self {
        let n = members.len() as f64;
        let mut row_means = vec![0.0; fitted.theta.len()];
        for &i in members {
            row_means[i] = members.iter().map(|&j| fitted.covariance[(i, j)]).sum::<f64>() / n;
        }
        let grand_mean = members.iter().map(|&i| row_means[i]).sum::<f64>() / n;
        let theta = match anchor {
            Some(anchor) => fitted.theta[anchor],
            None => members.iter().map(|&i| fitted.theta[i]).sum::<f64>() / n,
        };
        Self { theta, anchor, row_means, grand_mean }
    }

    /// Variance of a strength relative to the reference.
    fn variance(&self, i: usize, fitted: &Fitted) -> f64 {
        let v = &fitted.covariance;
        match self.anchor {
            Some(a) => v[(i, i)] + v[(a, a)] - 2.0 * v[(i, a)],
            None => v[(i, i)] - 2.0 * self.row_means[i] + self.grand_mean,
        }
    }
}
