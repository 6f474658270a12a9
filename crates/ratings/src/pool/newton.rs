//! The maximum of the posterior, by Newton's method.

use super::graph::Graph;
use super::model::OutcomeProbabilities;
use super::{Model, Pool, Settings};
use crate::elo::ELO_PER_NAT;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Newton is done when no parameter moves by more (nats).
const CONVERGED: f64 = 1e-9;
/// Steps of less than ln 2 / 6 (nats a parameter) lead up wherever they begin: a game hangs on two strengths and the
/// colour, so that the odds of two of its results change by a factor of less than √2 on the way, and the curvature by
/// less than 2; a step of Newton's leads down only where the curvature grows by more.
const LINE_SEARCH_FROM: f64 = std::f64::consts::LN_2 / 6.0;
/// Well-posed pools need 5 to 15 rounds; where a parameter runs away to infinity it gains about one nat a round.
const MAX_ITERATIONS: usize = 100;
/// A pivot of the Cholesky factor this small against its diagonal means a direction nothing holds.
const SINGULAR: f64 = 1e-12;

/// All games with Black and White in the given roles, by Black's result.
#[derive(Clone, Copy)]
struct Games {
    black: usize,
    white: usize,
    lost: f64,
    drawn: f64,
    won: f64,
}

/// A point of the parameter space: θ in nats per engine, η, δ = ln ν.
#[derive(Clone)]
struct Point {
    theta: Vec<f64>,
    eta: f64,
    delta: f64,
}

/// The fitted model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fitted {
    /// Strengths in nats; they add up to zero in every component.
    pub(super) theta: Vec<f64>,
    /// Advantage of Black in nats.
    pub(super) eta: f64,
    /// Draw parameter.
    pub(super) nu: f64,
    /// Inverse of minus the Hessian: first the strengths, exact for differences within a component
    /// only (their common level is held by the gauge), then η if it was fitted, then δ.
    pub(super) covariance: DMatrix<f64>,
    /// The objective at its maximum.
    pub(super) log_posterior: f64,
}

impl Fitted {
    pub(crate) fn outcome(&self, black: usize, white: usize) -> OutcomeProbabilities {
        OutcomeProbabilities::at(self.theta[black] + self.eta - self.theta[white], self.nu)
    }
}

/// Log-posterior of a pool without games: the mode of the prior, ν = 2.
pub(super) fn log_posterior_without_games(settings: &Settings) -> f64 {
    match settings.model {
        Model::Davidson if settings.prior.draw > 0.0 => settings.prior.draw * (0.125f64).ln(),
        Model::Davidson | Model::BtHalf => 0.0,
    }
}

/// The maximum of the posterior. `None` where there is none: without priors, outside strongly connected
/// pools, or when a parameter runs to infinity or cannot be told from another.
pub(super) fn fit(pool: &Pool, graph: &Graph, settings: &Settings) -> Option<Fitted> {
    if settings.prior.sd_theta.is_none() && !graph.components_are_strong() {
        return None;
    }
    let problem = Problem::new(pool, graph, settings)?;
    let mut point = problem.start.clone();
    for _ in 0..MAX_ITERATIONS {
        let (gradient, minus_hessian) = problem.derivatives(&point);
        let factor = problem.factor(minus_hessian)?;
        let step = factor.solve(&gradient);
        point = problem.uphill(&point, &step);
        if step.amax() < CONVERGED {
            let value = problem.objective(&point);
            // A step this short changes the Hessian no more than its own rounding does.
            let covariance = inverse(&factor);
            let nu = if problem.draws { point.delta.exp() } else { 0.0 };
            let finite = covariance.iter().all(|v| v.is_finite()) && value.is_finite() && nu.is_finite();
            return finite.then_some(Fitted {
                theta: point.theta,
                eta: point.eta,
                nu,
                covariance,
                log_posterior: value,
            });
        }
    }
    None
}

/// The inverse of a factored matrix. It is symmetric, and a column of its lower triangle hangs on no row of the factor
/// above the diagonal: a third of the work of solving for whole columns.
fn inverse(factor: &Cholesky<f64, Dyn>) -> DMatrix<f64> {
    let l = factor.l_dirty();
    let n = l.nrows();
    let mut inverse = DMatrix::identity(n, n);
    for j in 0..n {
        let block = l.view((j, j), (n - j, n - j));
        let mut column = inverse.view_mut((j, j), (n - j, 1));
        block.solve_lower_triangular_unchecked_mut(&mut column);
        block.ad_solve_lower_triangular_unchecked_mut(&mut column);
    }
    inverse.fill_upper_triangle_with_lower_triangle();
    inverse
}

