//! A position, and the step from one position to the next.

use std::error::Error;
use std::fmt;

use crate::{
    Bitboard, Board, BoardSize, ByColor, Color, FinalScore, ForcedPass, IllegalPly, IllegalReason, Move,
    Moves, Ply, Square, Turn, Variant,
};

/// Discs, side to move and size of the board: all that the rules need. It is a small `Copy` value.
///
/// ```
/// use rules::{BoardSize, Position};
/// let start = Position::start(BoardSize::Eight);
/// assert_eq!(start.moves().len(), 4);
/// let next = start.play("f5".parse()?)?;
/// assert_eq!(next.to_string(), "---------------------------OX------XXX-------------------------- O");
/// let error = next.play("a1".parse()?).unwrap_err();
/// assert_eq!(error.to_string(), "a1 outflanks nothing");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    board: Board, // disjoint, within the size
    side: Color,
    size: BoardSize,
}

impl Position {
    /// The start position: white on the centre squares of the diagonal from the upper left (`d4`
    /// and `e5` on 8x8), black on the other two (`e4`, `d5`), black to move.
    pub fn start(size: BoardSize) -> Position {
        let [upper_left, upper_right, lower_left, lower_right] = size.centre();
        let board = Board {
            own: upper_right.bit() | lower_left.bit(),
            opponent: upper_left.bit() | lower_right.bit(),
        };
        Position { board, side: Color::Black, size }
    }

    /// The parallel start: white on the two upper centre squares (`d4`, `e4` on 8x8), black on
    /// the two lower ones (`d5`, `e5`), black to move.
    pub fn parallel(size: BoardSize) -> Position {
        let [upper_left, upper_right, lower_left, lower_right] = size.centre();
        let board = Board {
            own: lower_left.bit() | lower_right.bit(),
            opponent: upper_left.bit() | upper_right.bit(),
        };
        Position { board, side: Color::Black, size }
    }

    /// The start of the historical game: an empty board, black to move. The first four moves fill the
    /// centre; see [`Position::is_placing`].
    pub fn empty_board(size: BoardSize) -> Position {
        Position { board: Board::default(), side: Color::Black, size }
    }

    /// Any position, also one that no game can reach.
    ///
    /// # Errors
    /// [`DiscsError`] if two discs are on one square or a disc is outside the board.
    pub fn from_discs(
        size: BoardSize,
        black: Bitboard,
        white: Bitboard,
        to_move: Color,
    ) -> Result<Position, DiscsError> {
        if let Some(square) = (black & white).first() {
            return Err(DiscsError::Both(square));
        }
        if let Some(square) = ((black | white) - size.mask()).first() {
            return Err(DiscsError::OutsideBoard(square));
        }
        Ok(Position::from_disjoint(size, ByColor::new(black, white), to_move))
    }

    /// Like [`Position::from_discs`], for discs known to be disjoint and on the board.
    #[inline]
    pub(crate) fn from_disjoint(size: BoardSize, discs: ByColor<Bitboard>, side: Color) -> Position {
        let board = Board { own: discs[side], opponent: discs[side.opposite()] };
        Position { board, side, size }
    }

    /// The size of the board.
    #[inline]
    pub fn size(self) -> BoardSize {
        self.size
    }

    /// The side whose turn it is, even if it must pass. In a finished game it is the side whose turn it
    /// would be.
    #[inline]
    pub fn side_to_move(self) -> Color {
        self.side
    }

    /// The discs as the side to move sees them.
    #[inline]
    pub fn board(self) -> Board {
        self.board
    }

    /// The discs of each side.
    #[inline]
    pub fn discs(self) -> ByColor<Bitboard> {
        let Board { own, opponent } = self.board;
        match self.side {
            Color::Black => ByColor::new(own, opponent),
            Color::White => ByColor::new(opponent, own),
        }
    }

    /// The number of discs of each side, 0 to 64.
    #[inline]
    pub fn disc_counts(self) -> ByColor<u8> {
        self.discs().map(|discs| discs.len() as u8)
    }

    /// The empty squares of the board.
    #[inline]
    pub fn empty(self) -> Bitboard {
        self.board.empty(self.size)
    }

    /// The colour of the disc on `square`; `None` if the square is empty.
    #[inline]
    pub fn at(self, square: Square) -> Option<Color> {
        if self.board.own.contains(square) {
            Some(self.side)
        } else if self.board.opponent.contains(square) {
            Some(self.side.opposite())
        } else {
            None
        }
    }

    /// True while the centre is being filled, as at the start of the historical game: a centre square is
    /// empty, and no other square holds a disc. Then the empty centre squares are the legal moves, and a
    /// move flips nothing.
    ///
    /// This depends on the discs alone, so that a position needs no flag, also as text. It is never true
    /// in a game whose start has a full centre or discs elsewhere.
    #[inline]
    pub fn is_placing(self) -> bool {
        !self.board.placements(self.size).is_empty()
    }

