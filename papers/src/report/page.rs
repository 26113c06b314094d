//! Pages: one file each, that loads nothing.

use super::chart;
use crate::{Basis, Outcome, Paper, Reproduced, Reproduction, Row, Verdict};
use privet_plot::page::{document, escape, number_table};
use std::fmt::Write;

/// Longer tables are in the csv file only.
const MOST_ROWS: usize = 400;

/// What the pages have beyond the common style sheet.
const STYLE: &str = "<style>\
figure { background: none; padding: 0; } \
figure svg { max-width: 100%; height: auto; } \
td.text, th.text { white-space: normal; text-align: left; min-width: 9rem; } \
th.claim { min-width: 18rem; } \
.names a { white-space: nowrap; } \
.verdict { white-space: nowrap; } \
.verdict::before { content: '\\25CF\\00A0'; } \
.reproduced::before { color: #009e73; } .corrected::before { color: #0072b2; } \
.failed::before { color: #d55e00; } .unchecked::before { color: #8a949c; }\
</style>\n";

/// The page of one paper.
pub(super) fn of_paper(reproduction: &Reproduction) -> String {
    let paper = reproduction.paper;
    let mut body = String::from(STYLE);
    let _ = write!(
        body,
        "<p><a href=\"index.html\">All papers</a></p>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n\
         <p class=\"facts\">Effort: {}. Numbers as a table: <a href=\"{id}/rows.csv\">rows</a>, \
         <a href=\"{id}/claims.csv\">claims</a>.</p>\n",
        escape(paper.title()),
        counts(reproduction),
        reproduction.effort.as_str(),
        id = paper.as_str(),
    );
    for reproduced in &reproduction.figures {
        body.push_str(&section(reproduction, reproduced));
    }
    let others: Vec<&Outcome> = reproduction.other_outcomes().collect();
    if !others.is_empty() {
        let _ = write!(body, "<section>\n<h2>Other claims</h2>\n{}</section>\n", claims(&others));
    }
    document(&format!("Privet: {}", paper.title()), &body)
}

fn counts(reproduction: &Reproduction) -> String {
    let count = |verdict: Verdict| format!("{} {}", reproduction.count(verdict), verdict);
    let parts: Vec<String> = Verdict::ALL.into_iter().map(count).collect();
    format!("{} claims: {}. {}", reproduction.outcomes.len(), parts.join(", "), not_run(reproduction))
}

fn not_run(reproduction: &Reproduction) -> String {
    match reproduction.not_run() {
        0 => String::new(),
        count => {
            format!("For {count} claims nothing was computed: their figures were skipped or failed.")
        }
    }
}

fn section(reproduction: &Reproduction, reproduced: &Reproduced) -> String {
    let figure = reproduced.figure;
    let mut text = format!(
        "<section id=\"{}\">\n<h2>{}: {}</h2>\n",
        figure.slug(),
        figure.heading(),
        escape(figure.title)
    );
    if let Some(problem) = &reproduced.problem {
        let _ = writeln!(text, "<p class=\"warning\">Failed: {}.</p>", escape(&problem.to_string()));
    }
    for missing in &reproduced.missing {
        let _ = writeln!(text, "<p class=\"warning\">Skipped: {}.</p>", escape(&missing.how_to_get()));
    }
    for (name, drawing) in chart::pictures(reproduced) {
        // Files have fixed ids; a page with several of them needs different ones.
        let own = drawing
            .svg()
            .replace("id=\"title\"", &format!("id=\"{name}-title\""))
            .replace("id=\"text\"", &format!("id=\"{name}-text\""))
            .replace("\"title text\"", &format!("\"{name}-title {name}-text\""));
        let _ = writeln!(text, "<figure>\n{own}</figure>");
    }
    if !figure.note.is_empty() {
        let _ = writeln!(text, "<p>{}</p>", escape(figure.note));
    }
    let outcomes: Vec<&Outcome> = reproduction.outcomes_of(figure.id).collect();
    if !outcomes.is_empty() {
        text.push_str(&claims(&outcomes));
    }
    text.push_str(&rows(&reproduction.rows_of(reproduced)));
    text.push_str("</section>\n");
    text
}

/// More claims than this that cannot be checked are folded away: whole tables of other data.
const MOST_UNCHECKED: usize = 8;

fn claims(outcomes: &[&Outcome]) -> String {
    let is_unchecked = |outcome: &&&Outcome| outcome.verdict == Verdict::CannotBeChecked;
    let unchecked: Vec<&Outcome> = outcomes.iter().filter(is_unchecked).copied().collect();
    if unchecked.len() <= MOST_UNCHECKED {
        return claim_table(outcomes);
    }
    let checked: Vec<&Outcome> = outcomes.iter().filter(|one| !is_unchecked(one)).copied().collect();
    let mut text = if checked.is_empty() { String::new() } else { claim_table(&checked) };
    let _ = write!(
        text,
        "<details><summary>{} printed numbers that cannot be checked here</summary>\n{}</details>\n",
        unchecked.len(),
        claim_table(&unchecked)
    );
    text
}

fn claim_table(outcomes: &[&Outcome]) -> String {
    let mut text = String::from(
        "<div class=\"scroll\"><table>\n<thead><tr><th class=\"text claim\">claim</th><th>printed</th><th>ours</th>\
         <th class=\"text\">verdict</th><th class=\"text\">note</th></tr></thead>\n<tbody>\n",
    );
    for outcome in outcomes {
        text.push_str(&claim(outcome));
    }
    text.push_str("</tbody>\n</table></div>\n");
    text
}

/// The colour of a verdict, in the style sheet.
fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "reproduced",
        Verdict::Corrected => "corrected",
        Verdict::NotReproduced => "failed",
        Verdict::CannotBeChecked => "unchecked",
    }
}

