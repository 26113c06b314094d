//! Paths and their reports on a map.

use super::method::{CellArguments, build};
use super::paths::{Admission, Grouping, PathArguments};
use super::refused;
use super::space::{box_of, is_in_degrees, parse_space};
use crate::arguments::{generator, parse_epsilons};
use crate::failure::Failure;
use crate::output::Output;
use crate::plot::{check_map_name, save_map};
use clap::Args;
use privet::Rectangle;
use privet::trajectory::method::perturb_path;
use privet::trajectory::rounding::{Grid, Rounding};
use privet::trajectory::space::{Shape, Space};
use privet::trajectory::{Path, Place};
use privet_plot::{GridLine, Layer, Map, Scale, Tint, Unit, ring};
use serde_json::json;
use std::f64::consts::TAU;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  One path and what two epsilons make of it:
    privet trajectory map --in paths.csv --only 7 --method window-2d --epsilon 4,10 --out map.html

  Where all reports lie, in a city with distances in metres:
    privet trajectory map --in paths.csv --density --space geographic:139.47,139.91,35.51,35.87 \\
      --method tracs-c --epsilon 4 --out map.png";

/// Cells on each side of the grid of the density.
const DENSITY_CELLS: u32 = 48;

/// Draw paths and their reports
///
/// The map shows the border of the space, lines of equal coordinates and a scale bar, and asks for nothing from the internet.
/// With --in it shows true locations, and reports are drawn for the map: it is for data that you may read. With --reports
/// it shows reports that were drawn before, alone or beside the truth.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct MapArguments {
    /// The table of true paths: .csv, .jsonl, .ndjson, .parquet, .gpx or .geojson, or - for
    /// standard input
    #[arg(long = "in", value_name = "FILE", required_unless_present = "reports")]
    input: Option<PathBuf>,
    /// A table of reports, as `trajectory perturb` writes it, or of readings, as `trajectory estimate` does
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "epsilon"])]
    reports: Option<PathBuf>,
    #[command(flatten)]
    table: PathArguments,
    /// The column to sort the locations of each path by [default: the order of the table]
    #[arg(long, value_name = "NAME")]
    time: Option<String>,
    /// Where locations lie, as for `trajectory perturb` [default: the box around the table's locations]
    #[arg(long, value_name = "SPACE")]
    space: Option<String>,
    /// The method, as for `trajectory perturb`
    #[arg(long, value_name = "NAME", required_unless_present = "reports")]
    method: Option<String>,
    /// Epsilons of one location; the reports of each have a colour
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, required_unless_present = "reports")]
    epsilon: Option<String>,
    #[command(flatten)]
    cells: CellArguments,
    /// The name of the path to draw
    #[arg(long, value_name = "NAME", conflicts_with = "paths")]
    only: Option<String>,
    /// How many paths to draw, from the first
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    paths: usize,
    /// Tint the map where the reports of all paths lie, at the first epsilon
    #[arg(long)]
    density: bool,
    /// What one unit of the space is called on the scale bar, such as degrees; geographic spaces and the sphere have metres
    #[arg(long, value_name = "NAME", default_value = "units")]
    unit: String,
    /// The map to write: .svg, .png or .html
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Draw from a generator that anybody can repeat, for the same map again
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

/// What is drawn in one colour, and what it is called.
struct Coloured {
    label: String,
    paths: Vec<Path>,
}

