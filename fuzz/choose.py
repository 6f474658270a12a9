"""Chooses, of many inputs of a target, the few that show most: `choose.py PROGRAM INTO FOLDER...`.

What each input reaches is asked of libFuzzer, which is the slow part: the largest of the last folder are enough beside
all of the others. The input that reaches most that is new comes first, and so on, while there is room.
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile

MOST_INPUTS = 100
MOST_BYTES = 45_000
LARGEST = 300


def reached(program, path):
    """What libFuzzer's merge notes of a file, as sets of numbers."""
    with tempfile.NamedTemporaryFile("w+", suffix=".control") as control:
        control.write(f"1\n0\n{path.resolve()}\n")
        control.flush()
        arguments = ["-merge_inner=1", "-use_counters=0", f"-merge_control_file={control.name}"]
        subprocess.run([program, *arguments], stderr=subprocess.DEVNULL, check=True)
        lines = pathlib.Path(control.name).read_text().splitlines()
    return {number for line in lines if line.startswith("FT ") for number in line.split()[2:]}


def main(program, into, *folders):
    files = [sorted(pathlib.Path(folder).iterdir(), key=lambda path: -path.stat().st_size) for folder in folders]
    candidates = [path for each in files[:-1] for path in each] + files[-1][:LARGEST]
    left = {path: reached(program, path) for path in candidates}
    sizes = {path: path.stat().st_size for path in left}
    everything, seen, room, chosen = set().union(*left.values()), set(), MOST_BYTES, 0
    while chosen < MOST_INPUTS:
        fitting = [path for path in left if sizes[path] <= room]
        best = max(fitting, key=lambda path: (len(left[path] - seen), -sizes[path]), default=None)
        if best is None or not left[best] - seen:
            break
        seen |= left.pop(best)
        room -= sizes[best]
        chosen += 1
        data = best.read_bytes()
        (pathlib.Path(into) / hashlib.sha1(data).hexdigest()).write_bytes(data)
    print(f"{chosen} of {len(candidates)} inputs, {MOST_BYTES - room} bytes, {len(seen)} of {len(everything)} features")


main(*sys.argv[1:])
