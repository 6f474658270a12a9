//! The machine: cores, clocks, open files, signals.

pub mod clock_check;
pub mod fd_limit;
pub mod signals;
pub mod slots;
