//! Lines of real programs and libraries, and the texts that are logs.

use super::LogLevel::{Debug, Error, Info, Warning};
use super::*;

/// Lines, each with its level and the part that states it.
const LINES: &[(&str, Option<(LogLevel, &str)>)] = &[
    // Java: Logback, Log4j, java.util.logging, Spring, Maven
    (
        "2026-05-04 12:00:00.123  WARN 7 --- [main] o.s.Boot : hi",
        Some((Warning, "WARN")),
    ),
    (
        "12:00:00.123 [main] DEBUG c.x.Main - error: none",
        Some((Debug, "DEBUG")),
    ),
    (
        "SEVERE: Servlet.service() threw exception",
        Some((Error, "SEVERE")),
    ),
    ("FINEST: entering", Some((Debug, "FINEST"))),
    ("[INFO] Scanning for projects...", Some((Info, "INFO"))),
    (
        "Exception in thread \"main\" java.lang.NullPointerException",
        Some((Error, "")),
    ),
    // Python: logging, Django, Celery, uvicorn, Loguru, structlog, Tornado
    ("ERROR:root:division by zero", Some((Error, "ERROR"))),
    (
        "2026-05-04 12:00:00,123 - app.db - CRITICAL - no space",
        Some((Error, "CRITICAL")),
    ),
    (
        "[2026-05-04 12:00:00,123: ERROR/MainProcess] lost",
        Some((Error, "ERROR")),
    ),
    (
        "INFO:     127.0.0.1:5 - \"GET / HTTP/1.1\" 500 Internal Server Error",
        Some((Info, "INFO")),
    ),
    (
        "2026-05-04 12:00:00.123 | WARNING  | app:main:5 - hi",
        Some((Warning, "WARNING")),
    ),
    (
        "2026-05-04T12:00:00Z [error    ] failed   user=5",
        Some((Error, "error")),
    ),
    ("[E 260504 12:00:00 web:2239] 500 GET /", Some((Error, "E"))),
    ("Traceback (most recent call last):", Some((Error, ""))),
    // Go: log/slog, logrus, zap, zerolog, klog, hclog, panic
    (
        "2026/05/04 12:00:00 WARN slow query ms=800",
        Some((Warning, "WARN")),
    ),
    (
        "time=2026-05-04T12:00:00.1Z level=INFO msg=\"an ERROR\"",
        Some((Info, "INFO")),
    ),
    (
        "time=\"2026-05-04T12:00:00Z\" level=warning msg=x",
        Some((Warning, "warning")),
    ),
    ("FATA[0001] no such file", Some((Error, "FATA"))),
    (
        "2026-05-04T12:00:00.123Z\tdebug\tmain.go:12\tstarting",
        Some((Debug, "debug")),
    ),
    ("12:00PM INF listening port=80", Some((Info, "INF"))),
    (
        "E0504 12:00:00.123456    7 kubelet.go:42] no node",
        Some((Error, "E")),
    ),
    (
        "2026-05-04T12:00:00.123Z [WARN]  agent: no leader",
        Some((Warning, "WARN")),
    ),
    (
        "panic: runtime error: index out of range",
        Some((Error, "panic")),
    ),
    ("lvl=eror msg=\"gone\" t=5", Some((Error, "eror"))),
    // Rust: tracing, env_logger, a panic, cargo
    (
        "2026-05-04T12:00:00.123456Z TRACE app::db: query",
        Some((Debug, "TRACE")),
    ),
    (
        "[2026-05-04T12:00:00Z ERROR app] boom",
        Some((Error, "ERROR")),
    ),
    (
        "thread 'main' panicked at src/main.rs:3:5:",
        Some((Error, "")),
    ),
    ("error[E0308]: mismatched types", Some((Error, "error"))),
    ("warning: unused variable: `x`", Some((Warning, "warning"))),
    // JavaScript: Pino, Bunyan, Winston, npm, an exception
    (
        "{\"level\":30,\"time\":1777896000,\"msg\":\"ERROR\"}",
        Some((Info, "30")),
    ),
    (
        "{\"name\":\"app\",\"level\": 50,\"msg\":\"x\"}",
        Some((Error, "50")),
    ),
    (
        "{\"message\":\"\\\"level\\\":\\\"info\\\"\",\"level\":\"error\"}",
        Some((Error, "error")),
    ),
    (
        "error: connect ECONNREFUSED {\"service\":\"user\"}",
        Some((Error, "error")),
    ),
    ("npm ERR! code ENOENT", Some((Error, "ERR"))),
    ("npm warn deprecated glob@7.2.3", Some((Warning, "warn"))),
    ("Error: Cannot find module 'x'", Some((Error, "Error"))),
    // JSON of other programs
    (
        "{\"severity\":\"NOTICE\",\"textPayload\":\"x\"}",
        Some((Info, "NOTICE")),
    ),
    (
        "{\"@timestamp\":\"2026-05-04T12:00:00Z\",\"log.level\":\"WARN\"}",
        Some((Warning, "WARN")),
    ),
    (
        "{\"t\":{\"$date\":\"2026-05-04T12:00:00Z\"},\"s\":\"E\",\"c\":\"NETWORK\"}",
        Some((Error, "E")),
    ),
    (
        "{\"Timestamp\":\"2026-05-04\",\"Level\":\"Information\"}",
        Some((Info, "Information")),
    ),
    (
        "{\"version\":\"1.1\",\"host\":\"h\",\"level\":4}",
        Some((Warning, "4")),
    ),
    ("{\"msg\":\"ERROR\",\"levels\":[1]}", None),
    // Servers: nginx, Apache, PostgreSQL, MySQL, HAProxy, Heroku, PHP
    (
        "2026/05/04 12:00:00 [error] 7#7: *1 open() failed",
        Some((Error, "error")),
    ),
    (
        "2026/05/04 12:00:00 [crit] 7#7: out of memory",
        Some((Error, "crit")),
    ),
    (
        "2026/05/04 12:00:00 [notice] 1#1: start worker",
        Some((Info, "notice")),
    ),
    (
        "[Wed Oct 11 14:32:52.123 2026] [core:error] [pid 7] denied",
        Some((Error, "error")),
    ),
    (
        "2026-05-04 12:00:00.123 UTC [7] ERROR:  relation \"x\"",
        Some((Error, "ERROR")),
    ),
    (
        "2026-05-04 12:00:00.123 UTC [7] LOG:  checkpoint starting",
        None,
    ),
    (
        "2026-05-04T12:00:00.123456Z 0 [Warning] [MY-010] [Server] x",
        Some((Warning, "Warning")),
    ),
    (
        "at=error code=H12 desc=\"Request timeout\"",
        Some((Error, "error")),
    ),
    (
        "[04-May-2026 12:00:00 UTC] PHP Fatal error:  Uncaught",
        Some((Error, "error")),
    ),
    (
        "PHP Warning:  Undefined variable $x in /a.php",
        Some((Warning, "Warning")),
    ),
    // Laravel, Rails, Elixir, .NET, Serilog
    (
        "[2026-05-04 12:00:00] local.ERROR: boom",
        Some((Error, "ERROR")),
    ),
    (
        "E, [2026-05-04T12:00:00.123 #7] ERROR -- : boom",
        Some((Error, "E")),
    ),
    ("12:00:00.123 [info] Running App", Some((Info, "info"))),
    (
        "fail: Microsoft.AspNetCore.Server.Kestrel[13]",
        Some((Error, "fail")),
    ),
    ("[12:00:00 DBG] starting", Some((Debug, "DBG"))),
    // Systems: syslog, journal, kernel, Android, Windows, Minecraft
    (
        "<11>1 2026-05-04T12:00:00Z host app - - - x",
        Some((Error, "<11>")),
    ),
    ("<30>May  4 12:00:00 host app: x", Some((Info, "<30>"))),
    (
        "May  4 12:00:00 host sshd[7]: error: maximum attempts",
        Some((Error, "error")),
    ),
    (
        "May  4 12:00:00 host systemd[1]: Started error reporting.",
        None,
    ),
    ("[    0.123456] usb 1-1: new device", None),
    (
        "05-04 12:00:00.123  1234  5678 E AndroidRuntime: FATAL",
        Some((Error, "E")),
    ),
    ("05-04 12:00:00.123 W/Tag(  12): slow", Some((Warning, "W"))),
    (
        "2026-05-04 12:00:00, Info                  CBS    x",
        Some((Info, "Info")),
    ),
    (
        "[12:00:00] [Server thread/WARN]: Can't keep up!",
        Some((Warning, "WARN")),
    ),
    // Builds: compilers, Docker, continuous integration
    ("main.c:3:5: error: expected ';'", Some((Error, "error"))),
    (
        "main.c:3:10: fatal error: x.h: No such file",
        Some((Error, "error")),
    ),
    (
        "src/a.ts(1,2): warning TS6133: unused",
        Some((Warning, "warning")),
    ),
    (
        "2026-05-04T12:00:00.1234567Z ##[error]Process completed",
        Some((Error, "error")),
    ),
    ("#12 ERROR: failed to solve", Some((Error, "ERROR"))),
    // Messages that only talk about levels
    (
        "127.0.0.1 - - [04/May/2026:12:00:00 +0000] \"GET /error HTTP/1.1\" 404 9",
        None,
    ),
    ("2026-05-04 12:00:00 retrying after error", None),
    ("LOG_LEVEL=DEBUG is set; no warning", None),
    ("0 errors, 3 warnings", None),
    // Failures by another name
    ("KeyError: 'north'", Some((Error, ""))),
    ("java.io.IOException: no power", Some((Error, ""))),
    ("a.py:3: DeprecationWarning: old", Some((Warning, ""))),
    ("12:00:00 WARN a.BException: x", Some((Warning, "WARN"))),
    ("make: *** [Makefile:3: all] Error 1", Some((Error, ""))),
    ("not ok 2 - closes", Some((Error, ""))),
    ("the last of many Error: words", None),
    ("java.lang.OutOfMemoryError", None),
    ("ERROR_CODE 5, PRE-ERROR, INFO1", None),
    ("", None),
];

