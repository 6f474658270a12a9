//! The referee's side of each protocol. A dialect writes the requests of [`message`](crate::message) as text and reads
//! lines as responses. To add one, write its file and add it to `PROTOCOLS` below; no other code names it.

mod cassio;
mod gtp;
mod line;
mod nboard;
mod sent_position;
mod uci;
mod uci_like;
mod uci_like_probes;
mod ugi;

use std::fmt;
use std::str::FromStr;

use clock::TimeControl;
use rules::{BoardSize, Ply, Position, Variant};

use crate::framing::quote;
use crate::message::{ExpectsReply, Go, Identity, PlayedPly, Request, Response};
use crate::probe::ProtocolChecks;

/// All protocols, in the order in which messages list them and `protocol = "auto"` tries them.
static PROTOCOLS: &[&Protocol] =
    &[&ugi::PROTOCOL, &gtp::PROTOCOL, &nboard::PROTOCOL, &line::PROTOCOL, &cassio::PROTOCOL, &uci::PROTOCOL];

/// The state of one engine's dialogue in one protocol. It has no pipe and no clock: the caller writes its text to the
/// engine and gives it the lines that come back.
pub trait Dialect: fmt::Debug + Send {
    /// Appends the text of a request, and says if a reply comes. Until it has come, only [`Request::Stop`] and
    /// [`Request::Quit`] may follow.
    fn write_request(&mut self, request: &Request<'_>, out: &mut Vec<u8>) -> ExpectsReply;

    /// True if a position and the request for a move in it may be sent together.
    fn takes_position_and_go(&self) -> bool {
        false
    }

    /// Appends a position and the request for a move in it as one text. Two responses come: [`Response::Done`] and the move.
    /// Appends nothing where [`takes_position_and_go`](Self::takes_position_and_go) is false.
    fn write_position_and_go(&mut self, _played: &[PlayedPly], _go: &Go, _out: &mut Vec<u8>) {}

    /// Reads one line from the engine. May append text to send at once, such as the next command of the same request.
    fn parse_line(&mut self, line: &str, out: &mut Vec<u8>) -> Response;

    /// Name and options of the engine; complete once the handshake is done.
    fn identity(&self) -> &Identity;

    /// `Some(reason)` if the engine can't play this variant from this position, by its protocol or its options; else
    /// `None`.
    fn cannot_play(&self, variant: Variant, start: &Position) -> Option<String>;

    /// `Some(reason)` if this time control can't be sent to the engine (the reason says what applies instead); else `None`.
    fn unsupported_time_control(&self, time: TimeControl) -> Option<String>;

    /// True if this line, in reply to the handshake, shows that the engine speaks another protocol.
    fn shows_other_protocol(&self, _line: &str) -> bool {
        false
    }
}

/// The reply that a dialect waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Awaiting {
    #[default]
    Nothing,
    /// The end of the reply to the handshake.
    Handshake,
    /// The sign that the engine is ready.
    Ready,
    /// The same, and then a move.
    ReadyThenMove,
    /// A move.
    Move,
}

/// A square in either case, or the word `pass`. [`Ply`]'s own parser knows more words for a pass.
fn parse_ply(word: &str) -> Option<Ply> {
    if word.eq_ignore_ascii_case("pass") { Some(Ply::Pass) } else { word.parse().ok().map(Ply::Place) }
}

/// The response to `text` where it should have been a move.
fn unreadable_move(text: &str) -> Response {
    Response::Unreadable(format!("cannot read {} as a move", quote(text)))
}

/// [`Dialect::cannot_play`] for protocols that know only Othello on 8x8, from any position.
fn only_othello_8x8(protocol: &str, variant: Variant, start: &Position) -> Option<String> {
    let fits = variant == Variant::Othello && start.size() == BoardSize::Eight;
    (!fits).then(|| format!("its protocol, {protocol}, knows only Othello on 8x8"))
}

/// A protocol, as its dialect's file describes it.
pub struct Protocol {
    /// Its name in definitions.
    name: &'static str,
    /// A description of a few words.
    about: &'static str,
    /// True if it has options.
    has_options: bool,
    /// True if `protocol = "auto"` tries it: the reply to its handshake shows that an engine speaks it.
    is_detectable: bool,
    /// The ways to send the time to an engine, the default first.
    clock_styles: &'static [ClockStyle],
    /// Its own checks.
    checks: ProtocolChecks,
    /// Makes a dialect at the start of a dialogue.
    new_dialect: fn(ClockStyle) -> Box<dyn Dialect>,
}

