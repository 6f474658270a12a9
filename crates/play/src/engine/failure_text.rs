//! Why an engine did not answer, as text for the record.

use protocol::framing::quote;

use super::Engine;
use super::output_anomalies::{MOST_BYTES, MOST_LINES};

impl Engine {
    /// The output of an engine that does not answer: too much, a line without an end, or lines that mean nothing in its
    /// protocol.
    pub(super) fn what_is_pending(&self) -> String {
        let lines_read = &self.connection.lines;
        let unfinished = lines_read.partial_line().trim_ascii();
        let written = self.written();
        let (lines, bytes) =
            (written.lines - self.search.before.lines, written.bytes - self.search.before.bytes);
        let (mib, size) = (bytes >> 20, size(bytes));
        let mut pending = if lines_read.is_skipping() {
            format!("; in a line without an end, longer than 64 KiB ({size} were written)")
        } else if lines > MOST_LINES {
            format!("; it floods: more than {MOST_LINES} lines ({lines} lines, {mib} MiB)")
        } else if bytes > MOST_BYTES {
            format!("; it floods: more than {} MiB ({lines} lines, {mib} MiB)", MOST_BYTES >> 20)
        } else if !unfinished.is_empty() {
            format!("; an unfinished line is waiting: {}", quote(&String::from_utf8_lossy(unfinished)))
        } else if let Some(last) = self.search.ignored_lines.iter().rev().find(|line| !line.trim().is_empty())
        {
            format!("; its last words: {}", quote(last))
        } else if lines == 0 {
            "; it wrote nothing".to_owned()
        } else {
            String::new()
        };
        if written.skipped > self.search.before.skipped {
            pending += "; a line longer than 64 KiB was left out";
        }
        let errors = (written.errors - self.search.before.errors) >> 20;
        if errors > 0 {
            pending += &format!("; meanwhile it wrote {errors} MiB to standard error");
        }
        pending
    }

    /// How its process ended, or did not, with the last lines of its standard error.
    pub(super) async fn how_it_ended(&mut self, when: &str) -> String {
        let process = &mut self.connection.process;
        let end = match process.exit_status_soon().await {
            Some(status) => {
                let limits = process.confinement().explain_exit(status);
                format!("{status}{limits}, {when}")
            }
            None => format!("closed its output, but is still running, {when}"),
        };
        process.read_last_stderr().await;
        let errors = last_lines(&process.stderr.text(), 3);
        if errors.is_empty() { end } else { format!("{end}; standard error: {errors}") }
    }
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) }
}

/// Names characters of a line that do not show on a screen.
pub(super) fn unprintable_characters(line: &str) -> &'static str {
    match (line.contains('\0'), line.contains('\u{1b}')) {
        (true, true) => "; it holds NUL and escape characters",
        (true, false) => "; it holds NUL characters",
        (false, true) => "; it holds escape characters, as in colours for a terminal",
        (false, false) => "",
    }
}

/// The last lines of a text, at most so many, fit to show: joined by ` | `, control characters out.
fn last_lines(bytes: &[u8], lines: usize) -> String {
    const LONGEST: usize = 300;
    let text = String::from_utf8_lossy(bytes);
    let printable = |line: &str| -> String {
        let kept = line.chars().filter(|c| !c.is_control() && *c != char::REPLACEMENT_CHARACTER);
        let text: String = kept.skip_while(|c| c.is_whitespace()).take(LONGEST).collect();
        text.trim_end().to_owned()
    };
    let all: Vec<String> = text.lines().map(printable).filter(|line| !line.is_empty()).collect();
    all[all.len().saturating_sub(lines)..].join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_standard_error_is_printable() {
        let bytes = b"first\n\x1b[31mred\x07\0 \xff\n\n  last  \n";
        assert_eq!(last_lines(bytes, 2), "[31mred | last");
        assert_eq!(last_lines(b"", 3), "");
    }
}
