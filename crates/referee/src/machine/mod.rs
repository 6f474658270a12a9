//! The machine: cores, clocks, open files, room for processes and files, signals.

pub mod clock_check;
pub mod fd_limit;
pub mod room;
pub mod signals;
pub mod slots;
