use super::*;
use proptest::prelude::*;

fn unit() -> Rectangle {
    Rectangle::new([Interval::new(0.0, 1.0).unwrap(), Interval::new(0.0, 1.0).unwrap()]).unwrap()
}

#[test]
fn degenerate_spaces_are_refused() {
    assert!(Interval::new(1.0, 1.0).is_err() && Interval::new(1.0, 0.0).is_err(), "no rectangle is flat");
    assert!(Space::disc([0.0, 0.0], 0.0).is_err() && Space::disc([f64::NAN, 0.0], 1.0).is_err());
    assert!(Space::sphere(-1.0).is_err() && Space::sphere(f64::INFINITY).is_err());
    assert!(Space::parallelogram([0.0, 0.0], [1.0, 1.0], [2.0, 2.0]).is_err());
    assert!(Space::parallelogram([0.0, 0.0], [0.0, 0.0], [2.0, 2.0]).is_err());
    let bounds = |west, east, south, north| Space::geographic(GeographicBox { west, east, south, north });
    assert!(bounds(10.0, 10.0, 0.0, 1.0).is_err() && bounds(0.0, 1.0, 2.0, 2.0).is_err());
    assert!(bounds(0.0, 1.0, 80.0, 91.0).is_err() && bounds(0.0, 181.0, 0.0, 1.0).is_err());
    assert!(bounds(0.0, 1.0, f64::NAN, 1.0).is_err());
    assert!(bounds(0.0, 1.0, 89.0, 90.0).is_ok());
    for ring in [vec![], vec![[0.0, 0.0], [1.0, 1.0]], vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]] {
        assert!(Region::new(vec![ring]).is_err());
    }
    assert!(Region::new(vec![]).is_err());
    assert!(Region::new(vec![vec![[0.0, 0.0], [1.0, f64::NAN], [2.0, 0.0]]]).is_err());
}

#[test]
fn discs_have_a_border_and_a_reach() {
    let space = Space::disc([1.0, 2.0], 0.5).unwrap();
    assert!(space.contains(&[1.5, 2.0]) && !space.contains(&[1.5, 2.1]) && !space.contains(&[f64::NAN, 2.0]));
    assert!(space.contains(&space.nearest([7.0, -3.0])));
    let reach = |from, heading| space.shape().reach(from, heading).unwrap();
    assert_eq!(reach([1.0, 2.0], [0.6, 0.8]), 0.5);
    assert!((reach([0.5, 2.0], [1.0, 0.0]) - 1.0).abs() < 1e-12);
    assert_eq!(reach([0.5, 2.0], [-1.0, 0.0]), 0.0);
}

#[test]
fn the_reach_in_a_rectangle_is_the_way_to_the_nearest_side() {
    let shape = Shape::Rectangle(unit());
    let reach = |from, heading| shape.reach(from, heading).unwrap();
    assert_eq!(reach([0.25, 0.5], [1.0, 0.0]), 0.75);
    assert_eq!(reach([0.25, 0.5], [0.0, -1.0]), 0.5);
    assert_eq!(reach([0.0, 0.0], [-1.0, 0.0]), 0.0);
    assert_eq!(reach([0.0, 0.0], [0.0, -0.0]), f64::INFINITY, "no direction, no border");
    let diagonal = std::f64::consts::FRAC_1_SQRT_2;
    assert!((reach([0.0, 0.0], [diagonal, diagonal]) - 2f64.sqrt()).abs() < 1e-12);
    assert_eq!(reach([1.0, 1.0], [diagonal, -diagonal]), 0.0);
}

#[test]
fn spheres_measure_along_great_circles_and_know_one_place_once() {
    let space = Space::sphere(2.0).unwrap();
    let quarter = std::f64::consts::PI;
    assert!((space.distance(&[0.0, 0.0], &[90.0, 0.0]) - quarter).abs() < 1e-12);
    assert!((space.distance(&[12.0, 90.0], &[77.0, 0.0]) - quarter).abs() < 1e-12);
    assert!(space.distance(&[179.999, 0.0], &[-179.999, 0.0]) < 1e-4);
    assert_eq!(space.to_inner([180.0, 3.0]), [-180.0, 3.0]);
    assert_eq!(space.to_inner([55.0, -90.0]), [0.0, -90.0]);
    assert!(
        space.contains(&[180.0, 90.0]) && !space.contains(&[180.5, 0.0]) && !space.contains(&[0.0, 90.5])
    );
    assert_eq!(space.publish([190.0, 100.0]), [-170.0, 90.0]);
}

