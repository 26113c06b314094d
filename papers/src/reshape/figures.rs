//! The tables of the paper. Its data are not to be had, so that each table is checked against its own sentences, and our
//! measurements stand beside it.

use super::{Recipe, cifar, formulas, own};
use crate::claims::TEXT;
use crate::data::DataFile;
use crate::figure::Figure;
use crate::{Claim, Curve, Findings, Panel, Paper, ReproduceError, Setting};
use privet::model::Model;
use privet::vector::reshape::Ablation;

const SOURCE: &str = "pooled features of a ResNet-20 on CIFAR-10 (64 numbers for each image) and heads that are trained on them";
const FEATURES: &[DataFile] = &[
    DataFile { path: "cifar10_resnet20/cifar10_features_train.npz", source: SOURCE },
    DataFile { path: "cifar10_resnet20/cifar10_features_test.npz", source: SOURCE },
    DataFile { path: "cifar10_resnet20/cifar10_heads.npz", source: SOURCE },
];

const DIGITS: DataFile = DataFile {
    path: "mnist/mnist.npz",
    source: "MNIST as arrays train_images, train_labels, test_images and test_labels",
};

const OTHER_DATA: &str = "The paper's data are not to be had: its rows are drawn as printed, ours are measured on other data, and only \
                          sentences about orders and gains have verdicts.";

/// The tables, in the order of the paper.
pub(crate) const FIGURES: &[Figure] = &[
    Figure::new("table 1", "Households: error of the mean prediction", table_1).noting(OTHER_DATA).taking(30),
    Figure::new("table 2", "CIFAR-10 under brightness: accuracy", table_2)
        .noting(
            "Against a centred baseline the printed recipe loses with a ReLU head, because noise wakes hidden units that no public \
             vector wakes; with the whole row space of the first layer it gains, and own scales gain more. Better than all: run the \
             public model on the device and respond at random with its answer.",
        )
        .needing(FEATURES)
        .taking(200),
    Figure::new("table 3", "MNIST: accuracy", table_3)
        .noting(
            "The encoder of the paper is not to be had: its rows are drawn as printed, ours belong to a small network that is trained \
             here (196-128-32-10-32-10). Only sentences about orders have verdicts.",
        )
        .needing(&[DIGITS])
        .taking(150),
    Figure::new("table 4", "Clipping at other radii: accuracy", table_4).noting(OTHER_DATA).needing(FEATURES).taking(60),
    Figure::new("table 5", "Without one of the maps: accuracy", table_5).noting(OTHER_DATA).needing(FEATURES).taking(60),
    Figure::new("table 6", "Approximate privacy (delta 1e-5): accuracy", table_6)
        .noting(OTHER_DATA)
        .needing(FEATURES)
        .taking(100),
    Figure::new(TEXT, "Formulas of the text", formulas::formulas)
        .noting("The formulas of the scales are missing from the text; these are the restored ones."),
];

/// The rows of a printed table, by epsilon.
struct Printed(Vec<Claim>);

impl Printed {
    fn read() -> Result<Self, ReproduceError> {
        Ok(Self(Paper::Reshape.claims()?))
    }

    /// A row such as `t1-laplace`.
    fn row(&self, name: &str) -> Curve {
        let start = format!("reshape-{name}-");
        let mut row = Curve::line("", Vec::new());
        for claim in &self.0 {
            let epsilon = claim.id.strip_prefix(&start).and_then(|end| end.parse().ok());
            if let (Some(epsilon), Some(printed)) = (epsilon, claim.number) {
                row.label.clone_from(&claim.sentence);
                row.points.push([epsilon, printed]);
            }
        }
        row
    }

    fn rows<const N: usize>(&self, table: &str, names: [&str; N]) -> [Curve; N] {
        names.map(|name| self.row(&format!("{table}-{name}")))
    }
}

fn panel(name: &str, y_name: &'static str, curves: Vec<Curve>) -> Panel {
    Panel { name: name.to_owned(), x_name: "epsilon of one report", y_name, curves, ..Panel::default() }
}

