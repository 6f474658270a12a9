//! The diagram of a game as the federations print it: one board with each move's number on its square.

use std::fmt::Write as _;

use records::formats::Game;
use rules::{BoardSize, Color, Ply, Position, Square};

use super::heading::heading_lines;

/// One square of a diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// A disc of the starting position.
    Start(Color),
    /// A placed disc: its colour, and the number of the move, from 1, passes not counted.
    Move(Color, u32),
}

/// A whole game on one board.
#[derive(Debug)]
pub(super) struct Diagram {
    size: BoardSize,
    marks: [Option<Mark>; 64],
    /// The lines above the board.
    heading: Vec<String>,
    /// The passes, in words.
    passes: Vec<String>,
}

impl Diagram {
    pub(super) fn new(game: &Game) -> Self {
        let mut marks = start_marks(game.start());
        let mut number = 0;
        let mut passes = Vec::new();
        for (before, played) in game.walk() {
            let side = before.side_to_move();
            match played.ply {
                Ply::Place(square) => {
                    number += 1;
                    marks[usize::from(square.index())] = Some(Mark::Move(side, number));
                }
                Ply::Pass => passes.push(format!("{side} passes after {number}")),
            }
        }
        Self { size: game.size(), marks, heading: heading_lines(game), passes }
    }

    fn at(&self, column: u8, row: u8) -> Option<Mark> {
        Square::new(column, row).and_then(|square| self.marks[usize::from(square.index())])
    }

    /// As text: numbers, and `X` and `O` for the discs of the start.
    pub(super) fn text(&self) -> String {
        let side = self.size.side();
        let mut text = format!("{}\n\n ", self.heading.join("\n"));
        (0..side).for_each(|column| text.push_str(&format!("  {}", char::from(b'a' + column))));
        for row in 0..side {
            text.push_str(&format!("\n{}", row + 1));
            for column in 0..side {
                let mark = match self.at(column, row) {
                    None => "-".to_owned(),
                    Some(Mark::Start(color)) => color.letter().to_string(),
                    Some(Mark::Move(_, number)) => number.to_string(),
                };
                text.push_str(&format!(" {mark:>2}"));
            }
        }
        if !self.passes.is_empty() {
            text.push_str(&format!("\n\n{}", self.passes.join("; ")));
        }
        text
    }

    /// As SVG, for print: lines and discs in black and white.
    pub(super) fn svg(&self) -> String {
        const CELL: u32 = 40;
        const MARGIN: u32 = 30;
        const LINE: u32 = 18;
        const LETTER: u32 = 8;
        let side = u32::from(self.size.side());
        let board = side * CELL;
        // An upper bound for the width of a letter in the font size below.
        let width = board + 2 * MARGIN;
        let across = (width / LETTER) as usize;
        let legend = [self.heading.as_slice(), &[self.passes.join("; ")]].concat();
        let wrapped: Vec<String> = legend.iter().map(|line| report::wrapped(line, across)).collect();
        let lines: Vec<&str> = wrapped.iter().flat_map(|text| text.lines()).collect();
        let height = width + LINE * lines.len() as u32;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"Helvetica, Arial, sans-serif\" text-anchor=\"middle\">\n\
             <title>{}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n",
            escaped(&self.heading[0])
        );
        let mut put = |element: String| {
            svg.push_str(&element);
            svg.push('\n');
        };
        let end = MARGIN + board;
        let mut grid = String::new();
        for step in 0..=side {
            let at = MARGIN + step * CELL;
            write!(grid, "M{MARGIN} {at}H{end}M{at} {MARGIN}V{end}").expect("to memory");
        }
        put(format!("<path d=\"{grid}\" stroke=\"black\" fill=\"none\"/>"));
        for step in 0..self.size.side() {
            let middle = MARGIN + u32::from(step) * CELL + CELL / 2;
            let letter = char::from(b'a' + step);
            put(format!("<text x=\"{middle}\" y=\"{}\" font-size=\"14\">{letter}</text>", MARGIN - 10));
            put(format!(
                "<text x=\"{}\" y=\"{}\" font-size=\"14\">{}</text>",
                MARGIN / 2,
                middle + 5,
                step + 1
            ));
        }
        for row in 0..self.size.side() {
            for column in 0..self.size.side() {
                let Some(mark) = self.at(column, row) else { continue };
                let middle = |step: u8| MARGIN + u32::from(step) * CELL + CELL / 2;
                put(disc(mark, middle(column), middle(row), CELL * 2 / 5));
            }
        }
        for (index, line) in lines.into_iter().enumerate() {
            let y = end + MARGIN - 8 + LINE * index as u32;
            put(format!("<text x=\"{}\" y=\"{y}\" font-size=\"13\">{}</text>", width / 2, escaped(line)));
        }
        svg.push_str("</svg>\n");
        svg
    }
}

fn start_marks(start: Position) -> [Option<Mark>; 64] {
    let mut marks = [None; 64];
    for square in Square::all() {
        marks[usize::from(square.index())] = start.at(square).map(Mark::Start);
    }
    marks
}

fn disc(mark: Mark, x: u32, y: u32, radius: u32) -> String {
    let (color, number) = match mark {
        Mark::Start(color) => (color, None),
        Mark::Move(color, number) => (color, Some(number)),
    };
    let (fill, ink) = if color == Color::Black { ("black", "white") } else { ("white", "black") };
    let circle = format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"black\"/>");
    match number {
        None => circle,
        Some(number) => {
            format!("{circle}<text x=\"{x}\" y=\"{}\" font-size=\"16\" fill=\"{ink}\">{number}</text>", y + 6)
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagram(moves: &str, size: BoardSize) -> Diagram {
        let mut game = Game::new(Position::start(size));
        for (ply, _) in rules::parse_plies(moves).expect("plies") {
            game.push(ply.into()).expect("legal");
        }
        game.names.black = "<a & b>".to_owned();
        Diagram::new(&game)
    }

    #[test]
    fn every_move_has_its_number() {
        let text = diagram("f5f6d3g5h5h4f7h6e7", BoardSize::Eight).text();
        let expected = "   a  b  c  d  e  f  g  h
1  -  -  -  -  -  -  -  -
2  -  -  -  -  -  -  -  -
3  -  -  -  3  -  -  -  -
4  -  -  -  O  X  -  -  6
5  -  -  -  X  O  1  4  5
6  -  -  -  -  -  2  -  8
7  -  -  -  -  9  7  -  -
8  -  -  -  -  -  -  -  -

black passes after 8";
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn svg_is_well_formed_and_says_who_played() {
        let svg = diagram("d3", BoardSize::Eight).svg();
        assert!(svg.contains("<title>&lt;a &amp; b&gt; (black)"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 5);
        assert_eq!(svg.matches("fill=\"white\">1</text>").count(), 1, "black's first move in white ink");
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
        assert_eq!(diagram("b1", BoardSize::Four).svg().matches("<circle").count(), 5);
    }
}