fn claim(outcome: &Outcome) -> String {
    let Outcome { claim, ours, verdict, basis } = outcome;
    let class = if *basis == Basis::NotRun { "unchecked" } else { class(*verdict) };
    let by = match basis {
        Basis::Computed | Basis::NotRun => String::new(),
        Basis::WithinPaper | Basis::ByHand => format!(" ({})", basis.as_str()),
    };
    let unit = match claim.unit.as_str() {
        "1" | "word" | "holds" => "",
        unit => unit,
    };
    let number = |value: f64| match (claim.unit.as_str(), value) {
        ("holds", 1.0) => "holds".to_owned(),
        ("holds", 0.0) => "does not hold".to_owned(),
        _ => format!("{} {unit}", short(value)).trim().to_owned(),
    };
    let printed = match claim.unit.as_str() {
        "holds" => claim.number.map_or_else(String::new, number),
        _ if claim.tolerance > 0.0 => {
            format!("{} ± {} {unit}", claim.printed, claim.tolerance).trim().to_owned()
        }
        _ => format!("{} {unit}", claim.printed).trim().to_owned(),
    };
    let verdict = outcome.verdict_in_words();
    format!(
        "<tr id=\"{}\"><th scope=\"row\" class=\"text claim\">{}<br><span class=\"facts\">{}{}{}</span></th><td>{}</td><td>{}</td>\
         <td class=\"text\"><span class=\"verdict {class}\"></span>{verdict}{by}</td><td class=\"text\">{}</td></tr>\n",
        escape(&claim.id),
        escape(&claim.sentence),
        escape(&claim.place),
        if claim.x.is_empty() { "" } else { "; " },
        escape(&claim.x),
        escape(&printed),
        escape(&ours.map_or_else(String::new, number)),
        escape(&claim.note),
    )
}

/// A number with as many digits as a reader compares.
fn short(value: f64) -> String {
    let size = value.abs();
    if value == value.trunc() && size < 1e9 {
        return format!("{value:.0}");
    }
    if size >= 1e6 || (size > 0.0 && size < 1e-4) {
        return format!("{value:.3e}");
    }
    let digits = (4 - size.log10().floor() as i32).clamp(0, 8) as usize;
    format!("{value:.digits$}")
}

fn rows(rows: &[Row]) -> String {
    let cells = |row: &Row| {
        let paper = row.paper.map_or_else(String::new, short);
        vec![row.series.clone(), row.x.to_string(), short(row.ours), paper]
    };
    let shown: Vec<Vec<String>> = rows.iter().take(MOST_ROWS).map(cells).collect();
    if shown.is_empty() {
        return String::new();
    }
    let rest = if rows.len() > MOST_ROWS {
        format!(" The first {MOST_ROWS} of {}; all are in the csv file.", rows.len())
    } else {
        String::new()
    };
    let table = number_table(&format!("The numbers.{rest}"), &["series", "x", "ours", "paper"], &shown);
    format!("<details><summary>{} numbers</summary>\n{table}</details>\n", rows.len())
}

/// The file of a paper's page.
pub(super) fn name(paper: Paper) -> String {
    format!("{}.html", paper.as_str())
}

/// The page that leads to all others. `holds` says what was computed.
pub(super) fn index(holds: &str, reproductions: &[Reproduction]) -> String {
    let mut body = String::from(
        "<h1>The papers, side by side</h1>\n<p class=\"lead\">What the source papers print, what Privet measures, and what \
         became of each claim.</p>\n",
    );
    body.push_str(STYLE);
    let version = env!("CARGO_PKG_VERSION");
    let _ = writeln!(body, "<p class=\"facts\">Privet {version}: {}.</p>", escape(holds));
    body.push_str(&overview(reproductions));
    for reproduction in reproductions {
        let (title, name) = (escape(reproduction.paper.title()), name(reproduction.paper));
        let text = entry(reproduction);
        let _ = write!(body, "<section>\n<h2><a href=\"{name}\">{title}</a></h2>\n{text}</section>\n");
    }
    document("Privet: the papers, side by side", &body)
}

/// How many claims of each paper have each verdict.
fn overview(reproductions: &[Reproduction]) -> String {
    let mut text = String::from(
        "<div class=\"scroll\"><table>\n<thead><tr><th class=\"text\">paper</th><th>claims</th>",
    );
    for verdict in Verdict::ALL {
        let _ = write!(text, "<th><span class=\"verdict {}\"></span>{verdict}</th>", class(verdict));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    for reproduction in reproductions {
        let (paper, claims) = (reproduction.paper, reproduction.outcomes.len());
        let name = escape(paper.title());
        let _ = write!(text, "<tr><th scope=\"row\" class=\"text\">{name}</th><td>{claims}</td>");
        for verdict in Verdict::ALL {
            let _ = write!(text, "<td>{}</td>", reproduction.count(verdict));
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</tbody>\n</table></div>\n");
    text
}

fn entry(reproduction: &Reproduction) -> String {
    let mut text = String::new();
    if reproduction.not_run() > 0 {
        let _ = writeln!(text, "<p>{}</p>", not_run(reproduction));
    }
    let link = |reproduced: &Reproduced| {
        let figure = reproduced.figure;
        let skipped = match (&reproduced.problem, reproduced.missing.as_slice()) {
            (Some(_), _) => " (failed)",
            (None, []) => "",
            (None, _) => " (skipped: data missing)",
        };
        format!(
            "<a href=\"{}.html#{}\">{}</a>{skipped}",
            reproduction.paper.as_str(),
            figure.slug(),
            figure.heading()
        )
    };
    let links: Vec<String> = reproduction.figures.iter().map(link).collect();
    let _ = writeln!(text, "<p class=\"names\">{}</p>", links.join(" · "));
    text
}
