//! The protocols that engines and referee speak (UGI, UCI, GTP, NBoard, Cassio's and one for teaching), as plain
//! values and text. No code here starts a process, reads a pipe or a clock.
//!
//! - [`message`]: requests to an engine and its responses, in no particular protocol
//! - [`dialect`]: the referee's side of each protocol, one file for each
//! - [`option`]: options that an engine declares, and their values
//! - [`probe`]: what `check` sends to an engine besides games
//! - [`framing`]: bytes from a pipe into lines of bounded length
//! - [`ugi`]: the grammar of UGI, for the referee and for engines
//!
//! A dialect writes a [`message::Request`] as text and reads each line of the engine as a [`message::Response`]:
//!
//! ```
//! use protocol::dialect::{ClockStyle, ProtocolId};
//! use protocol::message::{Request, Response};
//!
//! let protocol: ProtocolId = "ugi".parse()?;
//! let (mut ugi, mut out) = (protocol.new_dialect(ClockStyle::Protocol), Vec::new());
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
