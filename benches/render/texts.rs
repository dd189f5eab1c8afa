//! Texts to render: a few lines of common languages, and texts on which some highlighters were slow.

/// A few lines of some languages, repeated to 32 KiB.
pub(crate) const SAMPLES: [(&str, &str); 15] = [
    (
        "rust",
        "/// Adds.\nfn add(a: u32, b: &str) -> Option<u32> { Some(a + b.parse::<u32>().ok()? * 2) }\n",
    ),
    (
        "python",
        "def add(a, b=1):\n    \"\"\"Adds.\"\"\"\n    return [f\"{x!r}\" for x in range(a) if x > b]  # all\n",
    ),
    (
        "c",
        "/* adds */\nstatic int add(const char *a, size_t n) { return n ? a[0] + 0x1f : -1; }\n",
    ),
    (
        "cpp",
        "template <typename T> auto add(const std::vector<T>& a) -> T { return a.empty() ? T{} : a[0]; }\n",
    ),
    (
        "javascript",
        "export const add = async (a, b = 1) => { await f(`x${a}`); return a + b; }; // sum\n",
    ),
    (
        "typescript",
        "export function add<T extends number>(a: T, b?: string): Promise<T> { return g(a as T); }\n",
    ),
    (
        "go",
        "func Add(a int, b string) (int, error) { if b == \"\" { return 0, nil }; return a + 1, nil } // sum\n",
    ),
    (
        "java",
        "public static List<String> add(final int a, String b) { return List.of(b, \"x\" + a); } // sum\n",
    ),
    (
        "html",
        "<p class=\"a\" id='b'>text &amp; <a href=\"/x\">link</a><!-- note --></p>\n",
    ),
    (
        "json",
        "{\"name\": \"value\", \"list\": [1, 2.5, true, null], \"deep\": {\"a\": \"b\"}},\n",
    ),
    (
        "jsonl",
        "{\"name\": \"value\", \"list\": [1, 2.5, true, null], \"deep\": {\"a\": \"b\"}}\n",
    ),
    ("csv", "12,Ann,\"a, \"\"b\"\"\",2024-05-01,-3.5,,x\n"),
    (
        "bash",
        "for f in *.txt; do echo \"$f: $(wc -l < \"$f\")\" | grep -v '^0' && rm -- \"$f\"; done # all\n",
    ),
    (
        "log",
        "2026-05-04 12:00:00.123 ERROR [main] app.Orders: cannot show order 42\n\tat app.Orders.show(Orders.java:7)\n",
    ),
    (
        "markdown",
        "## Head\n\nSome **bold** and _soft_ words, `code`, [a link](http://x/y).\n\n- item\n",
    ),
];

/// Texts on which some highlighters were slow.
pub(crate) fn hostile() -> Vec<(&'static str, String)> {
    vec![
        ("20 kB of brackets on one line", "[({".repeat(7_000)),
        ("1 MiB on one line", "f(x, 1) ".repeat(1 << 17)),
        ("500,000 short lines", "x\n".repeat(500_000)),
        (
            "a patch of 1,000 files",
            "--- a\n+++ b\n@@ -1,8 +1,8 @@\n x\n-f(one, two)\n+f(one, 2)\n".repeat(1000),
        ),
        (
            "200,000 cells",
            format!("{}\n", "'1,".repeat(50)).repeat(4_000),
        ),
        (
            "4 MiB of JSON on one line",
            format!("[{}1]", "[1,{}],".repeat(590_000)),
        ),
        ("nested 20,000 deep", "{[(\n".repeat(20_000)),
        (
            "unterminated",
            format!("\"'`/* <!-- {}", "hello world\n".repeat(20_000)),
        ),
        (
            "lines of 500 brackets",
            format!("{}\n", "[({".repeat(166)).repeat(500),
        ),
        (
            "lines of 500 slashes",
            format!("{}\n", "/".repeat(500)).repeat(50),
        ),
        (
            "lines of 500 <",
            format!("{}\n", "<".repeat(500)).repeat(500),
        ),
        (
            "$(eval $(shell",
            format!("x := {}\n", "$(eval $(shell ".repeat(33)).repeat(500),
        ),
    ]
}

/// Lines that make a search backtrack: the start of each line, and the part that is repeated.
pub(crate) const HOSTILE_LINES: [(&str, &str); 14] = [
    ("", "/"),
    ("", "<"),
    ("", "([{"),
    ("", "$"),
    ("", "\\"),
    ("", " "),
    ("@a{", "@"),
    ("\"/&^", "`"),
    ("\"/&^", "~"),
    ("->*!\"/&^", "`_a0."),
    ("<a ]", ".<a<b"),
    ("+@a<a ", "*a(->*"),
    ("", "a={"),
    ("[_a(*_a", "f _a{a[)"),
];
