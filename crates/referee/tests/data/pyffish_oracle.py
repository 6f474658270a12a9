"""Holds games against pyffish, Fairy-Stockfish's rules: one JSON object a line on standard input, with
the plies and the moves that are said to be legal before each. Prints what differs; status 1 if anything does."""
import json
import sys

import pyffish

START = pyffish.start_fen("flipello")


def theirs(square):
    """Their rows are counted from the bottom, and a move is a drop."""
    return "P@" + square[0] + str(9 - int(square[1]))


games = plies = wrong = 0
for line in sys.stdin:
    game = json.loads(line)
    moves = []
    for ply, legal in zip(game["plies"], game["legal"]):
        offered = pyffish.legal_moves("flipello", START, moves)
        expected = sorted(theirs(square) for square in legal)
        drops = sorted(move for move in offered if "@" in move)
        if drops != expected:
            print(f"after {moves}: they have {drops}, we {expected}")
            wrong += 1
            break
        passes = [move for move in offered if "@" not in move]
        if ply == "pass" and len(passes) != 1:
            print(f"after {moves}: they have no pass, we have")
            wrong += 1
            break
        moves.append(passes[0] if ply == "pass" else theirs(ply))
        plies += 1
    else:
        left = [move for move in pyffish.legal_moves("flipello", START, moves) if "@" in move]
        board = pyffish.get_fen("flipello", START, moves).split("[")[0]
        discs = [board.count("P"), board.count("p")]
        if left or discs != game["discs"]:
            print(f"at the end of {moves}: they have {discs} and {left}, we {game['discs']}")
            wrong += 1
    games += 1
print(f"{games} games, {plies} plies, {wrong} differences")
sys.exit(1 if wrong else 0)
