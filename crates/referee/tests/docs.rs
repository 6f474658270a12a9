//! What the documentation says of the tests is so.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

/// The examples of the documents are started as they are.
#[test]
fn the_examples_can_be_executed() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    for entry in fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        let mode = fs::metadata(&path).expect("its mode").permissions().mode();
        assert!(mode & 0o111 == 0o111, "{} is not executable", path.display());
    }
}

/// Each `module::test` that the page on faults names is there.
#[test]
fn the_tests_that_see_to_faults_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/faults.md")).expect("the page");
    let mut files = Vec::new();
    sources(&root.join("crates"), &mut files);
    let mut named = 0;
    for word in page.split('`').filter(|word| word.contains("::") && !word.contains(' ')) {
        let (module, test) = word.split_once("::").expect("a module");
        let of_module = files.iter().filter(|file| file.file_stem().is_some_and(|stem| stem == module));
        let holds = |file: &PathBuf| {
            let text = fs::read_to_string(file).expect("a source");
            text.contains(&format!("fn {test}(")) || text.contains(&format!("fn {test}<"))
        };
        assert!(of_module.into_iter().any(holds), "docs/faults.md names {word}, which is nowhere");
        named += 1;
    }
    assert!(named > 50, "only {named} are named");
}
