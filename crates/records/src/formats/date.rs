//! Dates. All formats write year, month and day in this order, each in its own way.

/// A date of which month and day can be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Day {
    pub(super) year: u16,
    pub(super) month: Option<u8>,
    pub(super) day: Option<u8>,
}

impl Day {
    /// Reads the beginning of a text, such as `2026-11-29T21:00:00Z`, `2003.12.15_12:33:18.MST`, `2026.??.??`, `1977`.
    pub(super) fn parse_start(text: &str) -> Option<Self> {
        let mut parts =
            text.trim().split(|character: char| !character.is_ascii_alphanumeric() && character != '?');
        let year = parts.next().filter(|year| year.len() == 4)?.parse().ok()?;
        let mut part = |most: u8| {
            let part = parts.next()?;
            // The day may be followed by a `T` and the time.
            let digits = part.find(|character: char| !character.is_ascii_digit()).unwrap_or(part.len());
            part[..digits].parse().ok().filter(|number| (1..=most).contains(number) && digits == 2)
        };
        let month = part(12);
        let day = month.and_then(|_| part(31));
        Some(Self { year, month, day })
    }

    /// The known parts, joined by hyphens: `2026-11-29`, `2026-11`, `2026`.
    pub(super) fn iso(self) -> String {
        let part = |part: Option<u8>| part.map(|number| format!("-{number:02}")).unwrap_or_default();
        format!("{:04}{}{}", self.year, part(self.month), part(self.day))
    }

    /// All three parts, joined by full stops, unknown ones as question marks: `2026.11.??`.
    pub(super) fn dotted(self) -> String {
        let part = |part: Option<u8>| part.map_or("??".to_owned(), |number| format!("{number:02}"));
        format!("{:04}.{}.{}", self.year, part(self.month), part(self.day))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_found_in_every_habit() {
        for (text, iso, dotted) in [
            ("2026-11-29T21:00:00Z", "2026-11-29", "2026.11.29"),
            ("2003.12.15_12:33:18.MST", "2003-12-15", "2003.12.15"),
            ("2014-02-21 20:52:27 GMT", "2014-02-21", "2014.02.21"),
            ("2026.??.??", "2026", "2026.??.??"),
            ("2026-11", "2026-11", "2026.11.??"),
            ("1977", "1977", "1977.??.??"),
            ("2026-13-01", "2026", "2026.??.??"),
        ] {
            let day = Day::parse_start(text).expect(text);
            assert_eq!((day.iso().as_str(), day.dotted().as_str()), (iso, dotted), "{text}");
        }
        for text in ["", "0.0.0", "yesterday", "29.11.2026", "????.??.??"] {
            assert_eq!(Day::parse_start(text), None, "{text}");
        }
    }
}
