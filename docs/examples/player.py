#!/usr/bin/env python3
"""Plays the move that takes the most, corners first. Speaks `line`: a turn in, a move out."""
import json
import sys

for line in sys.stdin:
    turn = json.loads(line)
    size = len(turn["board"])
    edge = ("a", "abcdefgh"[size - 1], "1", str(size))

    def worth(move):
        return (move[0] in edge) + (move[1] in edge)

    print(max(turn["moves"], key=worth), flush=True)
