//! The instructions that a program runs in user mode, counted by `perf` or `valgrind`.
//!
//! `perf` reads the counters of the processor, which most virtual machines do not allow. `valgrind` simulates the
//! program, which is fifty times slower. Both count a whole process, so a figure is the difference of two runs.
#![allow(unreachable_pub, reason = "a part of a bench")]

use std::process::Command;

/// The tool that counts instructions.
#[derive(Debug, Clone, Copy)]
pub enum Counter {
    /// The counters of the processor.
    Perf,
    /// The simulated processor of valgrind.
    Valgrind,
}

impl Counter {
    /// Returns the best tool that works on this machine.
    pub fn find() -> Option<Self> {
        [Self::Perf, Self::Valgrind]
            .into_iter()
            .find(|counter| counter.count("true", &[]).is_some())
    }

    /// Counts the instructions of this program with these arguments, from its start to its end, in all its threads.
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
                    // Without this option, one busy thread may prevent the others from running.
                    "--fair-sched=yes",
                ],
            ),
        };
        let mut command = Command::new(program);
        command.args(args);
        command
    }

    /// Parses the count in a line such as `123,,instructions:u,…` or `==1== Collected : 123`.
    fn read(self, line: &str) -> Option<u64> {
        let count = match self {
            Self::Perf => line.split_once(",,instructions")?.0,
            Self::Valgrind => line.split_once("Collected :")?.1,
        };
        count.trim().parse().ok()
    }
}
