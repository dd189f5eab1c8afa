//! Instructions: how many a program runs outside of the system, by whatever can count them here.
//!
//! `perf` asks the processor, which most virtual machines do not let it; `valgrind` counts by itself, fifty times slower.
//! Either tells the sum of a whole process, so a figure is the difference of two runs.
#![allow(unreachable_pub, reason = "a part of a bench")]

use std::process::Command;

/// What counts.
#[derive(Debug, Clone, Copy)]
pub enum Counter {
    /// The processor.
    Perf,
    /// A processor that valgrind plays.
    Valgrind,
}

impl Counter {
    /// The best that works here.
    pub fn find() -> Option<Self> {
        [Self::Perf, Self::Valgrind]
            .into_iter()
            .find(|counter| counter.count("true", &[]).is_some())
    }

    /// Instructions of this program with these arguments, from its start to its end, in all its threads.
    pub fn count(self, program: &str, args: &[String]) -> Option<u64> {
        let ran = self.command().arg(program).args(args).output().ok()?;
        let said = String::from_utf8(ran.stderr).ok()?;
        if !ran.status.success() {
            return None;
        }
        said.lines().find_map(|line| self.read(line))
    }

    fn command(self) -> Command {
        let (program, args): (&str, &[&str]) = match self {
            Self::Perf => ("perf", &["stat", "-x,", "-e", "instructions:u", "--"]),
            Self::Valgrind => (
                "valgrind",
                &[
                    "--tool=callgrind",
                    "--callgrind-out-file=/dev/null",
                    // Or one thread that works keeps the others from their turn.
                    "--fair-sched=yes",
                ],
            ),
        };
        let mut command = Command::new(program);
        command.args(args);
        command
    }

    /// The count in this line: `123,,instructions:u,…` or `==1== Collected : 123`.
    fn read(self, line: &str) -> Option<u64> {
        let count = match self {
            Self::Perf => line.split_once(",,instructions")?.0,
            Self::Valgrind => line.split_once("Collected :")?.1,
        };
        count.trim().parse().ok()
    }
}
