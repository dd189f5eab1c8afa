//! The imports between the files of the program, parsed from the sources.
//!
//! Names that a module re-exports count as imports of the file that defines them. Tests inside of files do not count.

use std::collections::{BTreeMap, BTreeSet};

use crate::{code, sources};

/// A module's path below the crate, such as `["http", "request", "route"]`.
pub(crate) type Module = Vec<String>;

/// The files that each file imports from.
pub(crate) struct Imports {
    files: BTreeSet<Module>,
    /// The path of each re-exported name, and the path of its definition.
    exports: BTreeMap<Module, Module>,
    pub(crate) edges: BTreeMap<Module, BTreeSet<Module>>,
}

/// One path of a `use` statement, and whether it is re-exported.
struct Use {
    is_export: bool,
    path: Vec<String>,
}

impl Imports {
    /// The imports of everything in `src`.
    pub(crate) fn read() -> Self {
        let texts: BTreeMap<Module, String> = sources("src")
            .into_iter()
            .filter(|(file, _)| !file.contains("tests"))
            .map(|(file, text)| (module(&file), production(&text)))
            .collect();
        let mut imports = Self {
            files: texts.keys().cloned().collect(),
            exports: BTreeMap::new(),
            edges: BTreeMap::new(),
        };
        let uses: Vec<(Module, Use)> = texts
            .iter()
            .flat_map(|(module, text)| uses(text).into_iter().map(|it| (module.clone(), it)))
            .collect();
        for (module, import) in uses.iter().filter(|(_, import)| import.is_export) {
            if let Some(path) = imports.absolute(module, &import.path) {
                let name = path.last().expect("a path has a last part").clone();
                imports
                    .exports
                    .insert([module.as_slice(), &[name]].concat(), path);
            }
        }
        for (module, import) in uses.iter().filter(|(_, import)| !import.is_export) {
            let path = imports.absolute(module, &import.path);
            let target = path.and_then(|path| imports.file_of(&path, 0));
            if let Some(target) = target.filter(|target| target != module) {
                imports
                    .edges
                    .entry(module.clone())
                    .or_default()
                    .insert(target);
            }
        }
        imports
    }

    /// Returns the path from the crate's root, or `None` if it is in another crate.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Module> {
        let above = path.iter().take_while(|part| *part == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "super" => {
                let base = &module[..module.len().checked_sub(above)?];
                Some([base, &path[above..]].concat())
            }
            "self" => Some([module.as_slice(), &path[1..]].concat()),
            child => {
                let child = [module.as_slice(), &[child.to_owned()]].concat();
                let is_child = self.files.contains(&child);
                is_child.then(|| [module.as_slice(), path].concat())
            }
        }
    }

    /// Returns the file that defines the item at this path.
    fn file_of(&self, path: &[String], depth: usize) -> Option<Module> {
        const LONGEST_CHAIN: usize = 9;
        let longest = (0..=path.len()).rev();
        let exported = longest.clone().find_map(|length| {
            let target = self.exports.get(&path[..length])?;
            (target != &path[..length]).then(|| [target, &path[length..]].concat())
        });
        match exported {
            Some(target) if depth < LONGEST_CHAIN => self.file_of(&target, depth + 1),
            _ => longest
                .map(|length| path[..length].to_vec())
                .find(|module| self.files.contains(module)),
        }
    }

    /// Returns a circle of files, if there is one. Each file imports from the next, and the last one from the first.
    pub(crate) fn circle(&self) -> Option<Vec<Module>> {
        let mut done = BTreeSet::new();
        self.files
            .iter()
            .find_map(|file| self.circle_from(file, &mut Vec::new(), &mut done))
    }

    fn circle_from(
        &self,
        file: &Module,
        way: &mut Vec<Module>,
        done: &mut BTreeSet<Module>,
    ) -> Option<Vec<Module>> {
        if let Some(start) = way.iter().position(|before| before == file) {
            return Some(way[start..].to_vec());
        }
        if done.contains(file) {
            return None;
        }
        way.push(file.clone());
        let next = self.edges.get(file).into_iter().flatten();
        let found = next
            .into_iter()
            .find_map(|next| self.circle_from(next, way, done));
        way.pop();
        done.insert(file.clone());
        found
    }
}

fn module(file: &str) -> Module {
    let path = file.trim_start_matches("src/").trim_end_matches(".rs");
    path.split('/')
        .filter(|part| !matches!(*part, "mod" | "lib"))
        .map(str::to_owned)
        .collect()
}

/// The code of a file without its tests and comments, in one line.
fn production(text: &str) -> String {
    let tests = "\n#[cfg(test)]\nmod tests";
    let end = text.find(tests).unwrap_or(text.len());
    let code = code(&text[..end]).collect::<Vec<_>>().join(" ");
    // The scope of a visibility is not an import.
    code.replace("pub(in crate::", "pub(in ")
}

/// Every `use` in a text, with one path for each name in its braces.
fn uses(text: &str) -> Vec<Use> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("use ") {
        let Some((tree, behind)) = after.split_once(';') else {
            break;
        };
        let before = before.trim_end();
        let is_export = before.ends_with("pub") || before.ends_with(')');
        let is_use = is_export || before.is_empty() || before.ends_with([';', '}', '{', ']']);
        if is_use {
            let mut paths = Vec::new();
            branches(&[], tree, &mut paths);
            found.extend(paths.into_iter().map(|path| Use { is_export, path }));
            rest = behind;
        } else {
            rest = after;
        }
    }
    found.extend(inline_paths(text).map(|path| Use {
        is_export: false,
        path,
    }));
    found
}

/// Every path from the crate's root that occurs in an expression or a type.
fn inline_paths(text: &str) -> impl Iterator<Item = Vec<String>> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    text.split("crate::").skip(1).filter_map(move |rest| {
        let path = rest.split(|c| !is_part(c)).next()?;
        let parts = path.split("::").filter(|part| !part.is_empty());
        Some(
            ["crate"]
                .into_iter()
                .chain(parts)
                .map(str::to_owned)
                .collect(),
        )
    })
}

/// The paths of a tree such as `a::{b, c::{d, e}}`.
fn branches(stem: &[String], tree: &str, paths: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    let (path, group) = match tree.split_once('{') {
        Some((path, group)) => (path, group.strip_suffix('}')),
        None => (tree, None),
    };
    let parts = path
        .split("::")
        .map(|part| part.split(" as ").next().unwrap_or(part).trim());
    let parts = parts.filter(|part| {
        !part.is_empty() && !matches!(*part, "self" | "*") || *part == "self" && stem.is_empty()
    });
    let stem: Vec<String> = stem
        .iter()
        .cloned()
        .chain(parts.map(str::to_owned))
        .collect();
    let Some(group) = group else {
        if !stem.is_empty() {
            paths.push(stem);
        }
        return;
    };
    let (mut depth, mut start) = (0, 0);
    for (place, character) in group.char_indices().chain([(group.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                branches(&stem, &group[start..place], paths);
                start = place + 1;
            }
            _ => {}
        }
    }
}
