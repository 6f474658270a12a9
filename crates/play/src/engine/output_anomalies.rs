//! Odd output that costs an engine nothing: counted, and reported as a warning.

/// How much an engine may write in answer to one question before the rest is passed over: lines...
pub(super) const MOST_LINES: u64 = 100_000;

/// ...and bytes: 64 MiB. Only an answer is still heard beyond that.
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// So much standard error in one game is a flood: 16 MiB.
const FLOOD_OF_ERRORS: u64 = 16 << 20;

/// Counts since the process was started. Every number only grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputAnomalies {
    /// Lines that answered nothing although they might have: a second answer, one to an older
    /// question, or what was written before it was asked.
    pub surplus: u64,
    /// Lines that were longer than 64 KiB and skipped.
    pub long_lines: u64,
    /// Lines with bytes that are not UTF-8, which were left out.
    pub not_utf8: u64,
    /// Lines with NUL characters.
    pub nul: u64,
    /// Lines with escape characters, as in colours for a terminal.
    pub escapes: u64,
    /// Questions to which it wrote more than 100,000 lines or 64 MiB.
    pub floods: u64,
    /// Bytes written to standard error.
    pub errors: u64,
}

impl OutputAnomalies {
    /// The counts that grew since an earlier moment, as texts that follow the engine's name.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Vec<&'static str> {
        let grew = |of: fn(&Self) -> u64, by: u64| of(self).saturating_sub(of(earlier)) >= by;
        let told: [(bool, &'static str); 7] = [
            (
                grew(|it| it.surplus, 1),
                "wrote lines that nobody waited for, such as a second answer; they were dropped",
            ),
            (grew(|it| it.long_lines, 1), "wrote lines longer than 64 KiB; they were skipped"),
            (grew(|it| it.not_utf8, 1), "wrote bytes that are not UTF-8; they were left out"),
            (grew(|it| it.nul, 1), "wrote NUL characters"),
            (grew(|it| it.escapes, 1), "wrote escape characters, as in colours for a terminal"),
            (
                grew(|it| it.floods, 1),
                "wrote more than 100,000 lines or 64 MiB in one move; the rest was passed over",
            ),
            (
                grew(|it| it.errors, FLOOD_OF_ERRORS),
                "wrote more than 16 MiB to standard error in one game; only its end is kept",
            ),
        ];
        told.into_iter().filter_map(|(is_so, words)| is_so.then_some(words)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_new_is_told() {
        let earlier = OutputAnomalies { surplus: 3, errors: FLOOD_OF_ERRORS, ..OutputAnomalies::default() };
        assert!(earlier.since(&earlier).is_empty());
        let later = OutputAnomalies { surplus: 4, nul: 1, errors: FLOOD_OF_ERRORS + 5, ..earlier };
        let told = later.since(&earlier);
        assert_eq!(told.len(), 2);
        assert!(told[0].contains("second answer") && told[1].contains("NUL"));
        assert_eq!(later.since(&OutputAnomalies::default()).len(), 3);
    }
}