/// How the time is sent to an engine, where its protocol leaves a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClockStyle {
    /// As the protocol says.
    #[default]
    Protocol,
    /// Game clocks only, without increments.
    SuddenDeath,
    /// Main time and increment, as main time and overtime (byo-yomi) of GTP.
    Fischer,
    /// Not at all: the engine's own arguments limit it.
    None,
}

impl ClockStyle {
    const ALL: [Self; 4] = [Self::Protocol, Self::SuddenDeath, Self::Fischer, Self::None];

    /// Its name in definitions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Protocol => "protocol",
            Self::SuddenDeath => "sudden-death",
            Self::Fischer => "fischer",
            Self::None => "none",
        }
    }
}

impl fmt::Display for ClockStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ClockStyle {
    type Err = String;

    /// # Errors
    /// A sentence that lists all styles.
    fn from_str(text: &str) -> Result<Self, String> {
        named(text, Self::ALL, Self::name, "a way to tell the clock")
    }
}

/// One of the protocols.
#[derive(Clone, Copy)]
pub struct ProtocolId(&'static Protocol);

impl ProtocolId {
    /// All protocols, in the order in which messages list them.
    pub fn all() -> impl Iterator<Item = Self> {
        PROTOCOLS.iter().map(|&protocol| Self(protocol))
    }

    /// A dialect at the start of a dialogue.
    #[must_use]
    pub fn new_dialect(self, clock_style: ClockStyle) -> Box<dyn Dialect> {
        (self.0.new_dialect)(clock_style)
    }

    /// True if the protocol has options.
    #[must_use]
    pub fn has_options(self) -> bool {
        self.0.has_options
    }

    /// The ways to send the time to an engine, the default first.
    #[must_use]
    pub fn clock_styles(self) -> &'static [ClockStyle] {
        self.0.clock_styles
    }

    /// The checks that the protocol adds.
    #[must_use]
    pub fn checks(self) -> &'static ProtocolChecks {
        &self.0.checks
    }

    /// Its name in definitions.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// A description of a few words.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.0.about
    }
}

impl Default for ProtocolId {
    fn default() -> Self {
        Self(PROTOCOLS[0])
    }
}

impl PartialEq for ProtocolId {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for ProtocolId {}

impl fmt::Debug for ProtocolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProtocolId({})", self.name())
    }
}

impl fmt::Display for ProtocolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ProtocolId {
    type Err = String;

    /// # Errors
    /// A sentence that lists all protocols.
    fn from_str(text: &str) -> Result<Self, String> {
        named(text, Self::all(), Self::name, "a protocol")
    }
}

/// The key `protocol` of an engine in a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolChoice {
    /// This protocol.
    Named(ProtocolId),
    /// `auto`: the referee finds out which protocol the engine speaks.
    Auto,
}

impl ProtocolChoice {
    const AUTO: &'static str = "auto";

    /// True if the engine may have options; always for `auto`.
    #[must_use]
    pub fn may_have_options(self) -> bool {
        match self {
            Self::Named(kind) => kind.has_options(),
            Self::Auto => true,
        }
    }

    /// True if the time may be sent in this way; always for `auto`.
    #[must_use]
    pub fn allows_clock_style(self, clock_style: ClockStyle) -> bool {
        match self {
            Self::Named(kind) => kind.clock_styles().contains(&clock_style),
            Self::Auto => true,
        }
    }

    /// The protocols to try, in order.
    #[must_use]
    pub fn candidates(self) -> Vec<ProtocolId> {
        match self {
            Self::Named(kind) => vec![kind],
            Self::Auto => ProtocolId::all().filter(|protocol| protocol.0.is_detectable).collect(),
        }
    }
}

impl Default for ProtocolChoice {
    fn default() -> Self {
        Self::Named(ProtocolId::default())
    }
}

impl fmt::Display for ProtocolChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(kind) => kind.fmt(f),
            Self::Auto => f.write_str(Self::AUTO),
        }
    }
}

