//! How text is written to an engine.

use std::io;
use std::time::Duration;

use tokio::net::unix::pipe;

/// How text is written to an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteMode {
    /// Each question in one piece, its lines ended by LF.
    #[default]
    Whole,
    /// The same, its lines ended by CR LF.
    CarriageReturns,
    /// A few bytes at a time, with pauses.
    Pieces,
}

impl WriteMode {
    /// Writes all of it, for as long as the engine reads.
    pub(super) async fn write(self, input: &pipe::Sender, text: &[u8]) {
        /// So many bytes at a time, with at least so much time before each, so that each is read by itself.
        const PIECE: usize = 7;
        const PAUSE: Duration = Duration::from_millis(1);
        match self {
            Self::Whole => write_all(input, text).await,
            Self::CarriageReturns => {
                let mut longer = Vec::with_capacity(text.len() + 8);
                for line in text.split_inclusive(|&byte| byte == b'\n') {
                    longer.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
                    longer.extend_from_slice(if line.ends_with(b"\n") { b"\r\n" } else { b"" });
                }
                write_all(input, &longer).await;
            }
            Self::Pieces => {
                for piece in text.chunks(PIECE) {
                    tokio::time::sleep(PAUSE).await;
                    write_all(input, piece).await;
                }
            }
        }
    }
}

/// Writes until all is written, or the engine has closed its input.
async fn write_all(input: &pipe::Sender, text: &[u8]) {
    let mut rest = text;
    while !rest.is_empty() {
        match input.try_write(rest) {
            Ok(written) => rest = &rest[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if input.writable().await.is_err() {
                    return;
                }
            }
            Err(_) => return,
        }
    }
}
