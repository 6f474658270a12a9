//! Seeded chance and games between engines of known strength.

use ratings::ELO_PER_NAT;

/// Draw parameter of the simulated games: 5 % draws between equals.
const NU: f64 = 0.105;

/// SplitMix64.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in (0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Standard normal (Box and Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform(), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    /// An index with these probabilities.
    pub(crate) fn pick(&mut self, probabilities: &[f64]) -> usize {
        let mut left = self.uniform();
        for (i, p) in probabilities.iter().enumerate() {
            left -= p;
            if left < 0.0 {
                return i;
            }
        }
        probabilities.len() - 1
    }
}

/// One game of the Davidson model, by the first engine's result: lost, drawn, won.
#[derive(Clone, Copy)]
pub(crate) struct Game([f64; 3]);

impl Game {
    /// With the first engine ahead by `elo` of the raw scale.
    pub(crate) fn at(elo: f64) -> Self {
        let half = elo / ELO_PER_NAT / 2.0;
        let (lost, won) = ((-half).exp(), half.exp());
        let z = lost + won + NU;
        Self([lost / z, NU / z, won / z])
    }

    pub(crate) fn probability(self, half_points: usize) -> f64 {
        self.0[half_points]
    }

    pub(crate) fn score(self) -> f64 {
        self.0[2] + self.0[1] / 2.0
    }

    /// Half-points of the first engine.
    pub(crate) fn play(self, dice: &mut Dice) -> usize {
        dice.pick(&self.0)
    }
}

/// A grid over the standard normal distribution with weights that add up to one.
pub(crate) fn normal_points() -> Vec<(f64, f64)> {
    let step = 0.25;
    (-20..=20)
        .map(|i| f64::from(i) * step)
        .map(|x| (x, step * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()))
        .collect()
}