fn table_1(setting: &Setting) -> Result<Findings, ReproduceError> {
    let printed = Printed::read()?;
    let [laplace, laplace_pa, unit, unit_pa, gauss, gauss_pa, cw, task_aware] = printed.rows(
        "t1",
        [
            "laplace",
            "laplace-pa",
            "privunit2",
            "privunit2-pa",
            "privunitg",
            "privunitg-pa",
            "cw-pa-unclipped",
            "task-aware",
        ],
    );
    let mut findings = Findings::default();
    findings.measure("reshape-households-private", 5547.0 - 3000.0);
    findings.measure("reshape-fold-05", laplace.at(0.5) / laplace_pa.at(0.5));
    findings.measure("reshape-fold-1", laplace.at(1.0) / laplace_pa.at(1.0));
    let lowers = [(&laplace_pa, &laplace), (&unit_pa, &unit), (&gauss_pa, &gauss)];
    findings.holds("reshape-pa-lower", lowers.iter().all(|(with, without)| with.is_below(without, 0.0)));
    let is_below_laplace = unit_pa.is_below(&laplace_pa, 0.0) && gauss_pa.is_below(&laplace_pa, 0.0);
    findings.holds("reshape-privunit-below-laplace", is_below_laplace);
    let others = [&laplace_pa, &unit_pa, &gauss_pa, &task_aware];
    let is_lowest = |epsilon: f64| others.iter().all(|other| cw.at(epsilon) < other.at(epsilon));
    findings.holds("reshape-cw-best", is_lowest(5.0) && is_lowest(7.5));
    let curves = vec![laplace, laplace_pa, unit, unit_pa, gauss, gauss_pa, cw, task_aware];
    let y_name = "root mean squared error (kWh per half hour)";
    findings.panels.push(panel("as printed", y_name, curves));
    let (curves, unclipped) = own::households(setting.effort)?;
    findings.panels.push(panel("generated households, groups of a hundred", y_name, curves));
    findings.measure("reshape-cw-ldp", unclipped);
    Ok(findings)
}

fn table_2(setting: &Setting) -> Result<Findings, ReproduceError> {
    let printed = Printed::read()?;
    let [laplace, laplace_pa, unit, unit_pa, gauss, gauss_pa, cw] = printed.rows(
        "t2",
        [
            "laplace",
            "laplace-pa",
            "privunit2",
            "privunit2-pa",
            "privunitg",
            "privunitg-pa",
            "cw-pa-unclipped",
        ],
    );
    let mut findings = Findings::default();
    for (id, with, without, epsilon) in [
        ("75-2", &unit_pa, &unit, 7.5),
        ("75-g", &gauss_pa, &gauss, 7.5),
        ("5-2", &unit_pa, &unit, 5.0),
        ("5-g", &gauss_pa, &gauss, 5.0),
    ] {
        findings.measure(format!("reshape-gain-{id}"), 100.0 * (with.at(epsilon) - without.at(epsilon)));
    }
    let furthest = laplace.points.iter().map(|point| point[1]).fold(0.0, f64::max);
    findings.measure("reshape-laplace-chance", furthest);
    findings.holds("reshape-cw-below-laplace", cw.is_below(&laplace_pa, 0.0));
    let curves = vec![laplace, laplace_pa, unit, unit_pa, gauss, gauss_pa, cw];
    findings.panels.push(panel("as printed", "accuracy", curves));
    let curves = own::brightness(setting)?;
    brightness_claims(&curves, &mut findings);
    findings.panels.push(panel("own features, ReLU head", "accuracy", curves));
    if let Model::Linear(linear) = cifar::Features::head(setting.data, "linear")? {
        findings.measure("reshape-dim-rank", linear.weights().rank(1e-9) as f64);
    }
    formulas::thresholds(&mut findings)?;
    Ok(findings)
}

/// What our features say: the curves of [`own::brightness`].
fn brightness_claims(curves: &[Curve], findings: &mut Findings) {
    let [centred, as_printed, .., honest] = curves else { return };
    let gain = |epsilon: f64| as_printed.at(epsilon) - centred.at(epsilon);
    findings.measure("reshape-gain-75-centred", 100.0 * gain(7.5));
    for epsilon in [5.0, 7.5] {
        findings.holds(format!("reshape-relu-dead-{epsilon}"), gain(epsilon) > 0.0);
    }
    for epsilon in [2.5, 5.0] {
        let best = curves[..curves.len() - 1].iter().map(|vector| vector.at(epsilon)).fold(0.0, f64::max);
        let x = format!("epsilon {epsilon}");
        findings.entry("accuracy of the best perturbed representation", x.clone(), best);
        findings.entry("accuracy of the answer on the device, then respond", x, honest.at(epsilon));
    }
}

fn table_3(setting: &Setting) -> Result<Findings, ReproduceError> {
    let [laplace, unit, gauss, cw, task_aware] = Printed::read()?
        .rows("t3", ["laplace-pa", "privunit2-pa", "privunitg-pa", "cw-pa-unclipped", "task-aware"]);
    let mut findings = Findings::default();
    let all = [&laplace, &unit, &gauss, &cw];
    findings.holds("reshape-task-aware-below", all.iter().all(|with| task_aware.is_below(with, 0.0)));
    let gap = |with: &Curve| with.at(7.5) - task_aware.at(7.5);
    findings.holds("reshape-task-aware-gap", gap(&unit) > 0.3 && gap(&gauss) > 0.3);
    findings.holds("reshape-cw-task-aware", cw.is_below(&task_aware, 0.0));
    findings.panels.push(panel("as printed", "accuracy", vec![laplace, unit, gauss, cw, task_aware]));
    findings.panels.push(panel("own encoder, 32 dimensions", "accuracy", own::digits(setting)?));
    Ok(findings)
}

