use super::*;
use crate::{Answers, Client, ClientError, Policy};
use privet_core::Generator;

fn showing(attribute: &str) -> Showing {
    let text = format!(
        "name = \"n\"\npurpose = \"p\"\norigin = \"o.example\"\nopens = 2026-01-01\ncloses = 2026-12-31\nepoch = \"month\"\n\
         minimum_reports = 10\n[budget]\nepsilon = 1\nperiod = \"month\"\n[[attribute]]\nname = \"a\"\nquestion = \"q\"\n{attribute}\n"
    );
    let policy = Policy::from_toml(&text).unwrap().resolve(&mut |_| Err("no files".into())).unwrap();
    Showing::new(policy)
}

fn report(showing: &Showing, value: &str) -> ShownReport {
    let answers = Answers::new().value("a", value);
    let mut rng = Generator::from_entropy([3; 32]);
    let bytes = Client::new([7; 32]).perturb(&showing.policy, &answers, 0, &mut rng).unwrap();
    showing.report(&bytes).unwrap()
}

/// With epsilon 1, e / (1 + e) = 73.106 % and e / (3 + e) = 47.537 %.
#[test]
fn choices_are_shown_with_their_probabilities() {
    let yes = showing("domain = \"binary\"\ngoal = \"frequency\"\nmechanism = \"randomized-response\"");
    let words = yes.channel("a", "1").unwrap().words;
    assert!(
        words.starts_with("Your report says yes with probability 73.1 % and no with probability 26.9 %."),
        "{words}"
    );
    let four = showing("domain = \"categories:a,b,c,d\"\ngoal = \"frequency\"\nmechanism = \"grr\"");
    let shown = four.channel("a", "c").unwrap();
    let ShownPicture::Choices { exclusive: true, choices, others: None } = shown.picture else { panic!() };
    let masses: Vec<i64> = choices.iter().map(|choice| (choice.probability * 1e5).round() as i64).collect();
    assert_eq!(masses, [17_488, 17_488, 47_537, 17_488]);
    assert_eq!(choices.iter().position(|choice| choice.own), Some(2));
    let ticks = showing("domain = \"categories:a,b,c,d\"\ngoal = \"frequency\"\nmechanism = \"oue\"");
    let ticked = ticks.channel("a", "c").unwrap();
    assert!(ticked.words.contains("c is ticked with probability 50.0 %"), "{}", ticked.words);
    assert!(matches!(ticked.picture, ShownPicture::Choices { exclusive: false, .. }));
}

#[test]
fn many_choices_hold_the_own_one() {
    for mechanism in ["grr", "ordered-exponential"] {
        let many = showing(&format!(
            "domain = \"categories:500\"\ngoal = \"frequency\"\nmechanism = \"{mechanism}\""
        ));
        for value in ["0", "321", "499"] {
            let ShownPicture::Choices { choices, others, .. } = many.channel("a", value).unwrap().picture
            else {
                panic!()
            };
            let own: Vec<&str> =
                choices.iter().filter(|choice| choice.own).map(|choice| choice.label.as_str()).collect();
            assert_eq!((own, choices.len()), (vec![value], MOST_SHOWN));
            let others = others.unwrap();
            let sum: f64 = choices.iter().map(|choice| choice.probability).sum();
            assert!((sum + others.each * f64::from(others.count) - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn numbers_and_angles_are_shown_as_laws_that_sum_to_one() {
    for (domain, mechanism, value) in [
        ("interval:0,120", "optimal-piecewise", "35"),
        ("interval:0,120", "laplace", "35"),
        ("interval:0,120", "duchi", "35"),
        ("circle:24", "optimal-piecewise-circle", "23.5"),
    ] {
        let numbers =
            showing(&format!("domain = \"{domain}\"\ngoal = \"mean\"\nmechanism = \"{mechanism}\""));
        let shown = numbers.channel("a", value).unwrap();
        let ShownPicture::Numbers { pieces, period } = shown.picture else { panic!("{mechanism}") };
        assert_eq!(period.is_some(), domain.starts_with("circle"));
        assert!(pieces.len() <= MOST_SHOWN * 5, "{mechanism}: {}", pieces.len());
        let sum: f64 = pieces.iter().map(|piece| piece.probability).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{mechanism}: {sum}");
        assert!(matches!(report(&numbers, value).answers[0].content, ShownContent::Number { .. }));
    }
}

#[test]
fn places_are_cells() {
    let places =
        showing("domain = \"rectangle:0,4,0,4\"\nbins = 4\ngoal = \"distribution\"\nmechanism = \"grr\"");
    let ShownPicture::Places { exclusive, side, cell, own, other } =
        places.channel("a", "2.5,1.5").unwrap().picture
    else {
        panic!()
    };
    assert_eq!((exclusive, side, cell), (true, 4, 6));
    assert!((own + 15.0 * other - 1.0).abs() < 1e-12);
    let sent = report(&places, "2.5,1.5");
    assert!(matches!(&sent.answers[0].content, ShownContent::Places { cells } if cells.len() == 1));
    assert!(sent.answers[0].inference.contains("at most 73.1 % likely"), "{}", sent.answers[0].inference);
}

#[test]
fn what_does_not_fit_is_refused_without_the_value() {
    let yes = showing("domain = \"interval:0,1\"\ngoal = \"mean\"");
    let error = yes.channel("a", "7.25").unwrap_err();
    assert_eq!(error.code(), "input-outside-domain");
    assert!(!error.to_string().contains("7.25"));
    assert!(matches!(yes.channel("b", "0"), Err(ClientError::Unknown { .. })));
    assert!(!format!("{:?}", yes.channel("a", "0.25").unwrap()).contains("0.2"));
    assert!(yes.report(&[1, 2, 3]).is_err());
}

#[test]
fn numbers_have_the_digits_that_matter() {
    assert_eq!(
        [number(12.3456, 120.0), number(0.123456, 1.0), number(-0.00001, 1.0)],
        ["12.3", "0.123", "0"]
    );
    assert_eq!(
        [percent(0.731), percent(0.0731), percent(0.00052), percent(1.0)],
        ["73.1 %", "7.31 %", "0.052 %", "100 %"]
    );
}
