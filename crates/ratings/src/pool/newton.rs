//! The maximum of the posterior, by Newton's method.

use super::graph::Graph;
use super::model::OutcomeProbabilities;
use super::{Model, Pool, Settings};
use crate::elo::ELO_PER_NAT;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// The iteration ends when no parameter changes by more than this (nats).
const CONVERGED: f64 = 1e-9;
/// From this step on (nats a parameter), the step is checked and shortened. Smaller steps always lead up: a game depends
/// on two strengths and the colour, so that the odds of two of its results change by a factor of less than √2 in such a
/// step, and the curvature by less than 2; a Newton step leads down only if the curvature grows by more.
const LINE_SEARCH_FROM: f64 = std::f64::consts::LN_2 / 6.0;
/// Well-posed pools need 5 to 15 iterations. A parameter that diverges gains about one nat an iteration.
const MAX_ITERATIONS: usize = 100;
/// A pivot of the Cholesky factor below this part of its diagonal entry: the matrix is singular.
const SINGULAR: f64 = 1e-12;

/// All games of two engines with these colours, by Black's result.
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

/// The maximum of the posterior. `None` if there is none: only without priors, if the pool is not strongly connected, if a
/// parameter diverges, or if two parameters cannot be separated.
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
            // After a step this short the Hessian has changed by no more than its rounding errors.
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

/// The inverse of a factored matrix. It is symmetric, and a column of its lower triangle does not depend on rows of the
/// factor above the diagonal. So this takes a third of the work of solving for whole columns.
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

/// The entries of minus the Hessian in the row of one strength: with itself, with η and with δ.
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
    /// True if η is a parameter; the same for δ.
    colour: bool,
    draws: bool,
    /// 1/σ² of a strength and of η; number of phantom games of the draw prior.
    theta_precision: f64,
    eta_precision: f64,
    draw_prior: f64,
    start: Point,
}

impl Problem {
    /// `None` if all games were drawn and no prior keeps the draw rate below 1.
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
        // Between equal engines, draws and decisive games have the odds ν : 2.
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

    /// The point after the step, which is halved until the objective does not fall.
    fn uphill(&self, from: &Point, step: &DVector<f64>) -> Point {
        let mut next = self.stepped(from, step, 1.0);
        if step.amax() < LINE_SEARCH_FROM {
            return next;
        }
        // Near the maximum the objective may fall by rounding errors.
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
        // A result without games adds 0, even if its logarithm is −∞.
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

    /// Gradient and minus the Hessian of the objective. Only the lower triangle is filled, since only that is read.
    fn derivatives(&self, point: &Point) -> (DVector<f64>, DMatrix<f64>) {
        let n = self.parameters();
        let (eta, delta) = (self.engines, self.delta_index());
        let nu = self.nu(point);
        let mut gradient = DVector::zeros(n);
        let mut h = DMatrix::zeros(n, n);
        // The entries of one engine are close to each other here, which is faster; in the matrix they are far apart.
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

    /// Cholesky factor of minus the Hessian with the gauge added; `None` if the matrix is singular.
    ///
    /// Raising all strengths of a component together changes no game. In that direction the curvature is small with a
    /// prior and 0 without. Either way the direction is an eigenvector of the matrix. So adding curvature to it changes
    /// neither differences, nor η, nor δ, nor the path of the iteration. As much as the least diagonal entry of the
    /// component is added: more would make the condition of the matrix worse.
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
