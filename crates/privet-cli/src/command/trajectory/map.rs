//! Paths and their reports on a map.

use super::method::{CellArguments, build};
use super::paths::{Admission, Grouping, PathArguments};
use super::refused;
use super::space::{box_of, parse_space};
use crate::arguments::{generator, parse_epsilons};
use crate::failure::Failure;
use crate::output::Output;
use crate::page::Scale;
use crate::plot::{GridLine, Layer, Map, Tint, check_map_name, save_map};
use clap::Args;
use privet::trajectory::method::perturb_path;
use privet::trajectory::rounding::{Grid, Rounding};
use privet::trajectory::space::{Shape, Space};
use privet::trajectory::{Path, Place};
use privet::{Epsilon, Generator, Rectangle};
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
/// It shows true locations: it is for data that you may read.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct MapArguments {
    /// The table of true paths: .csv, .jsonl, .ndjson, .parquet, .gpx or .geojson, or - for
    /// standard input
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    #[command(flatten)]
    table: PathArguments,
    /// The column to sort the locations of each path by [default: the order of the table]
    #[arg(long, value_name = "NAME")]
    time: Option<String>,
    /// Where locations lie, as for `trajectory perturb` [default: the box around the table's locations]
    #[arg(long, value_name = "SPACE")]
    space: Option<String>,
    /// The method, as for `trajectory perturb`
    #[arg(long, value_name = "NAME")]
    method: String,
    /// Epsilons of one location; the reports of each have a colour
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    epsilon: String,
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
    /// The map to write: .svg, .png or .html
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Draw from a generator that anybody can repeat, for the same map again
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

impl MapArguments {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        check_map_name(&self.out)?;
        let epsilons = parse_epsilons(&self.epsilon)?;
        let named = self.space.as_deref().map(parse_space).transpose()?;
        let admission = Admission { space: named.as_ref(), clamp: self.table.clamp };
        let grouping = Grouping::Together { time: self.time.as_deref() };
        let all = self.table.read(&self.input, grouping, admission)?;
        let space = named.map_or_else(|| box_of(&all), Ok)?;
        let drawn = self.choose(&all)?;
        let mut rng = generator(self.insecure_seed)?;
        let mut layers = vec![layer("original".to_owned(), &space, drawn)];
        for epsilon in &epsilons {
            let reports = self.reports(&space, drawn, *epsilon, &mut rng)?;
            layers.push(layer(format!("{}, epsilon {epsilon}", self.method), &space, &reports));
        }
        let mut tints = Vec::new();
        if let (true, Some(epsilon)) = (self.density, epsilons.first()) {
            tints = tinted(&space, &self.reports(&space, &all, *epsilon, &mut rng)?)?;
        }
        save_map(&self.map(&space, layers, tints, drawn)?, &self.out)?;
        let locations: usize = drawn.iter().map(|path| path.places.len()).sum();
        let (out, paths) = (self.out.display().to_string(), drawn.len());
        let document = json!({ "out": out, "paths": paths, "locations": locations });
        output.print(&document, || format!("{locations} locations (paths: {paths}) in {out}"))
    }

    fn choose<'a>(&self, all: &'a [Path]) -> Result<&'a [Path], Failure> {
        let Some(name) = &self.only else { return Ok(&all[..all.len().min(self.paths)]) };
        let found = all.iter().find(|path| path.id == *name);
        found.map(std::slice::from_ref).ok_or_else(|| Failure::Data {
            message: format!("{} has no path called {name:?}", self.input.display()),
            hint: Some("`--path` says which column holds the names"),
        })
    }

    fn reports(
        &self,
        space: &Space,
        paths: &[Path],
        epsilon: Epsilon,
        rng: &mut Generator,
    ) -> Result<Vec<Path>, Failure> {
        let method = build(&self.method, space, epsilon, self.cells.cells)?;
        paths.iter().map(|path| perturb_path(&*method, path, rng).map_err(refused)).collect()
    }

    fn map(
        &self,
        space: &Space,
        layers: Vec<Layer>,
        tints: Vec<Tint>,
        drawn: &[Path],
    ) -> Result<Map, Failure> {
        let whose = match drawn {
            [path] => format!("Path {} and its reports", path.id),
            paths => format!("{} paths and their reports", paths.len()),
        };
        let title = format!("{whose} by {}, epsilon {} each location", self.method, self.epsilon);
        let tinted = if tints.is_empty() { "" } else { "; the darker a place, the more reports lie there" };
        let bounds = space.inner_bounds()?;
        Ok(Map {
            description: format!("Locations in black, reports in colour, in {space}{tinted}."),
            title,
            bounds: outer_corners(space, &bounds).map(|corner| plane(space, &corner)),
            border: border(space, &bounds),
            grid: graticule(space, &bounds),
            metres: metres(space),
            tints,
            layers,
        })
    }
}