#[test]
fn regions_have_holes_parts_and_crossings() {
    let square = |low: f64, high: f64| vec![[low, low], [high, low], [high, high], [low, high], [low, low]];
    let ring = Region::new(vec![square(0.0, 1.0), square(0.25, 0.75)]).unwrap();
    assert!(ring.contains(&[0.1, 0.5]) && !ring.contains(&[0.5, 0.5]) && !ring.contains(&[1.5, 0.5]));
    assert_eq!(ring.nearest([0.5, 0.6]), [0.5, 0.75]);
    assert_eq!(ring.nearest([2.0, 0.5]), [1.0, 0.5]);
    let parts = Region::new(vec![square(0.0, 0.2), square(0.8, 1.0)]).unwrap();
    assert!(parts.contains(&[0.1, 0.1]) && parts.contains(&[0.9, 0.9]) && !parts.contains(&[0.5, 0.5]));
    assert_eq!(parts.nearest([0.3, 0.1]), [0.2, 0.1]);
    // A figure of eight: both loops are inside, the places beside the crossing are not.
    let eight = Region::new(vec![vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]]).unwrap();
    assert!(eight.contains(&[0.1, 0.5]) && eight.contains(&[0.9, 0.5]));
    assert!(!eight.contains(&[0.5, 0.9]) && !eight.contains(&[0.5, 0.1]));
    let space = Space::rectangle(unit()).within(&eight).unwrap();
    assert!(space.contains(&space.publish([0.5, 0.95])) && space.contains(&space.centre()));
    assert!(Space::rectangle(unit()).within(&Region::new(vec![square(0.0, 2.0)]).unwrap()).is_err());
    assert!(Space::disc([0.0, 0.0], 1.0).unwrap().within(&parts).is_err());
}

#[test]
fn boxes_of_degrees_are_measured_in_metres() {
    let tokyo = GeographicBox { west: 139.47, east: 139.91, south: 35.51, north: 35.87 };
    let space = Space::geographic(tokyo).unwrap();
    // A degree of latitude is 111.2 km, one of longitude at 35.69 degrees 90.3 km.
    assert!((space.distance(&[139.5, 35.6], &[139.5, 35.7]) - 11_119.5).abs() < 1.0);
    assert!((space.distance(&[139.5, 35.6], &[139.6, 35.6]) - 9031.0).abs() < 10.0);
    assert!(
        space.contains(&[139.47, 35.51])
            && space.contains(&[139.91, 35.87])
            && !space.contains(&[139.92, 35.6])
    );
    assert!(!space.contains(&[139.5, f64::NAN]));
    let clamped = space.nearest([0.0, 89.0]);
    assert!(space.contains(&clamped));
    assert_eq!(space.to_string(), "geographic:139.47,139.91,35.51,35.87");
}

proptest! {
    #[test]
    fn coordinates_survive_the_way_there_and_back(first in 0.0f64..1.0, second in 0.0f64..1.0, angle in 0.2f64..2.9) {
        let (sine, cosine) = angle.sin_cos();
        let skew = Space::parallelogram([5.0, -3.0], [2.0, 0.5], [2.0 * cosine - 0.5 * sine, 2.0 * sine + 0.5 * cosine]).unwrap();
        let around = GeographicBox { west: 170.0, east: -160.0, south: -40.0, north: 10.0 };
        let pacific = Space::geographic(around).unwrap();
        for space in [skew, pacific] {
            let inner = space.inner_bounds().unwrap().point_at([first, second]);
            let place = space.publish(inner);
            prop_assert!(space.contains(&place));
            let back = space.to_inner(place);
            for axis in 0..2 {
                prop_assert!((back[axis] - inner[axis]).abs() <= 1e-8 * (1.0 + inner[axis].abs()));
            }
            prop_assert!(space.distance(&place, &place) == 0.0);
        }
    }

    #[test]
    fn nearest_places_are_inside(first in -400.0f64..400.0, second in -400.0f64..400.0) {
        let star = Region::new(vec![vec![[0.0, 0.0], [1.0, 0.1], [0.2, 0.8], [0.6, -0.4], [0.9, 0.9]]]).unwrap();
        let around = GeographicBox { west: 100.0, east: -160.0, south: -40.0, north: 10.0 };
        for space in [
            Space::region(&star).unwrap(),
            Space::geographic(around).unwrap(),
            Space::disc([3.0, 4.0], 2.0).unwrap(),
            Space::sphere(1.0).unwrap(),
            Space::parallelogram([0.0, 0.0], [1.0, 0.0], [3.0, 1.0]).unwrap(),
        ] {
            prop_assert!(space.contains(&space.nearest([first, second])), "{space}");
        }
    }
}