#[test]
fn a_line_has_the_level_that_it_states() {
    for (line, expected) in LINES {
        let level = LogLine::of(line).level;
        let level = level.map(|(level, at)| (level, &line[at]));
        assert_eq!(level, *expected, "{line}");
    }
}

#[test]
fn a_line_has_the_time_of_its_event() {
    for (line, expected) in [
        (
            "2026-05-04T12:00:00.123456+02:00 INFO x",
            Some("2026-05-04T12:00:00.123456+02:00"),
        ),
        (
            "2026-05-04 12:00:00,123 - x",
            Some("2026-05-04 12:00:00,123"),
        ),
        ("2026-05-04 12:00:00Z x", Some("2026-05-04 12:00:00Z")),
        ("May  4 12:00:00 host x", Some("May  4 12:00:00")),
        (
            "1.2.3.4 - - [04/May/2026:12:00:00 +0000] \"GET",
            Some("04/May/2026:12:00:00 +0000"),
        ),
        (
            "2001:db8:1111:2222:3333:4444:5555:6666 - - [04/May/2026:12:00:00 +0000]",
            Some("04/May/2026:12:00:00 +0000"),
        ),
        ("E0504 12:00:00.5 x", Some("0504 12:00:00.5")),
        ("INFO 12:00:00 x", Some(" 12:00:00")),
        ("[   12.345678] usb", Some("[   12.345678]")),
        ("[12] [3.5] x", None),
        ("at 12:00 we ate", None),
        ("1:2:3", None),
        ("é 12:00:00", Some(" 12:00:00")),
    ] {
        let time = LogLine::of(line).time.map(|time| &line[time]);
        assert_eq!(time, expected, "{line}");
    }
}

