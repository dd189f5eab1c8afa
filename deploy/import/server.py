"""Saves what another pastebin has: each paste once, at its old address where that is a legal slug.

The journal, `moved.map` in the current folder, has a line for each old path. So an import that ended goes on there, and
a second one saves nothing. nginx reads the same file as a map of old paths to new ones: what stays is a comment.
"""

import hashlib
import http.client
import json
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class Server:
    def __init__(self, url, key_file):
        self.url = url.rstrip("/")
        with open(key_file) as file:
            self.key = {"Authorization": "Bearer " + file.read().split()[-1]}

    def ask(self, method, path, body=None, kind="application/octet-stream"):
        """Returns the status and the body of the response. Waits as long as the server asks for."""
        while True:
            request = urllib.request.Request(self.url + path, body, {"Content-Type": kind, **self.key}, method=method)
            try:
                with urllib.request.urlopen(request, timeout=60) as response:
                    return response.status, response.read()
            except urllib.error.HTTPError as error:
                told, seconds = error.read(), error.headers["Retry-After"]
                if not seconds:
                    return error.code, told
            except (OSError, http.client.HTTPException) as error:
                stop(error)
            tell(f"Waiting {seconds} seconds: {text(told)}")
            time.sleep(int(seconds))

    def save(self, old, content, options):
        """Saves a paste, and returns its slug: the last part of its old path, or else a hash of the path."""
        name = re.split(r"[/?]", old)[-1].split(".")[0]
        hashed = "moved-" + hashlib.sha256(old.encode(errors="surrogateescape")).hexdigest()[:20]
        is_slug = re.fullmatch("[a-z0-9-]{3,64}", name) and len(name) != 12
        for slug in [name, hashed] if is_slug else [hashed]:
            query = urllib.parse.urlencode({**options, "slug": slug}, errors="replace")
            if "url" in options:
                status, told = self.ask("POST", "/", query.encode(), "application/x-www-form-urlencoded")
            else:
                status, told = self.ask("PUT", "/?" + query, content)
            if status in (200, 201) or status == 409 and self.has(slug, content):
                return slug
            if status not in (400, 409, 413, 451):
                stop(text(told), f" at {old}")
        raise ValueError(text(told))

    def has(self, slug, content):
        status, told = self.ask("GET", "/api/v1/pastes/" + slug)
        found = json.loads(told) if status == 200 else {"size": None}
        is_read = lambda: self.ask("GET", "/raw/" + slug) == (200, content)
        return found["size"] == len(content) and (found["reads_left"] or is_read())


def text(told):
    return told.decode(errors="replace").strip()


def tell(line):
    print(line, file=sys.stderr, flush=True)


def stop(reason, place=""):
    sys.exit(f"Stopped{place}: {reason}\nRun it again to go on.")


def move(server, pastes):
    """Saves these pastes. Each is its old paths, with the start that replaces theirs, and a function that reads its
    content and options, or raises an error with the reason why it stays behind."""
    saved = known = left = 0
    with open("moved.map", "a+b") as journal:
        journal.seek(0)
        # The end of the last import may have cut the last line.
        lines = b"".join(journal.read().rpartition(b"\n")[:2])
        journal.truncate(len(lines))
        done = {line.strip(b"# ").rpartition(b" ")[0] for line in lines.splitlines()}
        for paths, read in pastes:
            # nginx ignores case in a map, except in regular expressions.
            keys = [json.dumps(f"~^{re.escape(path)}$", ensure_ascii=False) for path in paths]
            keys = [key.encode(errors="surrogateescape") for key in keys]
            if keys[0] in done:
                known += 1
                continue
            try:
                content, options = read()
                slug = server.save(next(iter(paths)), content, options)
            except (ValueError, KeyError, OSError) as error:
                left += 1
                tell(f"Left out {next(iter(paths))}: {error}")
                continue
            for (path, start), key in zip(paths.items(), keys):
                new = urllib.parse.urlsplit(server.url).path + start + slug
                stays = re.fullmatch(re.escape(new) + r"(\.\w+)?", path)
                journal.write(b"%s%s %s;\n" % (b"# " if stays else b"", key, new.encode()))
            journal.flush()
            done.add(keys[0])
            saved += 1
    if not saved + known + left:
        sys.exit("Found no pastes there.")
    print(f"{saved} saved, {known} were saved before, {left} left out")


def main(read):
    """Runs a script with the arguments URL, KEY_FILE and those of the function that lists the pastes."""
    if len(sys.argv) < 4:
        sys.exit(sys.modules["__main__"].__doc__)
    try:
        url, key_file, *arguments = sys.argv[1:]
        move(Server(url, key_file), read(*arguments))
    except (Exception, KeyboardInterrupt) as error:
        stop(str(error) or type(error).__name__)
