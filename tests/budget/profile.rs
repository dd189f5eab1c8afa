//! What a request costs, in all and by function: as counted now, and as `budgets.txt` has it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;

/// The set variable by which the budgets are written again.
const WRITE: &str = "TIDEBIN_WRITE_BUDGETS";

/// Functions that spend fewer instructions per request are not in the file.
const LEAST: u64 = 100;

/// The instructions of one request.
#[derive(Debug, Default, PartialEq)]
pub struct Profile {
    total: u64,
    functions: BTreeMap<String, u64>,
}

impl Profile {
    /// Parses the counts that callgrind wrote for this many requests. The format is in the manual of valgrind, section
    /// "Callgrind Format Specification". A line of costs after `calls=` is that of the called function.
    pub fn parse(counts: &str, requests: usize) -> Self {
        let requests = u64::try_from(requests).unwrap();
        let mut names = HashMap::new();
        let mut functions: BTreeMap<String, u64> = BTreeMap::new();
        let (mut total, mut current, mut is_of_call) = (0, String::new(), false);
        for line in counts.lines() {
            if let Some((kind @ ("fn" | "cfn"), name)) = line.split_once('=') {
                let (id, name) = name.split_once(' ').unwrap_or((name, ""));
                let name = match name {
                    "" => names.get(id).cloned().unwrap_or_default(),
                    name => name.to_owned(),
                };
                names.insert(id, name.clone());
                if kind == "fn" {
                    current = name;
                }
            } else if line.starts_with("calls=") {
                is_of_call = true;
            } else if let Some((position, cost)) = line.split_once(' ')
                && position.starts_with(|it: char| it.is_ascii_digit() || "+-*".contains(it))
                && !std::mem::take(&mut is_of_call)
            {
                let cost: u64 = cost.trim().parse().unwrap();
                total += cost;
                *functions.entry(current.clone()).or_default() += cost;
            }
        }
        functions.values_mut().for_each(|cost| *cost /= requests);
        functions.retain(|_, cost| *cost >= LEAST);
        Self {
            total: total / requests,
            functions,
        }
    }

    /// Returns what to tell if this costs 3 % more than the budget.
    fn excess(&self, name: &str, budget: &Self) -> Option<String> {
        if self.total * 100 <= budget.total * 103 {
            return None;
        }
        let mut grown: Vec<(u64, &str)> = Vec::new();
        for (function, cost) in &self.functions {
            let before = budget.functions.get(function).copied().unwrap_or(0);
            grown.push((cost.saturating_sub(before), function));
        }
        grown.sort_unstable_by(|one, other| other.cmp(one));
        let mut told = format!(
            "A {name} costs {} instructions, and its budget is {}. These functions grew:\n",
            self.total, budget.total
        );
        for (growth, function) in grown.iter().take(10).filter(|(growth, _)| *growth > 0) {
            writeln!(told, "{growth:>8} {function}").unwrap();
        }
        told += "To raise the budget, run this test with TIDEBIN_WRITE_BUDGETS=1, and say in the commit why.";
        Some(told)
    }
}

/// Compares a request with its budget, or writes the budget.
pub fn check(name: &str, counted: Profile) {
    // Tests run beside each other.
    static FILE: Mutex<()> = Mutex::new(());
    let _one = FILE.lock().unwrap();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/budget/budgets.txt");
    let mut budgets = read(&std::fs::read_to_string(&path).unwrap_or_default());
    if std::env::var_os(WRITE).is_some() {
        budgets.insert(name.to_owned(), counted);
        std::fs::write(&path, write(&budgets)).unwrap();
        return;
    }
    let budget = budgets
        .get(name)
        .unwrap_or_else(|| panic!("no budget of a {name}"));
    if let Some(excess) = counted.excess(name, budget) {
        panic!("{excess}");
    }
}

/// Each kind of request has a line with its name and budget, and below it an indented one for each function.
fn write(budgets: &BTreeMap<String, Profile>) -> String {
    let mut text = String::new();
    for (name, profile) in budgets {
        writeln!(text, "{} {name}", profile.total).unwrap();
        for (function, cost) in &profile.functions {
            writeln!(text, "  {cost} {function}").unwrap();
        }
    }
    text
}

fn read(text: &str) -> BTreeMap<String, Profile> {
    let mut budgets: BTreeMap<String, Profile> = BTreeMap::new();
    let mut name = String::new();
    for line in text.lines() {
        let (cost, of) = line.trim_start().split_once(' ').unwrap();
        let cost = cost.parse().unwrap();
        if line.starts_with(' ') {
            let profile = budgets.get_mut(&name).unwrap();
            profile.functions.insert(of.to_owned(), cost);
        } else {
            name = of.to_owned();
            budgets.entry(name.clone()).or_default().total = cost;
        }
    }
    budgets
}

#[test]
fn the_counts_of_callgrind_are_summed_by_function_without_those_of_called_ones() {
    let counts = "\
        fn=(1) main\n0 1000\ncfn=(2) help\ncalls=2 0\n0 4000\n0 600\n\
        fn=(2)\n0 4000\n+3 10\nfn=(3) idle\n0 6\ntotals: 5616\n";
    let profile = Profile::parse(counts, 4);
    let functions = [("main", 400), ("help", 1002)].map(|(name, cost)| (name.to_owned(), cost));
    assert_eq!(
        profile,
        Profile {
            total: 1404,
            functions: functions.into(),
        }
    );
    let budgets = BTreeMap::from([("read".to_owned(), profile)]);
    assert_eq!(read(&write(&budgets)), budgets);
}

#[test]
fn three_per_cent_more_are_an_excess_that_names_what_grew() {
    let profile = |total, main, help| Profile {
        total,
        functions: [("main", main), ("help", help)]
            .map(|(name, cost): (&str, u64)| (name.to_owned(), cost))
            .into(),
    };
    let budget = profile(1000, 400, 600);
    assert_eq!(profile(1030, 430, 600).excess("read", &budget), None);
    let told = profile(1031, 400, 631).excess("read", &budget).unwrap();
    assert!(
        told.contains("1031") && told.contains("31 help") && !told.contains("main"),
        "{told}"
    );
}