impl FromStr for ProtocolChoice {
    type Err = String;

    /// # Errors
    /// A sentence that lists all protocols.
    fn from_str(text: &str) -> Result<Self, String> {
        let all = ProtocolId::all().map(Self::Named).chain([Self::Auto]);
        let name = |choice: Self| match choice {
            Self::Named(kind) => kind.name(),
            Self::Auto => Self::AUTO,
        };
        named(text, all, name, "a protocol")
    }
}

/// The item with this name. The error is a sentence that lists all names.
fn named<T: Copy>(
    text: &str,
    all: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> &'static str,
    what: &str,
) -> Result<T, String> {
    let all: Vec<T> = all.into_iter().collect();
    let found = all.iter().find(|&&each| name(each) == text);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&each| name(each)).collect();
        format!("`{text}` is not {what}; there is {}", names.join(", "))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use rules::{BoardSize, ByColor, Color};

    use super::*;
    use crate::message::{Go, NewGame, PlayedPly};

    /// The text that a dialect writes for a request.
    pub(crate) fn asked(dialect: &mut dyn Dialect, request: &Request<'_>) -> String {
        let mut out = Vec::new();
        dialect.write_request(request, &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    /// The response of a dialect to a line, and the text to send at once.
    pub(crate) fn heard(dialect: &mut dyn Dialect, line: &str) -> (Response, String) {
        let mut out = Vec::new();
        let heard = dialect.parse_line(line, &mut out);
        (heard, String::from_utf8(out).expect("UTF-8"))
    }

    /// A game of Othello on 8x8 with this time control for both; the engine has this colour.
    pub(crate) fn game(color: Color, time: &str) -> NewGame<'static> {
        let time: TimeControl = time.parse().expect("a time control");
        NewGame {
            variant: Variant::Othello,
            start: Position::start(BoardSize::Eight),
            seed: 7,
            color,
            names: ByColor::new("a", "b"),
            time: ByColor::new(time, time),
        }
    }

    /// Plies; each move took 1.5 s.
    pub(crate) fn played(text: &str) -> Vec<PlayedPly> {
        let spent = |ply| if ply == rules::Ply::Pass { Duration::ZERO } else { Duration::from_millis(1500) };
        let read = |word: &str| word.parse().expect(word);
        text.split_whitespace().map(read).map(|ply| PlayedPly { ply, spent: spent(ply) }).collect()
    }

    /// Clocks with so many seconds, without increment.
    pub(crate) fn clocks(black: f64, white: f64) -> Go {
        let time = ByColor::new(black, white).map(Duration::from_secs_f64);
        Go::Clock { time, increment: ByColor::new(Duration::ZERO, Duration::ZERO) }
    }

    #[test]
    fn names_are_unlike_and_read_back() {
        for kind in ProtocolId::all() {
            assert_eq!(kind.name().parse::<ProtocolId>(), Ok(kind));
            assert_eq!(kind.to_string().parse::<ProtocolChoice>(), Ok(ProtocolChoice::Named(kind)));
            assert!(
                !kind.about().is_empty() && kind.clock_styles().first() == Some(&ClockStyle::Protocol),
                "{kind}"
            );
            assert_eq!(ProtocolId::all().filter(|other| other.name() == kind.name()).count(), 1, "{kind}");
        }
        assert_eq!("auto".parse::<ProtocolChoice>(), Ok(ProtocolChoice::Auto));
        let refused = "uugi".parse::<ProtocolChoice>().expect_err("no such protocol");
        assert!(refused.starts_with("`uugi` is not a protocol; there is ugi, gtp"), "{refused}");
        for clock_style in ClockStyle::ALL {
            assert_eq!(clock_style.to_string().parse::<ClockStyle>(), Ok(clock_style));
        }
    }

    #[test]
    fn probes_are_whole_lines_and_wait_for_an_answer() {
        for kind in ProtocolId::all() {
            for probe in kind.checks().probes {
                assert!(probe.send.ends_with('\n'), "{kind}: {}", probe.name);
                assert_eq!((probe.expect)(&[]), None, "{kind}: {}", probe.name);
                assert_eq!((probe.expect)(&[String::new()]), None, "{kind}: {}", probe.name);
            }
        }
    }
}