/// Entries of minus the Hessian that concern one strength: with itself, with η and with δ.
#[derive(Clone, Copy, Default)]
struct HessianRow {
    own: f64,
    with_eta: f64,
    with_delta: f64,
}

struct Problem {
    engines: usize,
    games: Vec<Games>,
    components: Vec<Vec<usize>>,
    /// Whether η and δ are parameters.
    colour: bool,
    draws: bool,
    /// 1/σ² of a strength and of η; weight of the draw prior.
    theta_precision: f64,
    eta_precision: f64,
    draw_prior: f64,
    start: Point,
}

impl Problem {
    /// `None` if all games were drawn and no prior holds the draw rate below one.
    fn new(pool: &Pool, graph: &Graph, settings: &Settings) -> Option<Self> {
        let mut games = Vec::new();
        let (mut drawn, mut decisive) = (0.0, 0.0);
        for (a, b, encounter) in pool.encounters() {
            let totals = encounter.totals();
            let [white_lost, white_drawn, white_won] = totals.white;
            for (black, white, [lost, draws, won]) in
                [(a, b, totals.black), (b, a, [white_won, white_drawn, white_lost])]
            {
                if lost > 0 || draws > 0 || won > 0 {
                    let (lost, draws, won) = (lost as f64, draws as f64, won as f64);
                    games.push(Games { black, white, lost, drawn: draws, won });
                    drawn += draws;
                    decisive += lost + won;
                }
            }
        }
        let prior = settings.prior;
        let precision = |sd: Option<f64>| sd.map_or(0.0, |sd| (ELO_PER_NAT / sd).powi(2));
        let draws = settings.model == Model::Davidson && (prior.draw > 0.0 || drawn > 0.0);
        // Between equals draws and decisive games have the odds ν : 2.
        let nu: f64 = 2.0 * (drawn + prior.draw) / (decisive + prior.draw);
        let delta = if draws { nu.ln() } else { 0.0 };
        let singles = (0..pool.engines())
            .filter(|&e| graph.component.iter().filter(|&&c| c == graph.component[e]).count() == 1);
        let components = graph.components().into_iter().chain(singles.map(|e| vec![e])).collect();
        delta.is_finite().then(|| Self {
            engines: pool.engines(),
            games,
            components,
            colour: settings.colour,
            draws,
            theta_precision: precision(prior.sd_theta),
            eta_precision: precision(prior.sd_eta),
            draw_prior: prior.draw,
            start: Point { theta: vec![0.0; pool.engines()], eta: 0.0, delta },
        })
    }

    fn nu(&self, point: &Point) -> f64 {
        if self.draws { point.delta.exp() } else { 0.0 }
    }

    fn parameters(&self) -> usize {
        self.engines + usize::from(self.colour) + usize::from(self.draws)
    }

    fn delta_index(&self) -> usize {
        self.engines + usize::from(self.colour)
    }

    fn stepped(&self, from: &Point, step: &DVector<f64>, scale: f64) -> Point {
        let theta = from.theta.iter().zip(step.iter()).map(|(t, s)| t + scale * s).collect();
        let eta = if self.colour { from.eta + scale * step[self.engines] } else { 0.0 };
        let delta = if self.draws { from.delta + scale * step[self.delta_index()] } else { 0.0 };
        Point { theta, eta, delta }
    }

    /// Where Newton's step leads, which is shortened until it does not lead downwards.
    fn uphill(&self, from: &Point, step: &DVector<f64>) -> Point {
        let mut next = self.stepped(from, step, 1.0);
        if step.amax() < LINE_SEARCH_FROM {
            return next;
        }
        // Near the top the objective is flat to the last digits and may fall by rounding.
        let value = self.objective(from);
        let least = value - 1e-13 * (1.0 + value.abs());
        let mut scale = 1.0;
        loop {
            if self.objective(&next) >= least || scale < 1e-12 {
                return next;
            }
            scale /= 2.0;
            next = self.stepped(from, step, scale);
        }
    }

