#!/usr/bin/env python3
"""Moves the documents of haste from Redis: haste.py URL KEY_FILE redis://[:PASSWORD@]HOST[:PORT][/DATABASE]"""

import socket
import urllib.parse

from server import main, stop


class Redis:
    def __init__(self, url):
        url = urllib.parse.urlsplit(url)
        self.stream = socket.create_connection((url.hostname, url.port or 6379)).makefile("rwb")
        if url.password:
            self.ask(b"AUTH", urllib.parse.unquote(url.password).encode())
        self.ask(b"SELECT", url.path.strip("/").encode() or b"0")

    def ask(self, *words):
        self.stream.write(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(it), it) for it in words))
        self.stream.flush()
        return self.answer()

    def answer(self):
        line = self.stream.readline()
        if not line:
            stop("Redis closed the connection.")
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            return None if rest == b"-1" else self.stream.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return [self.answer() for _ in range(int(rest))]
        if kind == b"-":
            raise ValueError(rest.decode())
        return rest


def pastes(url):
    redis, cursor = Redis(url), None
    while cursor != b"0":
        cursor, keys = redis.ask(b"SCAN", cursor or b"0", b"COUNT", b"1000")
        for key in keys:
            name = key.decode(errors="surrogateescape")
            yield {"/" + name: "/", "/raw/" + name: "/raw/"}, lambda: read(redis, key)


def read(redis, key):
    content, left = redis.ask(b"GET", key), int(redis.ask(b"PTTL", key))
    if not content:
        raise ValueError("It is empty or has expired.")
    return content, {"expires": "never" if left < 0 else f"{left // 1000 + 1}s"}


main(pastes)
