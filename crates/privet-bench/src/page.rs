//! A run as a page: one file, no script, no request to anywhere.

use crate::compare::{Change, Comparison, Incomparable, Verdict};
use crate::run::{Row, Run};
use crate::task::Group;
use privet_plot::page::{document, escape, number_table};
use privet_plot::{Ratio, RatioChart, ratio_text};

/// The page of a run, beside an earlier one if there is a comparison.
pub fn page(run: &Run, comparison: Option<&Comparison>) -> String {
    let title = format!("How fast Privet {} is here", run.build.version);
    let mut body = format!("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n", escape(&title), escape(LEAD));
    body.push_str(&warnings(run));
    body.push_str(&machine(run));
    if let Some(comparison) = comparison {
        body.push_str(&compared(comparison));
    }
    for group in Group::ALL {
        let rows: Vec<&Row> = run.rows.iter().filter(|row| row.group == group).collect();
        if !rows.is_empty() {
            body.push_str(&section(group, &rows, comparison));
        }
    }
    body.push_str(&skipped(run));
    document(&title, &body)
}

const LEAD: &str = "Every task was measured in turns with something else, its peer, in the same run. What counts is the ratio of both: it \
     travels from one machine to another, and the rates do not. Bars begin at 1, as fast as the peer; the whiskers show how far \
     a single turn usually is from the one in the middle.";

fn warnings(run: &Run) -> String {
    let mut warnings = String::new();
    if !run.build.is_optimised() {
        warnings.push_str("<p class=\"warning\">This program was built without optimisation: the figures mean nothing.</p>\n");
    }
    if run.is_disturbed() {
        warnings.push_str("<p class=\"warning\">Other programs were running: the figures are less certain than they could be.</p>\n");
    }
    warnings
}

fn machine(run: &Run) -> String {
    let load = run.load_average.map_or_else(
        || "unknown".to_owned(),
        |[one, five, fifteen]| {
            format!("{one:.2} in the last minute, {five:.2} in five, {fifteen:.2} in fifteen")
        },
    );
    let rows = [
        ("Processor", run.machine.cpu.clone()),
        ("Cores", run.machine.cores.to_string()),
        ("Memory", format!("{:.1} GB", run.machine.memory_bytes as f64 / 1e9)),
        ("System", run.machine.os.clone()),
        ("Compiler", run.build.rustc.clone()),
        ("Profile", run.build.profile.clone()),
        ("Begun", run.date.clone()),
        ("Load average before", load),
    ];
    let rows = rows.map(|(name, value)| vec![name.to_owned(), value]);
    number_table("The machine and the program", &["what", "which"], &rows)
}

fn compared(comparison: &Comparison) -> String {
    let mut text = String::from("<section>\n<h2>Beside the earlier run</h2>\n");
    if let Some(difference) = &comparison.other_machine {
        let difference = escape(difference);
        text.push_str(&format!("<p class=\"warning\">It was made on another machine: {difference}.</p>\n"));
    }
    for (verdict, caption) in [
        (Verdict::Slower, "Slower by more than the noise"),
        (Verdict::Faster, "Faster by more than the noise"),
    ] {
        let changed: Vec<Vec<String>> =
            comparison.changes.iter().filter(|change| change.verdict == verdict).map(changed).collect();
        if changed.is_empty() {
            text.push_str(&format!("<p>{caption}: nothing.</p>\n"));
        } else {
            text.push_str(&number_table(caption, &["task", "before", "now", "change", "noise"], &changed));
        }
    }
    text + &not_compared(comparison) + "</section>\n"
}

fn not_compared(comparison: &Comparison) -> String {
    let mut text = String::new();
    if !comparison.incomparable.is_empty() {
        let cells = |Incomparable { task, before, now }: &Incomparable| {
            vec![task.clone(), before.clone(), now.clone()]
        };
        let rows: Vec<Vec<String>> = comparison.incomparable.iter().map(cells).collect();
        let caption = "Not comparable: measured against something else";
        text.push_str(&number_table(caption, &["task", "before", "now"], &rows));
    }
    for (tasks, caption) in
        [(&comparison.new, "Not in the earlier run"), (&comparison.gone, "Only in the earlier run")]
    {
        if !tasks.is_empty() {
            text.push_str(&format!("<p>{caption}, so not compared: {}.</p>\n", escape(&tasks.join(", "))));
        }
    }
    text
}

