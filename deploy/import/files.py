#!/usr/bin/env python3
"""Moves a folder of files: files.py URL KEY_FILE FOLDER [MORE]

FOLDER is `upload` of rustypaste, `data` of haste, `files` of linx with `meta` as MORE, or `up` of 0x0 with its SQLite
database as MORE.
"""

import json
import os
import pathlib
import re
import sqlite3

from server import main

ALPHABET = "DEQhd2uFteibPwq0SWBInTpA_jcZL5GKz3YCR14Ulk87Jors9vNHgfaOmMXy6Vx-"


def pastes(folder, more=None):
    if not more:
        return rustypaste(pathlib.Path(folder))
    return (linx if os.path.isdir(more) else null_pointer)(pathlib.Path(folder), more)


def rustypaste(folder):
    """Its files, and those of haste, whose names are hashes."""
    for file in sorted(folder.rglob("*"), key=lambda file: (len(file.parts), file)):
        kind = str(file.parent.relative_to(folder))
        # rustypaste writes the time of the end after the name.
        name, end = re.fullmatch(r"(.*?)(?:\.(\d{13,}))?", file.name, re.DOTALL).groups()
        if file.is_file():
            yield {"/" + name: "/"}, lambda: of_kind(kind, name, file.read_bytes(), {"expires": end or "never"})


def of_kind(kind, name, content, options):
    if kind == "url":
        return content, {**options, "url": content.decode()}
    if kind not in (".", "oneshot"):
        raise ValueError(f"Nothing of the folder {kind} moves.")
    return content, {**options, **titled(name), **({"burn": 1} if kind == "oneshot" else {})}


def linx(folder, meta):
    for file in sorted(folder.glob("*")):
        yield {"/" + file.name: "/", "/selif/" + file.name: "/raw/"}, lambda: of_linx(file, pathlib.Path(meta))


def of_linx(file, meta):
    told = json.loads((meta / file.name).read_text())
    if told.get("access_key"):
        raise ValueError("It has a password. Only its readers can open it.")
    return file.read_bytes(), {"expires": told["expiry"] * 1000 or "never", **titled(file.name)}


def null_pointer(folder, database):
    database = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    for row in map(dict, database.execute("SELECT * FROM file")):
        name = encoded(row["id"]) + (row["ext"] or "")
        start = f"/s/{row['secret']}/" if row.get("secret") else "/"
        yield {start + name: "/"}, lambda: of_null_pointer(folder, name, row)
    for row in database.execute("SELECT * FROM url"):
        yield {"/" + encoded(row["id"]): "/"}, lambda: (row["url"].encode(), {"expires": "never", "url": row["url"]})


def of_null_pointer(folder, name, row):
    if row["removed"]:
        raise ValueError("Its operator removed it.")
    return (folder / row["sha256"]).read_bytes(), {"expires": row.get("expiration") or "never", **titled(name)}


def encoded(number):
    return (encoded(number // 64) if number >= 64 else "") + ALPHABET[number % 64]


def titled(name):
    """A title names the language too. A name without an ending is none."""
    return {"title": name} if "." in name else {}


main(pastes)
