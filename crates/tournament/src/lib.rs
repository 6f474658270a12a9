//! The parts of a tournament that need no engine to run: definition, schedule, openings, withdrawals, sequential
//! tests, standings.
//!
//! Everything here is a function of its arguments: no process, no clock, no sleep. `referee` plays the games;
//! `report` writes the standings.
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
//! // The records of finished games are added in any order.
//! let tally = Tally::new();
//! assert!(tally.standings().engines.is_empty());
//! # Ok::<(), tournament::definition::DefinitionError>(())
//! ```
//!
//! # Map
//!
//! | module | job |
//! | --- | --- |
//! | [`definition`] | the definition, from a TOML file or the command line; each error with file, line and key |
//! | [`known`] | ready-made settings for engines of other people |
//! | [`resolved`] | the definition with every default, kept with the results; what a resumed run may change |
//! | [`schedule`] | who plays whom in which game, as a function of the game's index |
//! | [`openings`] | the opening of each round: seeded random play, every position, or a file |
//! | [`seeds`] | seeds for games and openings, all from the tournament's one |
//! | [`withdrawal_tracker`] | which engines are withdrawn after failed starts or faults |
//! | [`withdrawals`] | which engines a record shows as withdrawn, and how many of their games were not played |
//! | [`canonical_keys`] | keys of positions and games that are the same up to symmetry |
//! | [`repeated_games`] | finding game pairs that repeat earlier ones |
//! | [`sprt`] | a sequential test of one encounter, over the gap-free prefix of its pairs |
//! | [`merge`] | games of several files, to be rated together |
//! | [`standings`] | from finished games to ratings, pairings and all other numbers of the reports |

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
