//! Numbers from counts of results.
//!
//! ```
//! use ratings::{Pentanomial, head_to_head};
//!
//! // 290 game pairs by pair score 0, ½, 1, 3/2, 2.
//! let pairs = Pentanomial::from([34, 54, 63, 64, 75]);
//! let h = head_to_head(&pairs.into());
//! assert_eq!(format!("{:+.1}", h.elo.unwrap()), "+55.6");
//! assert!(h.p_equal.unwrap() < 0.001);
//! ```
//!
//! | question | function |
//! |---|---|
//! | how do two engines compare? | [`head_to_head`], [`normalized_elo`] |
//! | how does a pool compare? | [`Pool::rate`], [`Ratings`] |
//! | how big are the wins? | [`discs()`] |
//! | which of many differences are more than chance? | [`holm()`] |
//! | is a change an improvement? stop as soon as the games show it | [`Sprt`], [`SprtRun`] |
//! | how many pairs will it take? | [`pairs_needed`], [`pairs_for_width`], [`Sprt::expected`] |
//! | does one number per engine fit? | [`fit()`], [`Intransitivity`] |
//! | may I stop at any time? | [`conf_sequence`] |
//! | does playing each opening with both colours pay? | [`pair_var_ratio`] |
//!
//! Everything is a plain function of counts: no files, no clock, no random numbers.
//! Sums run in a fixed order, so no result depends on the order in which games finished. **A number that
//! does not exist is `None`**, never NaN, never infinite; each item says when that is.
//!
//! Points are win 1, draw ½, loss 0, counted as integer half-points. The unit of evidence is the
//! [`Cluster`]: all games of two engines from one start position, normally a game pair. Intervals are 95 %.

#![warn(missing_docs)]

mod confseq;
mod counts;
mod discs;
mod distributions;
mod elo;
mod finite;
mod goodness_of_fit;
mod head_to_head;
mod holm;
mod pool;
mod sample_size;
mod sign_flip;
mod sprt;

pub use confseq::{ConfidenceSequence, conf_sequence, conf_sequence_widening};
pub use counts::{Cluster, ClusterCounts, Counts, Pentanomial, Trinomial};
pub use discs::{Discs, discs};
pub use distributions::Z95;
pub use elo::{ELO_PER_NAT, NELO_UNIT, elo_from_score, score_from_elo};
pub use goodness_of_fit::{Fit, Intransitivity, fit, intransitivity};
pub use head_to_head::{Estimate, HeadToHead, head_to_head, normalized_elo, pair_var_ratio};
pub use holm::{holm, holm_among};
pub use pool::{ColourTally, Difference, EngineRating, Model, Pool, PoolError, Prior, Ratings, Settings};
pub use sample_size::{pair_var_default, pairs_for_width, pairs_needed};
pub use sprt::{EloModel, Sprt, SprtError, SprtEstimate, SprtExpected, SprtRun, SprtState};
