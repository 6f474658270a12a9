//! What the referee has to know of the machine that it runs on: cores, clocks, open files, signals.

pub mod clock_check;
pub mod fd_limit;
pub mod signals;
pub mod slots;
