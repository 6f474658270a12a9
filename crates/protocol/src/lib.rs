//! What engines and referee say to each other, as plain values and text. No process, no clock.
//!
//! - [`framing`]: bytes from a pipe into bounded lines
//! - [`message`]: what is asked and answered in any protocol
//! - [`option`]: what an engine declares that can be set, and whether a value fits
//! - [`probe`]: what `check` says to an engine that no game says
//! - [`dialect`]: the referee's side of each protocol, one file a dialect
//! - [`ugi`]: the grammar of UGI, both ways, for the referee and for engines
//!
//! A dialect turns a [`message::Request`] into text and lines of text into [`message::Response`]:
//!
//! ```
//! use protocol::dialect::{ProtocolId, ClockStyle};
//! use protocol::message::{Response, Request};
//!
//! let kind: ProtocolId = "ugi".parse()?;
//! let (mut ugi, mut out) = (kind.new_dialect(ClockStyle::Protocol), Vec::new());
//! ugi.write_request(&Request::Handshake, &mut out);
//! assert_eq!(out, b"ugi\n");
//! assert_eq!(ugi.parse_line("id name Example 1.0", &mut out), Response::Ignored);
//! assert_eq!(ugi.parse_line("ugiok", &mut out), Response::Done);
//! assert_eq!(ugi.identity().name.as_deref(), Some("Example 1.0"));
//! # Ok::<(), String>(())
//! ```

#![warn(missing_docs)]

pub mod dialect;
pub mod framing;
pub mod message;
pub mod option;
pub mod probe;
pub mod ugi;
