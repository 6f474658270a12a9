//! All of a tournament that is decided without playing: what is to be played, in which order, from
//! which openings, and what the finished games say.
//!
//! Everything here is a function of its arguments: no process, no clock, no sleep. The referee does
//! what is decided here; `report` writes it down.
//!
//! ```
//! use std::path::Path;
//! use tournament::definition::Definition;
//! use tournament::schedule::Schedule;
//! use tournament::standings::Tally;
//!
//! let text = "name = 'weekend'\npairs = 10\n[[engine]]\ncommand = 'mcts'\n[[engine]]\ncommand = 'greedy'\n";
//! let definition = Definition::parse(Path::new("weekend.toml"), text)?;
//! let schedule = Schedule::round_robin(definition.engines.len(), definition.pairs);
//! assert_eq!(schedule.games(), 20);
//!
//! // As games end, their records are added; the order makes no difference.
//! let tally = Tally::new();
//! assert!(tally.standings().engines.is_empty());
//! # Ok::<(), tournament::definition::DefinitionError>(())
//! ```
//!
//! # Map
//!
//! | module | job |
//! | --- | --- |
//! | [`definition`] | what is to be played, from a TOML file or the command line; each complaint with file, line and key |
//! | [`known`] | ready-made settings for engines that people know by name |
//! | [`resolved`] | the definition with every default filled in, kept with the results; what a resumed run may change |
//! | [`schedule`] | who plays whom in which game, as a function of the game's index |
//! | [`openings`] | the opening of each round: seeded random play, every position, or a file |
//! | [`seeds`] | seeds for games and openings, all from the tournament's one |
//! | [`withdrawal_tracker`] | which engines are withdrawn because they never got through their handshake, or lost too many games in a row by faults |
//! | [`withdrawals`] | which engines a record shows as withdrawn, and how many of their games were not played |
//! | [`canonical_keys`] | which start positions and which games are the same under the board's symmetries |
//! | [`repeated_games`] | whether engines play the games of an earlier pair again |
//! | [`sprt`] | a sequential test of one encounter, over the gap-free prefix of its pairs |
//! | [`merge`] | games of several files, ours or other people's, to be rated together |
//! | [`standings`] | from finished games to ratings, pairings and everything else the reports show |

pub mod canonical_keys;
pub mod definition;
pub mod known;
pub mod merge;
pub mod openings;
pub mod repeated_games;
pub mod resolved;
pub mod schedule;
pub mod seeds;
pub mod sprt;
pub mod standings;
pub mod withdrawal_tracker;
pub mod withdrawals;