    /// Log-likelihood − ½Σ(θ/σ)² − ½(η/σ_η)² + d·(δ − 2 ln(2 + ν)).
    fn objective(&self, point: &Point) -> f64 {
        let nu = self.nu(point);
        // What did not happen adds nothing, however unlikely it is.
        let part = |games: f64, ln: f64| if games > 0.0 { games * ln } else { 0.0 };
        let likelihood: f64 = self
            .games
            .iter()
            .map(|g| {
                let lambda = point.theta[g.black] + point.eta - point.theta[g.white];
                let [black, white, draw] = OutcomeProbabilities::logarithms(lambda, nu, point.delta);
                let draw = if self.draws { draw } else { (black + white) / 2.0 };
                let decisive = part(g.won, black) + part(g.lost, white);
                decisive + part(g.drawn, draw)
            })
            .sum();
        let squares: f64 = point.theta.iter().map(|t| t * t).sum();
        let mut value = likelihood
            - 0.5 * self.theta_precision * squares
            - 0.5 * self.eta_precision * point.eta * point.eta;
        if self.draws {
            value += self.draw_prior * (point.delta - 2.0 * (2.0 + nu).ln());
        }
        value
    }

    /// Gradient and minus the Hessian of the objective, of which the lower triangle is filled: it is symmetric, and
    /// more is not read.
    fn derivatives(&self, point: &Point) -> (DVector<f64>, DMatrix<f64>) {
        let n = self.parameters();
        let (eta, delta) = (self.engines, self.delta_index());
        let nu = self.nu(point);
        let mut gradient = DVector::zeros(n);
        let mut h = DMatrix::zeros(n, n);
        // What concerns one engine stands together here, and apart in the matrix.
        let mut each = vec![HessianRow::default(); self.engines];
        let mut all = HessianRow::default();
        let (mut eta_slope, mut delta_slope, mut delta_curve) = (0.0, 0.0, 0.0);
        for g in &self.games {
            let (b, w) = (g.black, g.white);
            let o = OutcomeProbabilities::at(point.theta[b] + point.eta - point.theta[w], nu);
            let games = g.won + g.drawn + g.lost;
            let slope =
                g.won * o.expected_white() + g.drawn * (o.white - o.black) / 2.0 - g.lost * o.expected();
            let curve = games * o.variance();
            let cross = games * o.draw * (o.white - o.black) / 2.0;
            gradient[b] += slope;
            gradient[w] -= slope;
            eta_slope += slope;
            h[(b.max(w), b.min(w))] -= curve;
            for (engine, sign) in [(b, 1.0), (w, -1.0)] {
                let engine = &mut each[engine];
                engine.own += curve;
                engine.with_eta += sign * curve;
                engine.with_delta += sign * cross;
            }
            all.with_eta += curve;
            all.with_delta += cross;
            delta_slope += g.drawn * (o.black + o.white) - (g.won + g.lost) * o.draw;
            delta_curve += games * o.draw * (o.black + o.white);
        }
        for (engine, curves) in each.iter().enumerate() {
            gradient[engine] -= self.theta_precision * point.theta[engine];
            h[(engine, engine)] = curves.own + self.theta_precision;
            if self.colour {
                h[(eta, engine)] = curves.with_eta;
            }
            if self.draws {
                h[(delta, engine)] = curves.with_delta;
            }
        }
        if self.colour {
            gradient[eta] = eta_slope - self.eta_precision * point.eta;
            h[(eta, eta)] = all.with_eta + self.eta_precision;
        }
        if self.draws {
            gradient[delta] = delta_slope + self.draw_prior * (2.0 - nu) / (2.0 + nu);
            h[(delta, delta)] = delta_curve + 4.0 * self.draw_prior * nu / ((2.0 + nu) * (2.0 + nu));
            if self.colour {
                h[(delta, eta)] = all.with_delta;
            }
        }
        (gradient, h)
    }

    /// Cholesky factor of minus the Hessian, with the gauge; `None` if some direction is not held.
    ///
    /// Raising all strengths of a component together changes no game. With a prior that direction
    /// is held weakly, without one not at all; either way it is an eigenvector of the matrix, so
    /// holding it more firmly changes neither differences, nor η, nor δ, nor the path of the iteration. As
    /// firmly as the engine with the least games is held, it does not add to the condition of the matrix.
    fn factor(&self, mut h: DMatrix<f64>) -> Option<Cholesky<f64, Dyn>> {
        for members in &self.components {
            let least = members.iter().map(|&m| h[(m, m)]).fold(f64::INFINITY, f64::min);
            let gauge = if least > 0.0 { least } else { 1.0 } / members.len() as f64;
            for (place, &j) in members.iter().enumerate() {
                for &i in &members[place..] {
                    h[(i, j)] += gauge;
                }
            }
        }
        let diagonal = h.diagonal();
        let factor = Cholesky::new(h)?;
        let l = factor.l_dirty();
        let held = (0..diagonal.len()).all(|i| l[(i, i)] * l[(i, i)] > SINGULAR * diagonal[i]);
        held.then_some(factor)
    }
}
