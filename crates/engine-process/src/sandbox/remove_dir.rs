//! Removes a folder that a stranger has filled: with a tree of any depth and width, with names of any kind, with
//! directories that nobody may read.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, chmod, fchmod, fstat, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::path::Arg;

/// How often a directory is gone through again in which something was left or added.
const ROUNDS: u32 = 100;

/// Removes a folder and all that is in it. No link is followed, nothing recurses, and never more than five
/// descriptors are open: whatever lies deeper than in a directory of the folder is moved up there first.
///
/// # Errors
/// Why the folder is still there; what could be removed is gone all the same.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    let mut removal = Removal { top: open_directory(CWD, folder)?, moved: Vec::new(), names: 0, steps: 0 };
    for _ in 0..ROUNDS {
        let before = removal.steps;
        removal.clear_top()?;
        match unlinkat(CWD, folder, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST) if removal.steps > before => {}
            ended => return Ok(ended?),
        }
    }
    Err(Errno::NOTEMPTY.into())
}

struct Removal {
    top: OwnedFd,
    /// The numbers of the directories that were moved up and wait there.
    moved: Vec<u64>,
    /// How many numbers were used up.
    names: u64,
    /// How much was removed or moved.
    steps: u64,
}

impl Removal {
    fn clear_top(&mut self) -> Result<(), Errno> {
        let listing = open_directory(self.top.as_fd(), c".")?;
        // What can't be removed is left, and shows when the folder is to go.
        for_each(listing, |_, name| {
            let _ = self.remove_from_top(name);
            while let Some(number) = self.moved.pop() {
                let _ = self.remove_from_top(&name_of(number));
            }
        })
    }

    fn remove_from_top(&mut self, name: &CStr) -> Result<(), Errno> {
        for _ in 0..ROUNDS {
            let before = self.steps;
            match remove_one(self.top.as_fd(), name) {
                Err(Errno::NOTEMPTY | Errno::EXIST) => {}
                ended => {
                    self.steps += u64::from(ended.is_ok());
                    return ended;
                }
            }
            let directory = open_directory(self.top.as_fd(), name)?;
            for_each(directory, |directory, name| {
                self.steps += u64::from(self.lift(directory, name).is_ok());
            })?;
            if self.steps == before {
                break;
            }
        }
        Err(Errno::NOTEMPTY)
    }

    /// Takes one thing out of a directory: removes it, or moves it up if it is a directory that holds something.
    fn lift(&mut self, directory: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
        match remove_one(directory, name) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            ended => return ended,
        }
        // Only a directory that may be written can be moved: opening it sees to that.
        open_directory(directory, name)?;
        loop {
            let number = self.names;
            self.names += 1;
            match renameat(directory, name, &self.top, name_of(number)) {
                // There is such a name.
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                ended => {
                    ended?;
                    self.moved.push(number);
                    return Ok(());
                }
            }
        }
    }
}

fn name_of(number: u64) -> CString {
    CString::new(format!("outflank-{number}")).expect("digits and letters")
}

/// Removes a file, or a directory if it is empty.
fn remove_one(directory: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
    match unlinkat(directory, name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => unlinkat(directory, name, AtFlags::REMOVEDIR),
        ended => ended,
    }
}

/// Opens a directory so that it can be read and changed. Its mode may have to be changed for that.
fn open_directory(from: BorrowedFd<'_>, name: impl Arg + Copy) -> Result<OwnedFd, Errno> {
    const FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
    let open = |flags| openat(from, name, FLAGS | flags, Mode::empty());
    let directory = match open(OFlags::RDONLY) {
        Err(Errno::ACCESS) => {
            // By way of a handle, so that it is no link's target whose mode is changed.
            let handle = open(OFlags::PATH)?;
            chmod(format!("/proc/self/fd/{}", handle.as_raw_fd()), Mode::RWXU)?;
            open(OFlags::RDONLY)
        }
        opened => opened,
    }?;
    if !Mode::from_raw_mode(fstat(&directory)?.st_mode).contains(Mode::RWXU) {
        fchmod(&directory, Mode::RWXU)?;
    }
    Ok(directory)
}

