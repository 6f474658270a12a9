//! Bytes from the referee, and a check if any have arrived.

use std::io;

/// The source of commands. Unlike `Read` it can tell if a read would block, so that a search can check
/// for `stop` without waiting.
pub trait Input {
    /// Waits for bytes and reads them into `room`. Returns their number, 0 at the end of the input.
    ///
    /// # Errors
    /// Any error of the source; the session takes it as the end of the input.
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize>;

    /// True if `read` would return at once, with bytes or with the end of the input.
    fn ready(&mut self) -> bool;
}

/// The whole input in memory, for tests.
impl Input for &[u8] {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        io::Read::read(self, room)
    }

    fn ready(&mut self) -> bool {
        true
    }
}

#[cfg(unix)]
pub(crate) use polled::standard_input;
#[cfg(not(unix))]
pub(crate) use threaded::standard_input;

/// Standard input with `poll`. The thread of the engine reads it itself, so no second thread has to wake
/// up first.
#[cfg(unix)]
mod polled {
    use std::fs::File;
    use std::io::{self, Read};
    use std::os::fd::AsFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::Input;

    pub(crate) fn standard_input() -> io::Result<impl Input> {
        Ok(Polled(File::from(io::stdin().as_fd().try_clone_to_owned()?)))
    }

    struct Polled(File);

    impl Input for Polled {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            loop {
                match self.0.read(room) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    result => return result,
                }
            }
        }

        fn ready(&mut self) -> bool {
            let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
            let mut entry = [PollFd::new(&self.0, PollFlags::IN)];
            // A hang-up counts as ready: `read` then returns the end of the input.
            matches!(poll(&mut entry, Some(&at_once)), Ok(ready) if ready > 0)
        }
    }
}

/// Standard input on systems without `poll`: a thread reads it and passes chunks on.
#[cfg(any(not(unix), test))]
mod threaded {
    use std::io::{self, Read};
    use std::sync::mpsc::{Receiver, sync_channel};
    use std::thread;

    use super::Input;

    #[cfg(not(unix))]
    pub(crate) fn standard_input() -> io::Result<impl Input> {
        Ok(Threaded::new(io::stdin()))
    }

    pub(super) struct Threaded {
        chunks: Receiver<Vec<u8>>,
        chunk: Vec<u8>,
        consumed: usize,
        ended: bool,
    }

    impl Threaded {
        pub(super) fn new(mut source: impl Read + Send + 'static) -> Self {
            let (sender, chunks) = sync_channel(16);
            thread::spawn(move || {
                let mut room = vec![0; 4096];
                while let Ok(count @ 1..) = source.read(&mut room) {
                    if sender.send(room[..count].to_vec()).is_err() {
                        return;
                    }
                }
            });
            Self { chunks, chunk: Vec::new(), consumed: 0, ended: false }
        }

        fn take(&mut self, chunk: Option<Vec<u8>>) {
            self.ended |= chunk.is_none();
            self.chunk = chunk.unwrap_or_default();
            self.consumed = 0;
        }
    }

    impl Input for Threaded {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            if self.consumed == self.chunk.len() && !self.ended {
                let chunk = self.chunks.recv().ok();
                self.take(chunk);
            }
            let count = room.len().min(self.chunk.len() - self.consumed);
            room[..count].copy_from_slice(&self.chunk[self.consumed..][..count]);
            self.consumed += count;
            Ok(count)
        }

        fn ready(&mut self) -> bool {
            use std::sync::mpsc::TryRecvError;
            if self.consumed < self.chunk.len() || self.ended {
                return true;
            }
            match self.chunks.try_recv() {
                Ok(chunk) => self.take(Some(chunk)),
                Err(TryRecvError::Disconnected) => self.take(None),
                Err(TryRecvError::Empty) => return false,
            }
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::threaded::Threaded;
    use super::*;

    #[test]
    fn a_thread_hands_over_every_byte_and_the_end() {
        let text = "ugi\n".repeat(5000);
        let mut input = Threaded::new(io::Cursor::new(text.clone()));
        let (mut got, mut room) = (Vec::new(), [0; 1000]);
        loop {
            let ready = input.ready();
            match input.read(&mut room).unwrap() {
                0 => break,
                count => got.extend_from_slice(&room[..count]),
            }
            let _ = ready;
        }
        assert!(input.ready(), "the end has come and stays");
        assert_eq!(got, text.as_bytes());
    }
}
