//! Tail probabilities and quantiles of the normal, Student, χ² and F distributions.
//!
//! The distribution functions are those of statrs. Its inverse of Student's distribution loses all accuracy at many
//! degrees of freedom and may never return, so that quantile is computed here.

use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF, FisherSnedecor, Normal, StudentsT};
use statrs::function::erf::erfc;
use std::f64::consts::{PI, SQRT_2};

/// Above this number of degrees of freedom, Student's quantile is computed from its expansion around the normal one.
const EXPANSION_FROM: f64 = 1000.0;

/// The 97.5 % point of the standard normal distribution; half the width, in standard errors, of a 95 % interval.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Φ(x), the standard normal distribution function.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * erfc(-x / SQRT_2)
}

/// 1 − Φ(x), without losing digits in that subtraction.
pub(crate) fn normal_sf(x: f64) -> f64 {
    0.5 * erfc(x / SQRT_2)
}

/// ln Φ(x); finite wherever x² is.
pub(crate) fn ln_normal_cdf(x: f64) -> f64 {
    if x > 0.0 {
        (-normal_sf(x)).ln_1p()
    } else if x > -20.0 {
        normal_cdf(x).ln()
    } else {
        // Asymptotic series of Mills' ratio. The first omitted term is below 1e-10 here.
        let u = 1.0 / (x * x);
        let series = 1.0 - u * (1.0 - 3.0 * u * (1.0 - 5.0 * u * (1.0 - 7.0 * u)));
        -0.5 * x * x - 0.5 * (2.0 * PI).ln() - (-x).ln() + series.ln()
    }
}

/// The x with Φ(x) = p; `None` unless 0 < p < 1.
pub(crate) fn normal_quantile(p: f64) -> Option<f64> {
    (p > 0.0 && p < 1.0).then(|| Normal::standard().inverse_cdf(p))
}

/// The half-width, in standard errors, of a two-sided normal interval; `None` unless 0 < level < 1.
pub(crate) fn normal_two_sided(level: f64) -> Option<f64> {
    if level > 0.0 && level < 1.0 { normal_quantile(0.5 + level / 2.0) } else { None }
}

/// P(|T| ≥ |t|) of Student's distribution with `df` > 0 degrees of freedom.
pub(crate) fn student_two_sided(t: f64, df: f64) -> Option<f64> {
    let p = 2.0 * StudentsT::new(0.0, 1.0, df).ok()?.sf(t.abs());
    p.is_finite().then_some(p.min(1.0))
}

/// The t with P(T ≤ t) = p for ½ ≤ p < 1 and `df` > 0; `None` outside.
///
/// Up to 1000 degrees of freedom by Newton's method on the tail probability. Right of zero the tail is convex and falling,
/// and the normal quantile lies below the root, so the steps approach the root from below and never pass it. Above 1000 by
/// the expansion in 1/df (Abramowitz & Stegun 26.7.5, three terms), whose relative error is below 1e-10 there.
pub(crate) fn student_quantile(p: f64, df: f64) -> Option<f64> {
    if !(0.5..1.0).contains(&p) || df.is_nan() || df <= 0.0 {
        return None;
    }
    let q = normal_quantile(p)?;
    if df > EXPANSION_FROM {
        let q2 = q * q;
        let first = q * (q2 + 1.0) / 4.0;
        let second = q * ((5.0 * q2 + 16.0) * q2 + 3.0) / 96.0;
        let third = q * (((3.0 * q2 + 19.0) * q2 + 17.0) * q2 - 15.0) / 384.0;
        return Some(q + (first + (second + third / df) / df) / df);
    }
    let student = StudentsT::new(0.0, 1.0, df).ok()?;
    let tail = 1.0 - p;
    let mut t = q;
    for _ in 0..200 {
        let step = (student.sf(t) - tail) / student.pdf(t);
        t += step;
        if step.abs() <= 1e-14 * t.abs() {
            break;
        }
    }
    t.is_finite().then_some(t)
}

/// P(X ≥ x) of χ² with `df` degrees of freedom; `None` if `df` is not positive.
pub(crate) fn chi_squared_sf(x: f64, df: f64) -> Option<f64> {
    let p = ChiSquared::new(df).ok()?.sf(x);
    p.is_finite().then_some(p.clamp(0.0, 1.0))
}

/// P(X ≥ x) of the F distribution; `None` if a number of degrees of freedom is not positive.
pub(crate) fn f_sf(x: f64, df1: f64, df2: f64) -> Option<f64> {
    let p = FisherSnedecor::new(df1, df2).ok()?.sf(x);
    p.is_finite().then_some(p.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, rel: f64) {
        assert!((a - b).abs() <= rel * b.abs(), "{a} is not {b}");
    }

    // Reference values: scipy 1.17.1, scipy.stats.t.ppf(0.975, df).
    #[test]
    fn student_quantiles_match_scipy() {
        let table = [
            (1.0, 12.706_204_736_174_694),
            (2.0, 4.302_652_729_749_462),
            (3.0, 3.182_446_305_283_708),
            (14.0, 2.144_786_687_917_804),
            (289.0, 1.968_206_435_504_536_3),
            (999.0, 1.962_341_461_133_449_3),
            (1000.0, 1.962_339_080_826_408_3),
            (1001.0, 1.962_336_705_280_879_8),
            (20_000.0, 1.960_082_605_158_134_8),
            (12_000_000.0, 1.959_964_182_229_342_8),
            (3e9, 1.959_963_985_330_811_3),
        ];
        for (df, t) in table {
            close(student_quantile(0.975, df).unwrap(), t, 2e-10);
        }
    }

    #[test]
    fn student_quantile_undoes_the_tail() {
        for df in [1.0, 2.0, 7.0, 60.0, 900.0, 5000.0] {
            for p in [0.5, 0.6, 0.9, 0.975, 0.999, 0.999_999] {
                let t = student_quantile(p, df).unwrap();
                let tail = student_two_sided(t, df).unwrap() / 2.0;
                assert!((tail - (1.0 - p)).abs() < 1e-9 * (1.0 - p) + 1e-12, "df {df} p {p}: {tail}");
            }
        }
    }

    #[test]
    fn outside_their_domain_there_is_nothing() {
        assert_eq!(student_quantile(1.0, 5.0), None);
        assert_eq!(student_quantile(0.2, 5.0), None);
        assert_eq!(student_quantile(0.975, 0.0), None);
        assert_eq!(student_two_sided(1.0, 0.0), None);
        assert_eq!(normal_quantile(0.0), None);
        assert_eq!(normal_two_sided(f64::NAN), None);
        assert_eq!(chi_squared_sf(1.0, 0.0), None);
        assert_eq!(f_sf(1.0, 0.0, 3.0), None);
    }

    // Reference values: scipy 1.17.1, scipy.stats.norm.logcdf.
    #[test]
    fn log_of_the_normal_distribution_function() {
        let table = [
            (3.0, -0.001_350_809_964_748_192_5),
            (0.0, -std::f64::consts::LN_2),
            (-1.5, -2.705_944_400_823_889_8),
            (-19.99, -203.716_707_717_208_44),
            (-20.01, -204.117_702_778_659_95),
            (-40.0, -804.608_442_013_753_9),
            (-300.0, -45_006.622_732_118_66),
        ];
        for (x, ln) in table {
            close(ln_normal_cdf(x), ln, 2e-9);
        }
    }
}