fn for_each(directory: OwnedFd, mut act: impl FnMut(BorrowedFd<'_>, &CStr)) -> Result<(), Errno> {
    let mut directory = Dir::new(directory)?;
    while let Some(entry) = directory.read() {
        let entry = entry?;
        if ![c".", c".."].contains(&entry.file_name()) {
            act(directory.fd()?, entry.file_name());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::mkdirat;
    use std::ffi::OsStr;
    use std::fs::{self, Permissions};
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::PathBuf;

    /// A place, and a folder in it to be removed.
    fn folder() -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().expect("a place");
        let folder = place.path().join("folder");
        fs::create_dir(&folder).expect("a folder");
        (place, folder)
    }

    #[test]
    fn a_tree_of_any_depth_goes() {
        const DEPTH: u32 = 12_000;
        let (_place, folder) = folder();
        let mut at = open_directory(CWD, &*folder).expect("open");
        for level in 0..DEPTH {
            mkdirat(&at, "d", Mode::RWXU).expect("a directory");
            if level % 100 == 0 {
                mkdirat(&at, "empty", Mode::RWXU).expect("a directory");
                let file = OFlags::CREATE | OFlags::WRONLY;
                openat(&at, "file", file, Mode::RUSR).expect("a file");
            }
            at = open_directory(at.as_fd(), c"d").expect("open");
        }
        // Of a thread with little stack.
        let small = std::thread::Builder::new().stack_size(64 << 10);
        let removed = small.spawn(move || (remove(&folder).is_ok(), folder.exists())).expect("a thread");
        assert_eq!(removed.join().expect("its end"), (true, false));
    }

    #[test]
    fn a_tree_of_many_directories_goes() {
        let (_place, folder) = folder();
        for (one, two) in (0..30).flat_map(|one| (0..30).map(move |two| (one, two))) {
            let leaf = folder.join(format!("{one}/{two}/leaf"));
            fs::create_dir_all(&leaf).expect("directories");
            fs::write(leaf.join("file"), "x").expect("a file");
        }
        remove(&folder).expect("removed");
        assert!(!folder.exists());
    }

    #[test]
    fn no_link_is_followed() {
        let (place, folder) = folder();
        let outside = place.path().join("outside");
        fs::create_dir(&outside).expect("a directory");
        fs::write(outside.join("file"), "x").expect("a file");
        fs::set_permissions(&outside, Permissions::from_mode(0o500)).expect("its mode");
        fs::create_dir(folder.join("inner")).expect("a directory");
        for link in ["link", "inner/link", "outflank-0"] {
            symlink(&outside, folder.join(link)).expect("a link");
        }
        remove(&folder).expect("removed");
        assert!(!folder.exists() && outside.join("file").exists());
        assert_eq!(fs::metadata(&outside).expect("there").permissions().mode() & 0o777, 0o500);
        let link = place.path().join("link");
        symlink(&outside, &link).expect("a link");
        assert!(remove(&link).is_err() && outside.join("file").exists());
        fs::set_permissions(&outside, Permissions::from_mode(0o700)).expect("its mode");
    }

    #[test]
    fn names_of_any_kind_go_ours_too() {
        let (_place, folder) = folder();
        for name in [&b"a\nb"[..], b"\xff\xfe", b"-rf", b" ", b"outflank-0", b"outflank-1"] {
            let inner = folder.join(OsStr::from_bytes(name)).join("x").join(OsStr::from_bytes(name));
            fs::create_dir_all(&inner).expect("directories");
            fs::write(inner.join("outflank-2"), "x").expect("a file");
        }
        fs::write(folder.join("outflank-3"), "x").expect("a file");
        fs::create_dir(folder.join("outflank-4")).expect("a directory");
        remove(&folder).expect("removed");
        assert!(!folder.exists());
    }

    /// Means something to others than root, whom no mode stops.
    #[test]
    fn directories_that_may_not_be_read_or_written_go() {
        let (_place, folder) = folder();
        for mode in [0o000, 0o100, 0o200, 0o300, 0o400, 0o500, 0o600] {
            for place in ["", "deep", "deep/deeper"] {
                let directory = folder.join(place).join(format!("{mode:o}"));
                fs::create_dir_all(directory.join("inner/most")).expect("directories");
                fs::write(directory.join("file"), "x").expect("a file");
                for closed in [directory.join("inner"), directory] {
                    fs::set_permissions(closed, Permissions::from_mode(mode)).expect("its mode");
                }
            }
        }
        remove(&folder).expect("removed");
        assert!(!folder.exists());
    }
}
