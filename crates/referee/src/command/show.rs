//! `referee show`: one game, move by move, or as a diagram.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::Path;

use records::formats::{Format, Game, Item, Played, Problem, ReadError};
use rules::{Color, Ply, Position, Square};

use super::diagram::Diagram;
use super::game_input::{Input, InputArgs, failed, unreadable};
use super::heading;
use super::{CommandError, say};
use crate::cli::ShowArgs;
use crate::exit_code::Exit;
use crate::prepare::find_program::absolute;

pub(super) fn show(args: &ShowArgs) -> Result<Exit, CommandError> {
    let input =
        Input::open(&args.file, InputArgs { format: args.from, board: args.board, ..InputArgs::default() })?;
    let item = find(input, args.game)?;
    if !args.diagram && args.svg.is_none() {
        say(&match &item {
            Item::Game(game) => moves(game, columns(game)),
            Item::Problem(problem) => position(problem),
        })?;
        return Ok(Exit::Done);
    }
    let diagram = Diagram::new(&item.into_game());
    if let Some(file) = &args.svg {
        write_svg(file, &diagram.svg())?;
    }
    if args.diagram {
        say(&diagram.text())?;
    }
    Ok(Exit::Done)
}

fn write_svg(file: &Path, svg: &str) -> Result<(), CommandError> {
    if file == Path::new("-") {
        return say(svg.trim_end());
    }
    let path = absolute(file);
    fs::write(&path, svg).map_err(|error| failed(format!("cannot write {}: {error}", path.display())))
}

/// The requested game: by its number in our own records, else counted from 1.
fn find(input: Input, wanted: Option<u64>) -> Result<Item, CommandError> {
    let Input { path, items, format, .. } = input;
    let is_record = format == Format::Jsonl;
    let mut count = 0;
    for item in items {
        count += 1;
        let item = match item {
            Ok(item) => item,
            Err(ReadError::BadItem(_)) if is_record || wanted.unwrap_or(1) != count => continue,
            Err(error) => return Err(unreadable(&path, &error)),
        };
        let number = match (&item, is_record) {
            (Item::Game(game), true) => game.tournament.as_ref().map(|info| info.game),
            _ => Some(count),
        };
        let is_it = match (wanted, is_record) {
            (None, true) => true,
            (wanted, _) => number == Some(wanted.unwrap_or(1)),
        };
        if is_it {
            return Ok(item);
        }
    }
    let games = if count == 1 { "1 game".to_owned() } else { format!("{count} games") };
    let which = wanted.map_or("no game".to_owned(), |number| format!("no game {number}"));
    Err(CommandError::new(Exit::Usage, format!("{}: there is {which}; the file has {games}", path.display())))
}

/// The number of boards that fit beside each other; 1 if standard output is no terminal.
fn columns(game: &Game) -> usize {
    let out = io::stdout();
    if !out.is_terminal() {
        return 1;
    }
    let width = rustix::termios::tcgetwinsize(&out).map_or(80, |size| usize::from(size.ws_col));
    (width / (block(game) + GAP)).max(1)
}

/// Columns between two boards.
const GAP: usize = 3;

/// The width of a board and of the line above it, in columns.
fn block(game: &Game) -> usize {
    let heads = game
        .walk()
        .enumerate()
        .map(|(index, (before, played))| head(index, before, played, game.opening).chars().count());
    heads.max().unwrap_or(0).max(2 + 2 * usize::from(game.size().side()))
}

/// A heading, and the board after each ply.
fn moves(game: &Game, columns: usize) -> String {
    let width = block(game);
    let mut blocks = vec![lines("start", &board(game.start(), None))];
    for (index, (before, played)) in game.walk().enumerate() {
        let head = head(index, before, played, game.opening);
        let after = before.play(played.ply).unwrap_or(before);
        blocks.push(lines(&head, &board(after, played.ply.square())));
    }
    let mut text = format!("{}\n", heading::heading_lines(game).join("\n"));
    for row in blocks.chunks(columns) {
        text.push('\n');
        for line in 0..row.iter().map(Vec::len).max().unwrap_or(0) {
            let cells = row.iter().map(|block| block.get(line).map_or("", String::as_str));
            let cells: Vec<String> = cells.map(|cell| format!("{cell:<width$}")).collect();
            text.push_str(cells.join(&" ".repeat(GAP)).trim_end());
            text.push('\n');
        }
    }
    text.trim_end().to_owned()
}

