//! The header, the same in all three kinds of file.

use super::HEADER;

/// The header of a WTHOR file. The unused byte 15 is kept, so that a file is written back unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The file's date: century, year of the century, month, day.
    pub date: [u8; 4],
    /// The number of games.
    pub games: u32,
    /// The number of names.
    pub names: u16,
    /// The year of the games.
    pub year: u16,
    /// The board's side; 0 stands for 8.
    pub board: u8,
    /// 1 for problems instead of games.
    pub problems: u8,
    /// The number of empty squares from which the theoretical score is computed; 0 stands for 22.
    pub depth: u8,
    reserved: u8,
}

impl Header {
    /// A header with this date only. Months and days count from 1.
    #[must_use]
    pub fn dated(year: u16, month: u8, day: u8) -> Self {
        let century = u8::try_from(year / 100).unwrap_or(0);
        let in_century = u8::try_from(year % 100).unwrap_or(0);
        Self { date: [century, in_century, month, day], ..Self::default() }
    }

    pub(crate) fn parse(bytes: &[u8; HEADER]) -> Self {
        let [d0, d1, d2, d3, g0, g1, g2, g3, n0, n1, y0, y1, board, problems, depth, reserved] = *bytes;
        Self {
            date: [d0, d1, d2, d3],
            games: u32::from_le_bytes([g0, g1, g2, g3]),
            names: u16::from_le_bytes([n0, n1]),
            year: u16::from_le_bytes([y0, y1]),
            board,
            problems,
            depth,
            reserved,
        }
    }

    pub(super) fn bytes(self) -> [u8; HEADER] {
        let [d0, d1, d2, d3] = self.date;
        let [g0, g1, g2, g3] = self.games.to_le_bytes();
        let [n0, n1] = self.names.to_le_bytes();
        let [y0, y1] = self.year.to_le_bytes();
        [d0, d1, d2, d3, g0, g1, g2, g3, n0, n1, y0, y1, self.board, self.problems, self.depth, self.reserved]
    }

    /// True if a file of games can begin with it: a valid date, no names, a known board and kind.
    pub(crate) fn is_plausible(&self) -> bool {
        let [century, year, month, day] = self.date;
        (19..=21).contains(&century)
            && year < 100
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && self.names == 0
            && matches!(self.board, 0 | 8 | 10)
            && self.problems <= 1
    }
}
