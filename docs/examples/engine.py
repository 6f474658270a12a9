#!/usr/bin/env python3
"""A complete engine for Outflank, written with the standard library alone.

It takes a corner if it can have one, else the move that leaves the opponent the
fewest replies; among equals it chooses at random. The rest is the protocol and the rules.
"""
import random
import sys

BLACK, WHITE = "X", "O"
OPPONENT = {BLACK: WHITE, WHITE: BLACK}
DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]


class Position:
    def __init__(self, size, discs, side):  # discs: from (column, row) to colour
        self.size, self.discs, self.side = size, discs, side

    @classmethod
    def start(cls, size):
        a, b = size // 2 - 1, size // 2
        return cls(size, {(a, a): WHITE, (b, b): WHITE, (b, a): BLACK, (a, b): BLACK}, BLACK)

    @classmethod
    def from_text(cls, board, side):
        size = {16: 4, 36: 6, 64: 8}[len(board)]
        places = ((i % size, i // size) for i in range(len(board)))
        return cls(size, {at: disc for at, disc in zip(places, board) if disc in OPPONENT}, side)

    def flips(self, at, side):
        """The discs that `side` turns by placing one at `at`; none if that is not allowed."""
        if at in self.discs:
            return []
        turned = []
        for dx, dy in DIRECTIONS:
            run, (x, y) = [], (at[0] + dx, at[1] + dy)
            while self.discs.get((x, y), side) != side:
                run.append((x, y))
                x, y = x + dx, y + dy
            if (x, y) in self.discs:  # the run ends at a disc of our own
                turned += run
        return turned

    def moves(self, side):
        places = ((x, y) for y in range(self.size) for x in range(self.size))
        return [at for at in places if self.flips(at, side)]

    def after(self, at):
        """The position after a move; `None` stands for a pass."""
        discs = dict(self.discs)
        if at is not None:
            discs.update((turned, self.side) for turned in [at] + self.flips(at, self.side))
        return Position(self.size, discs, OPPONENT[self.side])


def parse(text):
    return None if text == "pass" else ("abcdefgh".index(text[0].lower()), int(text[1]) - 1)


def name(at):
    return "pass" if at is None else "abcdefgh"[at[0]] + str(at[1] + 1)


def choose(position, rng):
    """The move to play: the only part of an engine that is hard to write."""
    def worth(at):
        is_corner = all(c in (0, position.size - 1) for c in at)
        return is_corner, -len(position.after(at).moves(OPPONENT[position.side]))

    moves = position.moves(position.side)
    best = max(map(worth, moves), default=None)
    return rng.choice([at for at in moves if worth(at) == best]) if moves else None


def respond(position, question):
    over = not position.moves(BLACK) and not position.moves(WHITE)
    lead = sum(1 if disc == BLACK else -1 for disc in position.discs.values())
    winner = "p1win" if lead > 0 else "p2win" if lead < 0 else "draw"
    answers = {"p1turn": position.side == BLACK, "gameover": over, "result": winner if over else "none"}
    return str(answers.get(question, "none")).lower()


def say(text):
    print(text, flush=True)  # without the flush it would stay here, and we lose on time


def main():
    options = {"Seed": 0, "BoardSize": 8}
    position, rng = Position.start(8), random.Random(0)
    for line in sys.stdin:  # ends when the referee closes our input
        command, *words = line.split() or [""]
        if command == "ugi":
            say("id name example\nid author you")
            say("option name Seed type spin default 0 min 0 max 9007199254740991")
            say("option name BoardSize type spin default 8 min 4 max 8\nugiok")
        elif command == "setoption" and len(words) == 4 and words[1] in options:
            options[words[1]] = int(words[3])
        elif command == "isready":
            say("readyok")
        elif command == "uginewgame":
            rng = random.Random(options["Seed"])
        elif command == "position":
            is_standard = words[0] == "startpos"  # else: fen BOARD SIDE
            position = Position.start(options["BoardSize"]) if is_standard else Position.from_text(*words[1:3])
            for move in words[words.index("moves") + 1:] if "moves" in words else []:
                position = position.after(parse(move))
        elif command == "query" and words:
            say("response " + respond(position, words[0]))
        elif command == "go":
            while words == ["infinite"] and sys.stdin.readline().strip() not in ("stop", "quit", ""):
                pass  # to be answered after `stop`, not before
            say("bestmove " + name(choose(position, rng)))
        elif command == "quit":
            return


if __name__ == "__main__":
    main()
