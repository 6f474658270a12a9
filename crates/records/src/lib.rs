//! The record of a game and the file it is kept in.
//!
//! - [`game`]: [`GameRecord`], one finished game; written as JSON and read back
//! - [`verdict`]: how a game ended, who won it and by how many discs
//! - [`log`]: `games.jsonl`. Finished games are appended to it; every report is derived from it
//! - [`dropped`]: `dropped.jsonl`, the games that were dropped and are played again
//! - [`results`]: tables of results (CSV) of any program
//! - [`formats`]: the file formats of other Othello programs, read and written
//!
//! ```
//! let line = r#"{"format":1,"game":0,"pair":0,"round":0,"opening":["f5"],"start":"startpos",
//!   "variant":"othello","board":8,"empties":"winner","black":"a","white":"b","seed":7,
//!   "moves":[{"move":"d6","ms":0.5}],"result":"black","discs":[3,3],"score":[64,0],
//!   "termination":"timeout","offender":"white","detail":"700ms over the time limit",
//!   "started":"2026-11-29T21:00:00Z","seconds":1.9}"#;
//! let record = records::GameRecord::parse(line)?;
//! let positions = record.replay()?;
//! assert_eq!(positions.last.disc_counts(), record.discs);
//! assert_eq!(record.disc_difference(rules::Color::Black), 64);
//! # Ok::<(), records::RecordError>(())
//! ```

mod csv_rows;
pub mod dropped;
mod fast_json;
pub mod formats;
pub mod game;
pub mod log;
pub mod results;
mod serde_text;
pub mod verdict;

pub use dropped::{DropReason, DroppedGame};
pub use game::{AT_START, GamePositions, GameRecord, MoveRecord, RecordError, Start};
pub use log::{GameLog, GameReader, LogError, LogLock, RepeatedGames, read_games, repeats_warning};
pub use verdict::{FaultPhase, Outcome, Termination, Verdict};
