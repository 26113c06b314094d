//! Arrows between crates point down only, so that a crate can be read without the ones above it.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::{capture, cargo};

/// Bottom to top. A crate may depend on those in the layers below its own, not on its neighbours.
const LAYERS: &[&[&str]] = &[
    &["privet-core"],
    &["privet-mechanisms"],
    &["privet-estimators", "privet-plot"],
    &["privet-limit"],
    &["privet-model"],
    &["privet-joint", "privet-trajectory", "privet-vector", "privet-classifier"],
    &["privet-policy", "privet-coverage"],
    &["privet"],
    &["privet-papers", "privet-collector"],
    &["privet-bench"],
    &["privet-cli", "privet-python", "privet-wasm"],
];

const TESTKIT: &str = "privet-testkit";

/// The highest crate that the testkit may depend on.
const BELOW_TESTKIT: &str = "privet-estimators";

/// It stands on no other crate, so that it can still report on one that does not compile.
const XTASK: &str = "xtask";

/// These are not tests, so not even their own tests are a reason to use the testkit.
const NEVER_TESTKIT: &[&str] = &["privet-bench", XTASK];

pub(crate) fn check() -> Result<()> {
    let text = capture(cargo(&["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata: Value = serde_json::from_str(&text).context("`cargo metadata` printed no JSON")?;
    let problems = problems(&read_crates(&metadata)?);
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    Ok(())
}

struct Crate {
    name: String,
    dependencies: Vec<Dependency>,
}

struct Dependency {
    name: String,
    is_dev: bool,
}

fn read_crates(metadata: &Value) -> Result<Vec<Crate>> {
    list(metadata, "packages")?.iter().map(read_crate).collect()
}

fn read_crate(package: &Value) -> Result<Crate> {
    let dependencies = list(package, "dependencies")?
        .iter()
        .map(|dependency| {
            let is_dev = dependency["kind"] == "dev";
            Ok(Dependency { name: text(dependency, "name")?, is_dev })
        })
        .collect::<Result<_>>()?;
    Ok(Crate { name: text(package, "name")?, dependencies })
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a [Value]> {
    let items = value[key].as_array().with_context(|| format!("`cargo metadata`: no list `{key}`"))?;
    Ok(items)
}

fn text(value: &Value, key: &str) -> Result<String> {
    let text = value[key].as_str().with_context(|| format!("`cargo metadata`: no text `{key}`"))?;
    Ok(text.to_owned())
}

fn problems(crates: &[Crate]) -> Vec<String> {
    let mut problems = Vec::new();
    for from in crates {
        if !is_known(&from.name) {
            problems.push(format!(
                "{} is not in the table of layers: add it to LAYERS in xtask/src/arrows.rs",
                from.name
            ));
            continue;
        }
        let is_ours = |name: &str| is_known(name) || crates.iter().any(|other| other.name == name);
        let ours = from.dependencies.iter().filter(|dependency| is_ours(&dependency.name));
        problems.extend(ours.filter_map(|to| refusal(&from.name, to)));
    }
    problems
}

fn is_known(name: &str) -> bool {
    name == TESTKIT || name == XTASK || layer(name).is_some()
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

/// Why this dependency may not be, if it may not.
fn refusal(from: &str, to: &Dependency) -> Option<String> {
    let to_name = &to.name;
    if to_name == TESTKIT && NEVER_TESTKIT.contains(&from) {
        return Some(format!("{from} depends on {TESTKIT}: it may not, not even as a dev-dependency"));
    }
    if to.is_dev {
        return None;
    }
    if to_name == TESTKIT {
        return Some(format!("{from} depends on {TESTKIT}: it may only be a dev-dependency"));
    }
    let allowed = match layer(to_name) {
        Some(below) => ceiling(from).is_some_and(|ceiling| below < ceiling),
        None => false,
    };
    if allowed {
        return None;
    }
    Some(format!("{from} depends on {to_name}, which is not below it: arrows point down only ({})", order()))
}

/// The first layer that a crate may not depend on; nothing is below xtask.
fn ceiling(name: &str) -> Option<usize> {
    if name == TESTKIT { layer(BELOW_TESTKIT).map(|highest| highest + 1) } else { layer(name) }
}

fn order() -> String {
    let layers = LAYERS.iter().map(|layer| match layer {
        [single] => (*single).to_owned(),
        several => format!("{{{}}}", several.join(", ")),
    });
    layers.collect::<Vec<_>>().join(" < ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The problems of a made-up workspace in which `from` depends on `to`.
    fn arrow(from: &str, to: &str, kind: Value) -> Vec<String> {
        let metadata = json!({ "packages": [
            { "name": from, "dependencies": [
                { "name": "anyhow", "kind": null },
                { "name": to, "kind": kind },
            ] },
            { "name": "privet-core", "dependencies": [] },
        ] });
        problems(&read_crates(&metadata).unwrap())
    }

    fn assert_refused(problems: &[String], words: &str) {
        assert!(matches!(problems, [only] if only.contains(words)), "{problems:?}");
    }

    #[test]
    fn downward_arrows_are_fine() {
        assert!(arrow("privet-mechanisms", "privet-core", Value::Null).is_empty());
        assert!(arrow("privet-cli", "privet-bench", Value::Null).is_empty());
        assert!(arrow("privet-testkit", "privet-estimators", Value::Null).is_empty());
    }

    #[test]
    fn an_upward_arrow_is_refused() {
        assert_refused(&arrow("privet-mechanisms", "privet-estimators", Value::Null), "not below it");
        assert_refused(&arrow("privet-mechanisms", "privet-estimators", json!("build")), "not below it");
        assert_refused(&arrow("privet-testkit", "privet-limit", Value::Null), "not below it");
    }

    #[test]
    fn an_arrow_to_a_neighbour_is_refused() {
        assert_refused(&arrow("privet-joint", "privet-vector", Value::Null), "not below it");
    }

    #[test]
    fn dev_dependencies_may_point_anywhere() {
        assert!(arrow("privet-mechanisms", "privet-estimators", json!("dev")).is_empty());
    }

    #[test]
    fn the_testkit_is_for_tests_only() {
        assert!(arrow("privet-mechanisms", "privet-testkit", json!("dev")).is_empty());
        assert_refused(&arrow("privet-cli", "privet-testkit", Value::Null), "only be a dev-dependency");
        assert_refused(&arrow("privet-bench", "privet-testkit", json!("dev")), "not even");
    }

    #[test]
    fn xtask_stands_alone() {
        assert_refused(&arrow("xtask", "privet-core", Value::Null), "not below it");
        assert_refused(&arrow("privet-cli", "xtask", Value::Null), "not below it");
    }

    #[test]
    fn an_unknown_crate_is_refused() {
        assert_refused(&arrow("privet-attic", "privet-core", Value::Null), "add it to LAYERS");
    }
}