fn changed(change: &Change) -> Vec<String> {
    let (before, now) = (ratio_text(change.before), ratio_text(change.now));
    vec![change.task.clone(), before, now, format!("{:+.0} %", 100.0 * change.change), percent(change.noise)]
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn section(group: Group, rows: &[&Row], comparison: Option<&Comparison>) -> String {
    let before = |row: &Row| comparison.and_then(|comparison| comparison.of(row)).map(|change| change.before);
    let ratio = |row: &&Row| Ratio {
        label: row.task.clone(),
        value: row.ratio,
        interval: [row.ratio / (1.0 + row.noise), row.ratio * (1.0 + row.noise)],
        mark: before(row),
    };
    let ratios: Vec<Ratio> = rows.iter().map(ratio).collect();
    let marks =
        if ratios.iter().any(|ratio| ratio.mark.is_some()) { " Diamonds are the earlier run." } else { "" };
    let chart =
        RatioChart { id: group.as_str(), title: group.as_str(), description: group.about(), rows: &ratios };
    let cells = |row: &&Row| {
        let rates = [row.ours, row.peer].map(|rate| format!("{} {}", rate_text(rate), row.unit));
        let [ours, peer] = rates;
        vec![row.task.clone(), ours, peer, ratio_text(row.ratio), percent(row.noise), row.note.clone()]
    };
    let table: Vec<Vec<String>> = rows.iter().map(cells).collect();
    format!(
        "<section>\n<h2>{group}</h2>\n<p>{}{marks}</p>\n<figure><div class=\"scroll\"><div style=\"min-width:44rem\">\n{}</div></div></figure>\n\
         <details><summary>All figures</summary>\n{}</details>\n</section>\n",
        escape(group.about()),
        chart.svg(),
        number_table(
            "Rates, ratios and peers",
            &["task", "ours", "peer", "ratio", "noise", "what the peer is"],
            &table
        ),
    )
}

fn skipped(run: &Run) -> String {
    if run.skipped.is_empty() {
        return String::new();
    }
    let item = |skipped: &crate::Skipped| {
        let (name, reason, how) = (escape(&skipped.name), escape(&skipped.reason), escape(&skipped.how));
        format!("<li>{name}: {reason}. To measure it: <code>{how}</code></li>\n")
    };
    let items: String = run.skipped.iter().map(item).collect();
    format!("<section>\n<h2>Not measured</h2>\n<ul>\n{items}</ul>\n</section>\n")
}

/// A rate with a prefix that people can compare at a glance.
pub fn rate_text(rate: f64) -> String {
    let prefixes = [(1e9, " G"), (1e6, " M"), (1e3, " k")];
    let (unit, prefix) = prefixes.into_iter().find(|(unit, _)| rate >= *unit).unwrap_or((1.0, ""));
    format!("{:.2}{prefix}", rate / unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Skipped;
    use crate::run::tests::{row, run};

    #[test]
    fn the_page_has_the_machine_the_figures_and_what_is_missing() {
        let mut made_up =
            run(vec![row("a-client", Group::Mechanisms, 0.456, 0.02), row("b", Group::Peers, 234.6, 0.1)]);
        let (name, reason, how) =
            ("other".to_owned(), "not <there>".to_owned(), "pip install other==1".to_owned());
        made_up.skipped.push(Skipped { name, reason, how });
        let page = page(&made_up, None);
        for words in [
            "Some &amp; Co CPU",
            "8.6 GB",
            "Some Linux, x86_64",
            "rustc 1.95.0",
            "release",
            "2026-03-15 12:00 UTC",
            "0.50 in the last minute",
            "<h2>mechanisms</h2>",
            "<h2>peers</h2>",
            "a-client",
            "456.00 k reports/s",
            "0.456\u{d7}",
            "2.0 %",
            "235\u{d7}",
            "peer: the &lt;generator&gt;",
            "not &lt;there&gt;",
            "<code>pip install other==1</code>",
        ] {
            assert!(page.contains(words), "{words}");
        }
        for absent in ["<h2>limit</h2>", "class=\"warning\"", "earlier run", "http:", "https:", "<script"] {
            assert!(!page.contains(absent), "{absent}");
        }
    }

    #[test]
    fn the_page_says_what_makes_figures_uncertain() {
        let mut made_up = run(Vec::new());
        made_up.build.profile = "debug".to_owned();
        made_up.load_average = Some([3.0; 3]);
        let page = page(&made_up, None);
        assert!(page.contains("the figures mean nothing") && page.contains("Other programs were running"));
    }

    #[test]
    fn the_page_names_what_changed() {
        let before = run(vec![row("a", Group::Limit, 1.0, 0.0), row("b", Group::Limit, 1.0, 0.0)]);
        let mut now = run(vec![row("a", Group::Limit, 0.5, 0.0), row("b", Group::Limit, 1.0, 0.0)]);
        now.machine.cpu = "Another".to_owned();
        let page = page(&now, Some(&Comparison::with(&before, &now)));
        assert!(page.contains("Slower by more than the noise</caption>") && page.contains("<td>-50 %</td>"));
        assert!(page.contains("Faster by more than the noise: nothing."));
        assert!(
            page.contains("another machine") && page.contains("class=\"mark\"") && page.contains("Diamonds")
        );
    }

    #[test]
    fn the_page_names_what_was_not_compared() {
        let before = run(vec![row("a", Group::Limit, 1.0, 0.0), row("b", Group::Limit, 1.0, 0.0)]);
        let mut now = run(vec![row("a", Group::Limit, 0.5, 0.0), row("c", Group::Limit, 1.0, 0.0)]);
        now.rows[0].note = "peer: a <quicker> one".to_owned();
        let page = page(&now, Some(&Comparison::with(&before, &now)));
        for words in [
            "Not comparable: measured against something else</caption>",
            "peer: a &lt;quicker&gt; one, in reports/s",
            "Not in the earlier run, so not compared: c.",
            "Only in the earlier run, so not compared: b.",
            "Slower by more than the noise: nothing.",
        ] {
            assert!(page.contains(words), "{words}");
        }
    }

    #[test]
    fn rates_have_prefixes() {
        let texts = [2.1e9, 1.23e7, 45_600.0, 16.25, 0.5].map(rate_text);
        assert_eq!(texts, ["2.10 G", "12.30 M", "45.60 k", "16.25", "0.50"]);
    }
}
