//! The house keeps its shape: no two files of a crate need each other, but for a module and its own children.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

/// A module by its path below the crate, as `["engine", "process"]`; empty for the crate itself.
type Module = Vec<String>;

#[test]
fn no_two_files_need_each_other() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut circles = Vec::new();
    for group in ["crates", "engines"] {
        for entry in fs::read_dir(top.join(group)).expect("the folder").flatten() {
            let source = entry.path().join("src");
            if source.is_dir() {
                let name = entry.file_name().to_string_lossy().into_owned();
                circles.extend(
                    circles_of(&arrows(&source)).into_iter().map(|circle| format!("{name}: {circle}")),
                );
            }
        }
    }
    assert!(circles.is_empty(), "imports that go round in a circle:\n{}", circles.join("\n"));
}

/// For each module of a crate the modules that its file names by `crate::` or `super::`. Tests are left out.
fn arrows(source: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut files = Vec::new();
    collect(source, &mut files);
    let texts: BTreeMap<Module, String> = files
        .iter()
        .filter_map(|file| {
            Some((module_of(source, file)?, without_tests(&fs::read_to_string(file).expect("a file"))))
        })
        .collect();
    // A name that a module takes over from one of its children stands for that child.
    let mut taken_over: BTreeMap<Module, Module> = BTreeMap::new();
    for (module, text) in &texts {
        for path in use_paths(text) {
            let absolute = [&module[..], &path[..]].concat();
            if let Some(target) = file_of(&texts, &absolute).filter(|target| target.len() > module.len()) {
                let name = path.last().expect("a path has a name").clone();
                taken_over.insert([&module[..], &[name]].concat(), target);
            }
        }
    }
    let mut arrows = BTreeMap::new();
    for (module, text) in &texts {
        let mut needed = BTreeSet::new();
        for path in use_paths(text).into_iter().chain(inline_paths(text)) {
            let Some(absolute) = resolved(module, &path) else { continue };
            let exact =
                (1..=absolute.len()).rev().find_map(|length| taken_over.get(&absolute[..length]).cloned());
            let is_file = |target: &Module| texts.contains_key(target);
            let direct = file_of(&texts, &absolute);
            needed.extend(direct.into_iter().chain(exact).filter(is_file).max_by_key(Vec::len));
        }
        needed.remove(module);
        arrows.insert(module.clone(), needed);
    }
    // A module is the registry of its children.
    for child in texts.keys().filter(|module| !module.is_empty()) {
        arrows.entry(child[..child.len() - 1].to_vec()).or_default().insert(child.clone());
    }
    arrows
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The module of a file; `None` for files of tests.
fn module_of(source: &Path, file: &Path) -> Option<Module> {
    let relative = file.strip_prefix(source).expect("below the source").with_extension("");
    let mut module: Module =
        relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    match module.last().map(String::as_str) {
        Some("mod" | "lib" | "main") => drop(module.pop()),
        Some("tests") => return None,
        _ => {}
    }
    Some(module)
}

/// A file up to its tests, without comments.
fn without_tests(text: &str) -> String {
    let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    product.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The paths that the `use` items of a file name, each from `crate`, `super` or a child on.
fn use_paths(text: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for (at, _) in text.match_indices("use ") {
        if !text[..at].chars().next_back().is_none_or(|before| before.is_whitespace() || before == ')') {
            continue;
        }
        if let Some((tree, _)) = text[at + 4..].split_once(';') {
            spread(&tree.split_whitespace().collect::<Vec<_>>().join(" "), &[], &mut paths);
        }
    }
    paths
}

/// Spreads `a::{b, c::d}` into its paths.
fn spread(tree: &str, before: &[String], paths: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once("::{") else {
        let tree = tree.split(" as ").next().unwrap_or(tree);
        let path: Vec<String> = tree.split("::").map(|part| part.trim().to_owned()).collect();
        if path.iter().all(|part| !part.is_empty()) {
            paths.push([before, &path[..]].concat());
        }
        return;
    };
    let before: Vec<String> = before.iter().cloned().chain(head.split("::").map(str::to_owned)).collect();
    let inside = rest.rsplit_once('}').map_or(rest, |(inside, _)| inside);
    let (mut depth, mut begin) = (0, 0);
    for (at, character) in inside.char_indices().chain([(inside.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                spread(&inside[begin..at], &before, paths);
                begin = at + 1;
            }
            _ => {}
        }
    }
}

/// Paths like `play::engine::Launch` that stand in the midst of code.
fn inline_paths(text: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for lead in ["crate::", "super::"] {
        for (at, _) in text.match_indices(lead) {
            let end = text[at..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            let path = &text[at..at + end.unwrap_or(text.len() - at)];
            paths.push(path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect());
        }
    }
    paths
}

/// A path from the crate on; `None` for what is outside or a child of one's own.
fn resolved(module: &[String], path: &[String]) -> Option<Module> {
    let mut place = match path.first().map(String::as_str) {
        Some("crate") => return Some(path[1..].to_vec()),
        Some("super") => module.to_vec(),
        _ => return None,
    };
    let ups = path.iter().take_while(|part| *part == "super").count();
    for _ in 0..ups {
        place.pop();
    }
    place.extend_from_slice(&path[ups..]);
    Some(place)
}

/// The deepest module with a file on the way.
fn file_of(texts: &BTreeMap<Module, String>, path: &[String]) -> Option<Module> {
    (0..=path.len()).rev().map(|length| path[..length].to_vec()).find(|module| texts.contains_key(module))
}

/// The circles, each once, as `a -> b -> a`. A module and what is below it belong together, so the way from one to the
/// other and back is none, nor is one that leads through the module to which both belong.
fn circles_of(arrows: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<String> {
    let mut circles = BTreeMap::new();
    for (from, targets) in arrows {
        for to in targets.iter().filter(|to| !to.starts_with(from) && !from.starts_with(to)) {
            let holds_both = |module: &Module| from.starts_with(module) && to.starts_with(module);
            let Some(way) = way(arrows, to, from, holds_both) else { continue };
            let members: BTreeSet<Module> = way.iter().cloned().collect();
            let names: Vec<String> = [from].into_iter().chain(&way).map(|module| module.join("/")).collect();
            circles.entry(members).or_insert_with(|| names.join(" -> "));
        }
    }
    circles.into_values().collect()
}

/// A shortest way from one module to another that leads through none of the closed ones.
fn way(
    arrows: &BTreeMap<Module, BTreeSet<Module>>,
    from: &Module,
    to: &Module,
    is_closed: impl Fn(&Module) -> bool,
) -> Option<Vec<Module>> {
    let mut ways = VecDeque::from([vec![from.clone()]]);
    let mut seen = BTreeSet::from([from.clone()]);
    while let Some(way) = ways.pop_front() {
        if way.last() == Some(to) {
            return Some(way);
        }
        for next in way.last().and_then(|last| arrows.get(last)).into_iter().flatten() {
            if !is_closed(next) && seen.insert(next.clone()) {
                ways.push_back([&way[..], std::slice::from_ref(next)].concat());
            }
        }
    }
    None
}

#[test]
fn a_circle_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("lib.rs", "mod a; mod b; pub mod c;");
    write("a.rs", "use crate::{b::{self, Thing}, c};");
    write("b.rs", "pub struct Thing; fn f() { crate::c::deep::g() }");
    write("c/mod.rs", "pub mod deep; pub use deep::g; mod other;");
    write("c/deep.rs", "use super::other; pub fn g() {}");
    write("c/other.rs", "");
    assert_eq!(circles_of(&arrows(folder.path())), [""; 0]);
    write("c/other.rs", "use crate::a::X;");
    assert!(!circles_of(&arrows(folder.path())).is_empty(), "a needs c, whose child needs a");
    write("c/other.rs", "#[cfg(test)]\nmod tests { use crate::a::X; }");
    assert_eq!(circles_of(&arrows(folder.path())), [""; 0]);
    write("c/other.rs", "use super::g;");
    assert_eq!(
        circles_of(&arrows(folder.path())),
        ["c/deep -> c/other -> c/deep"],
        "by a name of the registry"
    );
}