impl MapArguments {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        check_map_name(&self.out)?;
        let named = self.space.as_deref().map(parse_space).transpose()?;
        let read = |file: &PathBuf| {
            let admission = Admission { space: named.as_ref(), clamp: self.table.clamp };
            self.table.read(file, Grouping::Together { time: self.time.as_deref() }, admission)
        };
        let truth = self.input.as_ref().map(&read).transpose()?;
        let reports = self.reports.as_ref().map(&read).transpose()?;
        let seen: Vec<&Path> = truth.iter().chain(&reports).flatten().collect();
        let space = match &named {
            Some(space) => space.clone(),
            None => box_of(seen.iter().copied())?,
        };
        let chosen = self.choose(truth.as_deref().or(reports.as_deref()).unwrap_or_default())?;
        let coloured = match reports {
            Some(paths) => vec![Coloured { label: "reports".to_owned(), paths }],
            // The density is that of all reports.
            None => {
                let is_drawn = |path: &&Path| self.density || chosen.contains(&path.id);
                self.draw_reports(&space, truth.iter().flatten().filter(is_drawn))?
            }
        };
        let tints = match coloured.first() {
            Some(first) if self.density => tinted(&space, &first.paths)?,
            _ => (Vec::new(), 0),
        };
        let mut layers = vec![Layer {
            label: "original".to_owned(),
            paths: lines(&space, truth.iter().flatten().filter(|path| chosen.contains(&path.id))),
        }];
        layers.extend(coloured.iter().map(|Coloured { label, paths }| Layer {
            label: label.clone(),
            paths: lines(&space, paths.iter().filter(|path| chosen.contains(&path.id))),
        }));
        let locations = layers.iter().map(|layer| layer.paths.iter().map(Vec::len).sum::<usize>()).max();
        save_map(&self.map(&space, layers, tints, &chosen)?, &self.out)?;
        let (out, paths) = (self.out.display().to_string(), chosen.len());
        let locations = locations.unwrap_or_default();
        let document = json!({ "out": out, "paths": paths, "locations": locations });
        output.print(&document, || format!("{locations} locations (paths: {paths}) in {out}"))
    }

    /// The names of the paths to draw.
    fn choose(&self, paths: &[Path]) -> Result<Vec<String>, Failure> {
        let mut names = paths.iter().map(|path| path.id.clone());
        let Some(wanted) = &self.only else { return Ok(names.take(self.paths).collect()) };
        names.find(|name| name == wanted).map(|name| vec![name]).ok_or_else(|| Failure::Data {
            message: format!("there is no path called {wanted:?}"),
            hint: Some("`--path` says which column holds the names"),
        })
    }

    /// Reports of paths at each epsilon.
    fn draw_reports<'a>(
        &self,
        space: &Space,
        truth: impl Iterator<Item = &'a Path> + Clone,
    ) -> Result<Vec<Coloured>, Failure> {
        let (Some(method), Some(epsilons)) = (&self.method, &self.epsilon) else { return Ok(Vec::new()) };
        let epsilons = parse_epsilons(epsilons)?;
        let mut rng = generator(self.insecure_seed)?;
        let mut coloured = Vec::new();
        for epsilon in epsilons {
            let label = format!("{method}, epsilon {epsilon}");
            let method = build(method, space, epsilon, self.cells.cells)?;
            let report = |path: &Path| perturb_path(&*method, path, &mut rng).map_err(refused);
            coloured.push(Coloured { label, paths: truth.clone().map(report).collect::<Result<_, _>>()? });
        }
        Ok(coloured)
    }

    fn map(
        &self,
        space: &Space,
        layers: Vec<Layer>,
        (tints, most): (Vec<Tint>, u64),
        chosen: &[String],
    ) -> Result<Map, Failure> {
        let whose = match chosen {
            [] => "Where the reports lie".to_owned(),
            [name] => format!("Path {name} and its reports"),
            names => format!("{} paths and their reports", names.len()),
        };
        let title = match (&self.method, &self.epsilon) {
            (Some(method), Some(epsilon)) => {
                format!("{whose} by {method}, epsilon {} each location", epsilon.replace(',', " and "))
            }
            _ => whose,
        };
        let tinted = if tints.is_empty() { "" } else { "; the darker a place, the more reports lie there" };
        let bounds = space.inner_bounds()?;
        Ok(Map {
            description: format!("Locations in black, reports in colour, in {space}{tinted}."),
            title,
            bounds: outer_corners(space, &bounds).map(|corner| plane(space, &corner)),
            borders: borders(space, &bounds),
            grid: graticule(space, &bounds),
            unit: unit(space, &self.unit),
            tints,
            tint_label: format!("up to {most} reports in a cell"),
            layers,
        })
    }
}

fn lines<'a>(space: &Space, paths: impl Iterator<Item = &'a Path>) -> Vec<Vec<[f64; 2]>> {
    paths.map(|path| path.places.iter().map(|place| plane(space, place)).collect()).collect()
}

/// Coordinates on the map; a sphere is unrolled.
fn plane(space: &Space, place: &Place) -> [f64; 2] {
    space.to_plane(place).unwrap_or(*place)
}