    /// The legal squares of the side to move. If there are none, it must pass or the game is over:
    /// [`Position::turn`] tells which.
    #[inline]
    pub fn moves(self) -> Bitboard {
        let placements = self.board.placements(self.size);
        if placements.is_empty() { self.board.moves(self.size) } else { placements }
    }

    /// The options of the side to move.
    #[inline]
    pub fn turn(self) -> Turn {
        let squares = self.moves();
        if !squares.is_empty() {
            Turn::Place(Moves::new(self.board, squares))
        } else if !self.board.swapped().moves(self.size).is_empty() {
            Turn::Pass(ForcedPass::new())
        } else {
            Turn::Over(FinalScore::new(self.disc_counts(), self.size))
        }
    }

    /// True if neither side has a move.
    #[inline]
    pub fn is_over(self) -> bool {
        self.moves().is_empty() && self.board.swapped().moves(self.size).is_empty()
    }

    /// The position after a legal move.
    ///
    /// # Panics
    /// In debug builds, if the move belongs to another position and is illegal here.
    #[inline]
    pub fn after(self, legal: Move) -> Position {
        debug_assert!(self.moves().contains(legal.square()), "{legal} is another position's move");
        debug_assert_eq!(
            self.board.flips(legal.square()),
            legal.flips(),
            "{legal} is another position's move"
        );
        let board = self.board.place(legal.square(), legal.flips());
        Position { board, side: self.side.opposite(), size: self.size }
    }

    /// The position after a forced pass: the same discs, the opponent to move.
    ///
    /// # Panics
    /// In debug builds, if the pass belongs to another position and is not forced here.
    #[inline]
    pub fn after_pass(self, _forced: ForcedPass) -> Position {
        debug_assert!(matches!(self.turn(), Turn::Pass(_)), "another position's pass");
        self.passed()
    }

    /// The same discs with the opponent to move.
    #[inline]
    fn passed(self) -> Position {
        Position { board: self.board.swapped(), side: self.side.opposite(), size: self.size }
    }

    /// The legal move that places a disc on `square`.
    ///
    /// # Errors
    /// [`IllegalPly`] with the reason if the move is illegal.
    pub fn resolve(self, square: Square) -> Result<Move, IllegalPly> {
        // Computing the flips of one square is cheaper than all legal moves.
        let placements = self.board.placements(self.size);
        if placements.contains(square) {
            return Ok(Move::new(square, Bitboard::EMPTY));
        }
        if self.size.mask().contains(square) {
            let flips = self.board.flips(square);
            if placements.is_empty() && !flips.is_empty() {
                return Ok(Move::new(square, flips));
            }
        }
        if self.is_over() {
            return Err(IllegalPly::new(Ply::Place(square), IllegalReason::GameOver));
        }
        Err(IllegalPly::on(square, self.size.mask(), self.board.occupied(), placements))
    }

    /// The position after a ply that may be illegal. Forced passes are plies of their own here;
    /// [`replay`](crate::replay()) accepts games without them.
    ///
    /// # Errors
    /// [`IllegalPly`] with the reason if the ply is illegal.
    pub fn play(self, ply: Ply) -> Result<Position, IllegalPly> {
        match ply {
            Ply::Place(square) => Ok(self.after(self.resolve(square)?)),
            Ply::Pass => match self.turn() {
                Turn::Pass(pass) => Ok(self.after_pass(pass)),
                Turn::Place(_) => Err(IllegalPly::new(ply, IllegalReason::PassWithMoves)),
                Turn::Over(_) => Err(IllegalPly::new(ply, IllegalReason::GameOver)),
            },
        }
    }
}

/// An error in the discs of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscsError {
    /// This square has a disc of each colour.
    Both(Square),
    /// This square has a disc but is outside the board.
    OutsideBoard(Square),
}

impl fmt::Display for DiscsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiscsError::Both(square) => write!(f, "both a black and a white disc on {square}"),
            DiscsError::OutsideBoard(square) => write!(f, "a disc on {square}, outside the board"),
        }
    }
}

impl Error for DiscsError {}

impl Variant {
    /// The start position of the variant.
    pub fn start(self, size: BoardSize) -> Position {
        match self {
            Variant::Othello | Variant::Reversed => Position::start(size),
            Variant::Historical => Position::empty_board(size),
        }
    }

    /// True if a game of this variant can start from this position. A position in which the centre is
    /// being filled ([`Position::is_placing`]) belongs to the historical game only.
    pub fn allows(self, position: Position) -> bool {
        self == Variant::Historical || !position.is_placing()
    }
}