fn table_4(setting: &Setting) -> Result<Findings, ReproduceError> {
    let (printed, mut findings) = (Printed::read()?, Findings::default());
    let mut is_tightest_best = true;
    for (mechanism, name) in
        [("laplace-pa", "Laplace"), ("privunit2-pa", "PrivUnit2"), ("privunitg-pa", "PrivUnitG")]
    {
        let row = |percentile: u32| printed.row(&format!("t4-{mechanism}-{percentile}"));
        let (tightest, mut others) = (row(10), (2..=10).map(|tenth| row(10 * tenth)));
        is_tightest_best &= others.all(|other| other.is_below(&tightest, 0.0));
        let curves = vec![tightest, row(50), row(90), row(100)];
        findings.panels.push(panel(&format!("{name}, as printed"), "accuracy", curves));
    }
    findings.holds("reshape-clip-tight", is_tightest_best);
    let own = own::Own::read(setting)?;
    let shares = [
        ("a quarter of the radius", Recipe::Clipped(25)),
        ("half of the radius", Recipe::Clipped(50)),
        ("radius of the 90th percentile", Recipe::Clipped(100)),
        ("twice the radius", Recipe::Clipped(200)),
    ];
    for mechanism in ["laplace-vector", "privunit"] {
        let curves = own.recipes(mechanism, &shares, &own::epsilons(setting.effort))?;
        let name = format!("own features, {mechanism}, whole task space");
        findings.panels.push(panel(&name, "accuracy", curves));
    }
    Ok(findings)
}

fn table_5(setting: &Setting) -> Result<Findings, ReproduceError> {
    let [whole, clipped, no_pre, no_post, no_scaling] = Printed::read()?.rows(
        "t5",
        ["laplace-pa", "laplace-clip", "laplace-pa-no-pre", "laplace-pa-no-post", "laplace-pa-no-scaling"],
    );
    let mut findings = Findings::default();
    findings.measure("reshape-ablation-90", 100.0 * (whole.at(10.0) / clipped.at(10.0) - 1.0));
    findings.panels.push(panel("as printed", "accuracy", vec![whole, clipped, no_pre, no_post, no_scaling]));
    let own = own::Own::read(setting)?;
    let parts = [
        ("as printed", Recipe::Printed),
        ("without the map before", Recipe::PrintedWithout(Ablation::NoPre)),
        ("without the map after", Recipe::PrintedWithout(Ablation::NoPost)),
        ("without scaling", Recipe::PrintedWithout(Ablation::NoReshaping)),
        ("own scales", Recipe::Fitted),
    ];
    // Own scales take long to find.
    let (parts, epsilons) =
        setting.effort.pick((&parts[..4], vec![5.0, 10.0]), (&parts[..], vec![2.5, 5.0, 7.5, 10.0]));
    let curves = own.recipes("privunit", parts, &epsilons)?;
    findings.measure("reshape-ablation-chance", curves[1].at(10.0).max(curves[2].at(10.0)));
    findings.panels.push(panel("own features, ReLU head", "accuracy", curves));
    Ok(findings)
}

fn table_6(setting: &Setting) -> Result<Findings, ReproduceError> {
    let [laplace, laplace_pa, cw, agm, instance, plan] = Printed::read()?.rows(
        "t6",
        ["laplace-clip", "laplace-pa", "cw-pa-unclipped", "agm-clip", "instance-optimal", "plan"],
    );
    let mut findings = Findings::default();
    let approximate = [&agm, &instance, &plan];
    let all_below = |other: &Curve| approximate.iter().all(|one| one.is_below(other, 0.0));
    findings.holds("reshape-approx-beat-laplace", approximate.iter().all(|one| laplace.is_below(one, 0.0)));
    findings.holds("reshape-approx-below-cw", all_below(&cw));
    findings.holds("reshape-laplace-pa-best", all_below(&laplace_pa));
    findings.panels.push(panel("as printed", "accuracy", vec![laplace, laplace_pa, cw, agm, instance, plan]));
    findings.panels.push(panel("own features, ReLU head", "accuracy", own::approximate(setting)?));
    formulas::classical_gaussian(&mut findings)?;
    Ok(findings)
}
