#!/usr/bin/env python3
"""Moves the pastes of PrivateBin: privatebin.py URL KEY_FILE DATA_FOLDER"""

import json
import pathlib

from server import main


def pastes(folder):
    hexadecimal = "[0-9a-f]"
    name = "/".join([hexadecimal * 2, hexadecimal * 2, hexadecimal * 16])
    for file in sorted(pathlib.Path(folder).glob(name + "*")):
        if file.is_file():
            yield {"/?" + file.name[:16]: "/?"}, lambda: read(file)


def read(file):
    # A line of PHP comes first.
    paste = json.loads("{" + file.read_text().partition("{")[2])
    if paste.get("v") != 2:
        raise ValueError("It has the first version of the format. Only its readers can open it.")
    message = {name: paste[name] for name in ("v", "adata", "ct")}
    end = paste["meta"].get("expire_date")
    # Its key authenticates `adata` as JavaScript writes it.
    content = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
    if paste["adata"][2]:
        raise ValueError("It has a discussion.")
    return content.encode(), {"expires": end * 1000 if end else "never"}


main(pastes)