fn corners(bounds: &Rectangle) -> [[f64; 2]; 2] {
    [bounds.point_at([0.0, 0.0]), bounds.point_at([1.0, 1.0])]
}

/// The lowest and the highest coordinates as the table writes them.
fn outer_corners(space: &Space, bounds: &Rectangle) -> [Place; 2] {
    match space.shape() {
        Shape::Rectangle(_) => corners(bounds).map(|corner| space.publish(corner)),
        // A disc does not contain the corners around it.
        _ => corners(bounds),
    }
}

/// The border of the space, and of the region in it.
fn borders(space: &Space, bounds: &Rectangle) -> Vec<Vec<[f64; 2]>> {
    let outer = |corners: &[[f64; 2]]| {
        corners.iter().map(|corner| plane(space, &space.publish(*corner))).collect::<Vec<_>>()
    };
    match (space.shape(), space.boundary()) {
        (_, Some(region)) => region.rings().iter().map(|ring| outer(ring)).collect(),
        (Shape::Disc(disc), None) => {
            let [first, second] = disc.centre();
            let corner = |index: u32| {
                let angle = TAU * f64::from(index) / 180.0;
                [first + disc.radius() * angle.cos(), second + disc.radius() * angle.sin()]
            };
            vec![(0..180).map(corner).collect()]
        }
        (Shape::Sphere(_), None) => vec![ring([-180.0, -90.0], [180.0, 90.0])],
        (Shape::Rectangle(_), None) => {
            let [low, high] = corners(bounds);
            vec![outer(&ring(low, high))]
        }
    }
}

/// Lines of round coordinates, as the table writes them.
fn graticule(space: &Space, bounds: &Rectangle) -> Vec<GridLine> {
    let [low, mut high] = outer_corners(space, bounds);
    // A box over the 180th meridian goes on behind it.
    let is_turned = high[0] < low[0];
    if is_turned {
        high[0] += 360.0;
    }
    let sign = if is_in_degrees(space) { "°" } else { "" };
    let mut lines = Vec::new();
    for axis in 0..2 {
        let scale = Scale::between(low[axis], high[axis], 1.0);
        for value in scale.ticks() {
            let end = |beyond: [f64; 2]| {
                let mut end = beyond;
                end[axis] = value;
                plane(space, &end)
            };
            let is_upright = axis == 0;
            let is_behind = is_upright && is_turned && value > 180.0;
            let shown = if is_behind { value - 360.0 } else { value };
            let text = scale.number(shown) + sign;
            lines.push(GridLine { ends: [end(low), end(high)], text, is_upright });
        }
    }
    lines
}

/// What the scale bar counts: metres where coordinates are degrees.
fn unit(space: &Space, name: &str) -> Unit {
    match space.shape() {
        // Those of a degree of the equator.
        Shape::Sphere(sphere) => Unit::Metres(sphere.radius().to_radians()),
        _ if is_in_degrees(space) => Unit::Metres(1.0),
        _ => Unit::Named(name.to_owned()),
    }
}

/// Cells with reports, and the largest number in one, which has the full tint.
fn tinted(space: &Space, reports: &[Path]) -> Result<(Vec<Tint>, u64), Failure> {
    let grid = Grid::new(space.clone(), [DENSITY_CELLS; 2]).map_err(refused)?;
    let mut counts = vec![0u64; grid.count()];
    let places = reports.iter().flat_map(|path| &path.places);
    places.filter_map(|place| grid.index_of(place)).for_each(|cell| counts[cell] += 1);
    let most = counts.iter().copied().max().unwrap_or_default();
    let bounds = space.inner_bounds()?;
    let tint = |(cell, count): (usize, &u64)| {
        let start = [cell as u32 / DENSITY_CELLS, cell as u32 % DENSITY_CELLS];
        let corner = |beyond: u32| {
            bounds.point_at(start.map(|index| f64::from(index + beyond) / f64::from(DENSITY_CELLS)))
        };
        let corners = ring(corner(0), corner(1));
        let corners = corners.iter().map(|corner| plane(space, &space.publish(*corner))).collect();
        // The root shows cells with few reports beside those with many.
        Tint { corners, share: (*count as f64 / most as f64).sqrt() }
    };
    let tints = counts.iter().enumerate().filter(|(_, count)| **count > 0).map(tint).collect();
    Ok((tints, most))
}