fn lines(head: &str, board: &str) -> Vec<String> {
    std::iter::once(head).chain(board.lines()).map(str::to_owned).collect()
}

/// `17. f5  black  0.05 s  +1.50`.
fn head(index: usize, before: Position, played: &Played, opening: usize) -> String {
    let mut text = format!("{}. {} {}", index + 1, played.ply, before.side_to_move());
    if index < opening {
        text.push_str(" (opening)");
    }
    // Records give a pass no time.
    if let Some(spent) = played.spent.filter(|_| played.ply != Ply::Pass) {
        text.push_str(&format!(" {:.2} s", spent.as_secs_f64()));
    }
    if let Some(score) = played.score {
        text.push_str(&format!(" {score:+.2}"));
    }
    text
}

/// The board with the disc that was placed last in brackets.
fn board(position: Position, last: Option<Square>) -> String {
    let side = position.size().side();
    let mut text = String::from(" ");
    (0..side).for_each(|column| text.push_str(&format!(" {}", char::from(b'a' + column))));
    for row in 0..side {
        text.push_str(&format!("\n{}", row + 1));
        let mut behind = ' ';
        for column in 0..side {
            let Some(square) = Square::new(column, row) else { continue };
            let is_last = last == Some(square);
            text.push(if is_last { '[' } else { behind });
            text.push(position.at(square).map_or('-', Color::letter));
            behind = if is_last { ']' } else { ' ' };
        }
        text.push(behind);
        text.truncate(text.trim_end().len());
    }
    text
}

/// A position and its moves.
fn position(problem: &Problem) -> String {
    let mut text = board(problem.position, None);
    text.push_str(&format!("\n{} to move", problem.position.side_to_move()));
    let score = problem.score.map(|score| format!("{score:+}"));
    let moves = problem.moves.iter().map(|(ply, score)| format!("{ply} {score:+}"));
    let values: Vec<String> = score.into_iter().chain(moves).collect();
    if !values.is_empty() {
        text.push_str(&format!(": {}", values.join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::BoardSize;

    #[test]
    fn boards_stand_below_each_other_where_moves_of_the_opening_are_marked() {
        let mut game = Game::new(Position::start(BoardSize::Four));
        for (ply, _) in rules::parse_plies("b1a1a2").expect("plies") {
            game.push(ply.into()).expect("legal");
        }
        game.opening = 2;
        let text = moves(&game, 3);
        let row = |line: usize| text.lines().nth(line).expect("a line");
        let third = 2 * ("2. a1 white (opening)".len() + GAP);
        assert_eq!(row(3).rfind("2. a1 white (opening)"), Some(third), "{text}");
        assert_eq!(row(4).rfind("  a b c d"), Some(third), "{text}");
    }

    #[test]
    fn a_game_is_shown_ply_by_ply() {
        let mut game = Game::new(Position::start(BoardSize::Four));
        game.names.black = "a\u{1b}[2J".to_owned();
        game.push(Ply::Place("b1".parse().expect("b1")).into()).expect("legal");
        let expected = "a [2J (black) - ? (white)\nno result; 4-1 on the board\n\nstart         1. b1 black\n  a b c d       a b c d\n\
                        1 - - - -     1 -[X]- -\n2 - O X -     2 - X X -\n3 - X O -     3 - X O -\n4 - - - -     4 - - - -";
        assert_eq!(moves(&game, 2), expected);
        assert_eq!(moves(&game, 1).lines().count(), 2 + 2 * 7);
    }
}