fn layer(label: String, space: &Space, paths: &[Path]) -> Layer {
    let line = |path: &Path| path.places.iter().map(|place| plane(space, place)).collect();
    Layer { label, paths: paths.iter().map(line).collect() }
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

fn border(space: &Space, bounds: &Rectangle) -> Vec<[f64; 2]> {
    match space.shape() {
        Shape::Disc(disc) => {
            let [first, second] = disc.centre();
            let corner = |index: u32| {
                let angle = TAU * f64::from(index) / 180.0;
                [first + disc.radius() * angle.cos(), second + disc.radius() * angle.sin()]
            };
            (0..180).map(corner).collect()
        }
        Shape::Sphere(_) => ring([-180.0, -90.0], [180.0, 90.0]),
        Shape::Rectangle(_) => {
            let [low, high] = corners(bounds);
            ring(low, high).iter().map(|corner| plane(space, &space.publish(*corner))).collect()
        }
    }
}

fn ring(low: [f64; 2], high: [f64; 2]) -> Vec<[f64; 2]> {
    vec![low, [high[0], low[1]], high, [low[0], high[1]]]
}

/// Lines of round coordinates, as the table writes them.
fn graticule(space: &Space, bounds: &Rectangle) -> Vec<GridLine> {
    let [low, mut high] = outer_corners(space, bounds);
    // A box over the 180th meridian goes on behind it.
    let is_turned = high[0] < low[0];
    if is_turned {
        high[0] += 360.0;
    }
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
            lines.push(GridLine { ends: [end(low), end(high)], text: scale.number(shown), is_upright });
        }
    }
    lines
}

/// Metres for each unit of the map: one in a geographic box, and those of a degree of the equator on a sphere.
fn metres(space: &Space) -> Option<f64> {
    if let Shape::Sphere(sphere) = space.shape() {
        return Some(sphere.radius().to_radians());
    }
    let centre = space.centre();
    (plane(space, &centre) != centre).then_some(1.0)
}

/// Cells with reports; the one with the most has the full tint.
fn tinted(space: &Space, reports: &[Path]) -> Result<Vec<Tint>, Failure> {
    let grid = Grid::new(space.clone(), [DENSITY_CELLS; 2]).map_err(refused)?;
    let mut counts = vec![0u64; grid.count()];
    let places = reports.iter().flat_map(|path| &path.places);
    places.filter_map(|place| grid.index_of(place)).for_each(|cell| counts[cell] += 1);
    let most = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let bounds = space.inner_bounds()?;
    let tint = |(cell, count): (usize, &u64)| {
        let start = [cell as u32 / DENSITY_CELLS, cell as u32 % DENSITY_CELLS];
        let corner = |beyond: u32| {
            bounds.point_at(start.map(|index| f64::from(index + beyond) / f64::from(DENSITY_CELLS)))
        };
        let corners = ring(corner(0), corner(1));
        let corners = corners.iter().map(|corner| plane(space, &space.publish(*corner))).collect();
        // The root shows cells with few reports beside those with many.
        Tint { corners, share: (*count as f64 / most).sqrt() }
    };
    Ok(counts.iter().enumerate().filter(|(_, count)| **count > 0).map(tint).collect())
}
