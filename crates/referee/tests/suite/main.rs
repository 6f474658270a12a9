//! The referee as its users meet it: the command line, real processes, real engines.
//!
//! Each module is one promise of the program. `common` builds the engines, so that the tests pass
//! in a fresh clone, and looks for processes that were left behind.

#![cfg(target_os = "linux")]

mod check;
mod clocks;
mod common;
mod definitions;
mod dialects;
mod disk;
mod evidence;
mod faults;
mod floods;
mod folder;
mod formats;
mod handed;
mod historical;
mod interrupts;
mod kills;
mod limits;
mod matches;
mod openings;
mod output;
mod outside;
mod processor;
mod real;
mod refusals;
mod resume;
mod signature;
mod sprt;
mod tournaments;
mod withdrawal;
