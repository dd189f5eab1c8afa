//! The words of the command line: which rows to measure, how often, and the figures to compare with.

use crate::cell::Rounds;
use crate::rows::{GROUPS, Row};
use crate::{burst, footprint};

#[derive(Debug)]
pub(crate) struct Command {
    /// Whether all rows are measured at all numbers of connections.
    is_all: bool,
    pub(crate) rounds: Rounds,
    /// The name under which the figures are saved.
    pub(crate) save: Option<String>,
    /// The name of the baseline to compare with.
    pub(crate) against: Option<String>,
    /// Parts of the names of the rows to measure. If there are none, all usual rows are measured.
    names: Vec<String>,
}

impl Command {
    pub(crate) fn parse(words: &[String]) -> Self {
        let mut command = Self {
            is_all: false,
            rounds: Rounds::USUAL,
            save: None,
            against: None,
            names: Vec::new(),
        };
        let mut words = words.iter().cloned();
        while let Some(word) = words.next() {
            match word.as_str() {
                "all" => command.is_all = true,
                "quick" => command.rounds = Rounds::QUICK,
                "save" => command.save = Some(words.next().expect("`save` needs a name")),
                "against" => command.against = Some(words.next().expect("`against` needs a name")),
                _ => command.names.push(word),
            }
        }
        command
    }

    /// Returns whether there is something to measure. Prints the reason if not.
    pub(crate) fn is_possible(&self) -> bool {
        let rows = GROUPS.iter().flat_map(|group| group.rows);
        let mut names = rows
            .map(|row| row.name)
            .chain([burst::NAME, footprint::NAME]);
        let is_possible = names.any(|name| self.wants(name));
        if !is_possible {
            eprintln!("no row name contains one of these words: {:?}", self.names);
        }
        is_possible
    }

    /// Returns whether the row with this name was asked for.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|word| name.contains(word))
    }

    pub(crate) fn wants_row(&self, row: &Row) -> bool {
        self.wants(row.name) && (row.is_usual || self.is_all || !self.names.is_empty())
    }

    pub(crate) fn connections(&self, row: &Row) -> &'static [usize] {
        match self.is_all {
            true => row.connections,
            false => {
                let middle = row.connections.len() / 2;
                &row.connections[middle..=middle]
            }
        }
    }
}
