//! Lines from the engine to the referee.

use std::fmt;

use super::first_word;
use crate::message::SearchInfo;
use crate::option::OptionDecl;

/// A line from an engine. It borrows from the text of the line.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineMessage<'a> {
    /// `id name N`.
    Name(&'a str),
    /// `id author A`.
    Author(&'a str),
    /// `option ...`.
    Option(OptionDecl),
    /// `ugiok`.
    UgiOk,
    /// `readyok`.
    ReadyOk,
    /// `info ...`.
    Info(Info<'a>),
    /// `bestmove M`: the word after it, if any.
    BestMove(Option<&'a str>),
    /// `response R`: the text after it.
    Response(&'a str),
}

/// The fields of `info`. One that can't be read is `None`; the others are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Info<'a> {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Plies of the longest line searched.
    pub seldepth: Option<u32>,
    /// Milliseconds since `go`.
    pub time: Option<u64>,
    /// Positions searched.
    pub nodes: Option<u64>,
    /// Positions searched each second.
    pub nps: Option<u64>,
    /// How full the hash table is, from 0 to 1000.
    pub hashfull: Option<u32>,
    /// Rank of this line among several, from 1.
    pub multipv: Option<u32>,
    /// Expected final disc difference from the mover's view, in hundredths of a disc.
    pub score_cp: Option<i64>,
    /// The principal variation: plies separated by blanks.
    pub pv: Option<&'a str>,
    /// Free text.
    pub string: Option<&'a str>,
}

impl<'a> EngineMessage<'a> {
    /// Reads a line; `None` if UGI has no such line.
    #[must_use]
    pub fn parse(line: &'a str) -> Option<Self> {
        let (first, rest) = first_word(line.trim_ascii_end());
        match first {
            "bestmove" => Some(Self::BestMove(match first_word(rest).0 {
                "" => None,
                ply => Some(ply),
            })),
            "readyok" => Some(Self::ReadyOk),
            "info" => Some(Self::Info(Info::parse(rest))),
            "ugiok" => Some(Self::UgiOk),
            "option" => OptionDecl::parse(rest).map(Self::Option),
            "response" => Some(Self::Response(rest)),
            "id" => match first_word(rest) {
                ("name", name) => Some(Self::Name(name)),
                ("author", author) => Some(Self::Author(author)),
                _ => None,
            },
            _ => None,
        }
    }
}

impl<'a> Info<'a> {
    /// Reads the text after `info`.
    #[must_use]
    pub fn parse(text: &'a str) -> Self {
        let mut info = Self::default();
        let mut rest = text;
        loop {
            let (keyword, behind) = first_word(rest);
            let (value, after) = first_word(behind);
            match keyword {
                "" => return info,
                "depth" => info.depth = value.parse().ok(),
                "seldepth" => info.seldepth = value.parse().ok(),
                "time" => info.time = value.parse().ok(),
                "nodes" => info.nodes = value.parse().ok(),
                "nps" => info.nps = value.parse().ok(),
                "hashfull" => info.hashfull = value.parse().ok(),
                "multipv" => info.multipv = value.parse().ok(),
                "score" => {
                    if value == "cp" {
                        let (score, after) = first_word(after);
                        info.score_cp = score.parse().ok();
                        rest = if info.score_cp.is_some() { after } else { behind };
                    } else {
                        rest = behind;
                    }
                    continue;
                }
                "pv" => {
                    info.pv = Some(behind);
                    return info;
                }
                "string" => {
                    info.string = Some(behind);
                    return info;
                }
                _ => {
                    rest = behind;
                    continue;
                }
            }
            // Where the value is missing, this word is the next keyword.
            rest = if value.starts_with(|c: char| c.is_ascii_alphabetic()) { behind } else { after };
        }
    }

    /// The fields that the game record keeps. None of a line other than the best one (`multipv` above 1).
    #[must_use]
    pub fn search_info(&self) -> SearchInfo {
        if self.multipv.is_some_and(|rank| rank > 1) {
            return SearchInfo::default();
        }
        SearchInfo { score: self.score_cp.map(|cp| cp as f64 / 100.0), depth: self.depth, nodes: self.nodes }
    }
}

impl fmt::Display for EngineMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "id name {name}"),
            Self::Author(author) => write!(f, "id author {author}"),
            Self::Option(decl) => write!(f, "option {decl}"),
            Self::UgiOk => f.write_str("ugiok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::Info(info) => info.fmt(f),
            Self::BestMove(None) => f.write_str("bestmove"),
            Self::BestMove(Some(ply)) => write!(f, "bestmove {ply}"),
            Self::Response(text) => write!(f, "response {text}"),
        }
    }
}

