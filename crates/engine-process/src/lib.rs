//! A process that plays: how it is started, watched, limited and ended.
//!
//! - [`launch`]: how a process is started; [`process`]: its pipes, its exit, and how it is stopped ([`stop`] is the
//!   ladder of signals as a plain list)
//! - [`refusal`]: what the system refused before the program ran, which is no fault of the engine's
//! - [`process_tree`]: all that it started; [`procfs`] reads what the system tells of it; [`subreaper`] keeps it together
//! - [`cpu_meter`] and [`cpu_sampler`]: CPU time in and outside its turns
//! - [`pause_watch`]: stretches in which this process stood still
//! - [`sandbox`]: limits, and what it may touch
//! - [`supervisor`]: two processes of ours that watch each other, so that nothing outlives them
//! - [`background`]: the thread for work that blocks; [`cancel`]: one call that ends all waits; [`affinity`]: cores
//!
//! All of it is for Linux first; other systems lack what they do not tell.

pub mod affinity;
pub mod background;
pub mod cancel;
pub mod cpu_meter;
pub mod cpu_sampler;
pub mod exit_status;
pub mod launch;
pub mod pause_watch;
pub mod process;
pub mod process_tree;
pub mod procfs;
pub mod refusal;
pub mod sandbox;
pub mod stderr_tail;
pub mod stop;
pub mod subreaper;
pub mod supervisor;