#[test]
fn a_text_is_a_log_if_most_of_its_lines_have_a_time_or_a_level() {
    let is_table = [false, true];
    for (text, expected) in [
        (
            "12:00:01 up\n12:00:02 on\n  by hand\n12:00:03 down",
            [true, false],
        ),
        ("[INFO] a\n[WARN] b\n  c\n[INFO] d", [true, true]),
        (
            "{\"level\":\"info\"}\n{\"level\":\"info\"}\n{\"level\":30}",
            [true, true],
        ),
        ("level=info a\nlevel=info b\nlevel=warn c\nd", [true, true]),
        (
            "12:00:01 INFO up\n12:00:02 ERROR failed\nTraceback (most recent call last):\n  File \"a.py\", line 1\n    b()\n\
             KeyError: \"c\"\n12:00:03 INFO on",
            [true, true],
        ),
        ("12:00:01 up\nat ease\n12:00:02 on\nfor now", [false, false]),
        ("12:00:01 up\n12:00:02 on", [false, false]),
        (
            "web | 12:00:01 up\ndb  | 12:00:02 on\nweb | 12:00:03 down",
            [true, false],
        ),
        (
            "web-6d4cf56db6-7q8rk app 2026-11-23T17:56:31.123Z up\n\
             web-6d4cf56db6-7q8rk the app Nov  3 17:56:32 on\n\
             [main thread pool] 17:56:33 down",
            [true, false],
        ),
        (
            "UID   PID  PPID  C STIME TTY          TIME CMD\n\
             root   12     1  0 17:21 ?        00:00:00 sshd\n\
             root   13    12  0 17:21 pts/0    00:00:01 bash\n\
             root   14    13  0 17:22 pts/0    00:00:00 ps -ef\n\
             root   15    13  0 17:22 pts/0    00:00:00 less",
            [false, false],
        ),
        (
            "DEBUG = 10\nINFO = 20\nWARN = 30\nERROR = 40",
            [false, false],
        ),
        ("  ERROR,\n  WARN,\n  INFO,\n  DEBUG,", [false, false]),
        (
            "An ERROR is bad.\nA WARNING is not.\nAnd INFO\nis fine.",
            [false, false],
        ),
        ("", [false, false]),
    ] {
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            is_table.map(|is_table| is_log(&lines, is_table)),
            expected,
            "{text}"
        );
    }
}