/// As the line `info ...`.
impl fmt::Display for Info<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        let numbers = [
            ("depth", self.depth.map(u64::from)),
            ("seldepth", self.seldepth.map(u64::from)),
            ("multipv", self.multipv.map(u64::from)),
            ("time", self.time),
            ("nodes", self.nodes),
            ("nps", self.nps),
            ("hashfull", self.hashfull.map(u64::from)),
        ];
        for (keyword, number) in numbers {
            if let Some(number) = number {
                write!(f, " {keyword} {number}")?;
            }
        }
        if let Some(score) = self.score_cp {
            write!(f, " score cp {score}")?;
        }
        if let Some(pv) = self.pv {
            write!(f, " pv {pv}")?;
        }
        if let (None, Some(text)) = (self.pv, self.string) {
            write!(f, " string {text}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option::OptionKind;
    use proptest::prelude::*;

    #[test]
    fn every_answer() {
        let hash = OptionDecl {
            name: "Hash".into(),
            kind: OptionKind::Spin { default: Some(16), min: Some(1), max: Some(1024) },
        };
        for (line, answer) in [
            ("id name My Engine, \"1.0\"", EngineMessage::Name("My Engine, \"1.0\"")),
            ("id author", EngineMessage::Author("")),
            ("option name Hash type spin default 16 min 1 max 1024", EngineMessage::Option(hash)),
            (" ugiok \t", EngineMessage::UgiOk),
            ("readyok", EngineMessage::ReadyOk),
            ("bestmove", EngineMessage::BestMove(None)),
            ("\tbestmove   f5  ponder a1", EngineMessage::BestMove(Some("f5"))),
            ("response p1win", EngineMessage::Response("p1win")),
        ] {
            assert_eq!(EngineMessage::parse(line), Some(answer), "{line}");
        }
        for line in
            ["", "bestmoves f5", "Bestmove f5", "id", "id nick X", "option", "option name", "ok", "uciok"]
        {
            assert_eq!(EngineMessage::parse(line), None, "{line}");
        }
    }

    #[test]
    fn odd_info_costs_only_the_odd_field() {
        let info =
            Info::parse("depth 99999999999999999999 nodes 12,345 score cp 1.5 time -3 nps 7 pv z9 a1 a1");
        assert_eq!(info, Info { nps: Some(7), pv: Some("z9 a1 a1"), ..Info::default() });
        let info = Info::parse("depth nodes 5 score cp score cp -250 wdl 1 2 3 hashfull 10");
        assert_eq!(
            info,
            Info { nodes: Some(5), score_cp: Some(-250), hashfull: Some(10), ..Info::default() },
            "a missing number does not take the next keyword with it"
        );
        assert_eq!(Info::parse("string depth 5 bestmove f5").string, Some("depth 5 bestmove f5"));
    }

    #[test]
    fn claims_are_in_discs_and_of_the_best_line() {
        let claims = Info::parse("depth 9 score cp 150 nodes 12").search_info();
        assert_eq!(claims, SearchInfo { score: Some(1.5), depth: Some(9), nodes: Some(12) });
        assert_eq!(Info::parse("multipv 2 score cp 150").search_info(), SearchInfo::default());
    }

    proptest! {
        #[test]
        fn info_survives(a in any::<(Option<u32>, Option<u32>, Option<u64>, Option<u64>, Option<u64>)>(),
                         b in any::<(Option<u32>, Option<u32>, Option<i64>)>(),
                         pv in prop::option::of("[a-h][1-8]( [a-h][1-8]){0,5}")) {
            let (depth, seldepth, time, nodes, nps) = a;
            let (hashfull, multipv, score_cp) = b;
            let info = Info { depth, seldepth, time, nodes, nps, hashfull, multipv, score_cp, pv: pv.as_deref(), string: None };
            let line = info.to_string();
            prop_assert_eq!(EngineMessage::parse(&line), Some(EngineMessage::Info(info)));
        }

        #[test]
        fn answers_survive(name in "[!-~é漢]{1,9}( [!-~]{1,9})?", ply in "[a-h][1-8]") {
            for answer in [EngineMessage::Name(&name), EngineMessage::Author(&name), EngineMessage::BestMove(Some(&ply)),
                           EngineMessage::Response(&name), EngineMessage::Info(Info { string: Some(&name), ..Info::default() })] {
                let line = answer.to_string();
                prop_assert_eq!(EngineMessage::parse(&line), Some(answer));
            }
        }

        #[test]
        fn no_line_panics(line in "(info|id|name|option|type|score|cp|pv|bestmove|\\PC{0,4}|[0-9]{1,25}| |\t){0,12}") {
            let _ = EngineMessage::parse(&line);
        }
    }
}
