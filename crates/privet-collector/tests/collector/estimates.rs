//! What is learned.

use crate::support::{EPOCH, POLICY, Server, hex, reports, resolve};
use arrow_array::Array;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

fn filled(count: usize) -> (Server, String, Vec<Vec<u8>>) {
    let server = Server::sqlite();
    let collection = server.manager().create(POLICY);
    let all = reports(&resolve(POLICY), count, 21);
    if count > 0 {
        server.visitor().submit(&collection, &all.concat());
    }
    (server, collection, all)
}

#[test]
fn too_few_reports_show_nothing() {
    let (server, collection, _) = filled(99);
    let estimates = server.visitor().estimates(&collection, "");
    for estimate in estimates.as_array().unwrap() {
        assert_eq!((&estimate["withheld"], &estimate["n"]), (&json!(true), &json!(99)));
        for key in ["value", "estimates", "distribution", "plausibility", "influence", "robust"] {
            assert!(estimate.get(key).is_none(), "{key}");
        }
    }
    let more = reports(&resolve(POLICY), 1, 22);
    server.visitor().submit(&collection, &more[0]);
    let estimates = server.visitor().estimates(&collection, "");
    assert!(estimates.as_array().unwrap().iter().all(|estimate| estimate["withheld"] == json!(false)));
    let (server, collection, _) = filled(0);
    assert_eq!(server.visitor().estimates(&collection, "")[0]["withheld"], true);
}

#[test]
fn estimates_carry_what_a_reader_needs() {
    let (server, collection, _) = filled(2000);
    let estimates = server.visitor().estimates(&collection, "");
    let [commute, minutes, stops] = [0, 1, 2].map(|index| &estimates[index]);
    assert_eq!(commute["guarantee"]["kind"], "pure");
    let car = &commute["estimates"][3];
    assert_eq!((car["label"].as_str(), car["n"].as_u64()), (Some("car"), Some(2000)));
    // Two of five drive; one report moves the frequency by 1 / (n (own - other)) = 1 / (2000 (e^3 - 1) / (e^3 + 3)).
    assert!((car["value"].as_f64().unwrap() - 0.4).abs() < 0.1, "{car}");
    let largest = (3f64.exp() + 3.0) / (3f64.exp() - 1.0) / 2000.0;
    assert!((commute["influence"].as_f64().unwrap() / largest - 1.0).abs() < 1e-6);
    assert_eq!(commute["robust"]["fakes"], 0.01);
    assert_eq!(commute["robust"]["rows"][3]["label"], "car");
    assert!((minutes["value"].as_f64().unwrap() - 48.0).abs() < 10.0);
    assert_eq!(minutes["distribution"].as_array().unwrap().len(), 50);
    assert_eq!(
        (minutes["distribution_n"].as_u64(), minutes["quantiles"].as_array().unwrap().len()),
        (Some(2000), 3)
    );
    assert_eq!(minutes["robust"]["rows"][0]["label"], "mean");
    for estimate in [commute, minutes, stops] {
        assert_eq!(
            (&estimate["plausibility"]["warning"], &estimate["public"]),
            (&json!(false), &Value::Null)
        );
    }
}

#[test]
fn forged_reports_raise_a_warning() {
    let (server, collection, all) = filled(1000);
    // The third answer is 20 bits in the last three bytes: forgers set them all.
    let forged: Vec<Vec<u8>> = (0u16..150)
        .map(|forger| {
            let mut report = all[0].clone();
            report[10..12].copy_from_slice(&forger.to_le_bytes());
            let end = report.len();
            report[end - 3..].copy_from_slice(&[255, 255, 15]);
            report
        })
        .collect();
    assert_eq!(server.visitor().submit(&collection, &forged.concat()).status, 200);
    let stops = server.visitor().estimates(&collection, "?attribute=stops")[0].clone();
    assert_eq!(stops["plausibility"]["verdict"], "implausible", "{}", stops["plausibility"]);
    assert_eq!(stops["plausibility"]["warning"], true);
    // Withdrawing them takes the warning away.
    for report in &forged {
        server.visitor().delete(&format!("{collection}/reports/{}", hex(&report[10..26])));
    }
    let stops = server.visitor().estimates(&collection, "?attribute=stops")[0].clone();
    assert_eq!(stops["plausibility"]["warning"], false);
}

#[test]
fn estimates_by_public_field_and_by_epoch_add_up() {
    let (server, collection, _) = filled(900);
    let visitor = server.visitor();
    let by_region = visitor.estimates(&collection, "?attribute=commute&by=region");
    let sizes: Vec<_> =
        by_region.as_array().unwrap().iter().map(|estimate| estimate["n"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [300, 600]);
    assert_eq!(by_region[1]["public"], json!({ "field": "region", "value": "south" }));
    let by_epoch = [EPOCH - 1, EPOCH].map(|epoch| {
        let estimate =
            visitor.estimates(&collection, &format!("?attribute=commute&epoch={epoch}"))[0].clone();
        assert_eq!(estimate["epoch"], epoch);
        estimate["n"].as_u64().unwrap()
    });
    assert_eq!(by_epoch, [450, 450]);
    assert_eq!(visitor.estimates(&collection, "?epoch=0")[0]["n"], 0);
    let problem = |query: &str| visitor.get(&format!("{collection}/estimate{query}")).problem();
    assert_eq!(problem("?attribute=height"), (404, "name-unknown".to_owned()));
    assert_eq!(problem("?by=commute"), (404, "name-unknown".to_owned()));
    assert_eq!(problem("?epoch=31"), (400, "query".to_owned()));
    assert_eq!(problem("?epoch=-1"), (400, "query".to_owned()));
    assert_eq!(problem("?fakes=2"), (400, "parameter-probability".to_owned()));
    assert_eq!(problem("?color=red"), (400, "query".to_owned()));
}

#[test]
fn permanent_answers_are_estimated_from_one_epoch() {
    let policy = r#"
        name = "Every day"
        purpose = "See whether answers average out"
        origin = "city.example"
        opens = 2026-03-01
        closes = 2026-03-31
        epoch = "day"
        answers = "every-epoch"
        minimum_reports = 10
        [budget]
        epsilon = 100
        period = "collection"
        [[attribute]]
        name = "commute"
        question = "How do you get to work?"
        domain = "categories:walk,bicycle,bus,car"
        goal = "frequency"
        mechanism = "grr"
        epsilon = 1
        epsilon_forever = 2
    "#;
    let server = Server::sqlite();
    let collection = server.manager().create(policy);
    let resolved = resolve(policy);
    let mut rng = privet_core::Generator::from_entropy([5; 32]);
    let mut report = |person: u8, epoch: u32| {
        let answers = privet_policy::Answers::new().value("commute", "bus");
        privet_policy::Client::new([person; 32]).perturb(&resolved, &answers, epoch, &mut rng).unwrap()
    };
    let mut all = Vec::new();
    for (epoch, people) in [(2, 30), (3, 20), (4, 5)] {
        (0..people).for_each(|person| all.extend(report(person, epoch)));
    }
    server.visitor().submit(&collection, &all);
    let estimate = server.visitor().estimates(&collection, "")[0].clone();
    assert_eq!((&estimate["n"], &estimate["epoch"]), (&json!(20), &json!(3)));
    let estimate = server.visitor().estimates(&collection, "?epoch=2")[0].clone();
    assert_eq!((&estimate["n"], &estimate["epoch"]), (&json!(30), &json!(2)));
}

#[test]
fn two_attributes_go_together() {
    let (server, collection, all) = filled(3000);
    let visitor = server.visitor();
    let path = |query: &str| format!("{collection}/cross-table?{query}");
    let table = visitor.get(&path("rows=commute&columns=minutes&bins=2")).json();
    assert_eq!((&table["n"], &table["withheld"]), (&json!(3000), &json!(false)));
    assert_eq!(table["rows"]["labels"], json!(["walk", "bicycle", "bus", "car"]));
    let cells: Vec<f64> = table["cells"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row.as_array().unwrap().iter().map(|cell| cell["value"].as_f64().unwrap()))
        .collect();
    assert_eq!(cells.len(), 8);
    assert!((cells.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    // Two of five drive, whatever the minutes.
    assert!((cells[6] + cells[7] - 0.4).abs() < 0.1, "{cells:?}");
    // More reports: the old table with its n, unless a fresh one is asked for.
    server.visitor().submit(&collection, &reports(&resolve(POLICY), 500, 23).concat());
    let fresh = visitor.get(&path("rows=commute&columns=minutes&bins=2&fresh=true")).json();
    assert_eq!(fresh["n"], 3500);
    let problem = |query: &str| visitor.get(&path(query)).problem();
    assert_eq!(problem("rows=commute&columns=commute"), (400, "query".to_owned()));
    assert_eq!(problem("rows=commute"), (400, "query".to_owned()));
    assert_eq!(problem("rows=commute&columns=height"), (404, "name-unknown".to_owned()));
    assert_eq!(problem("rows=commute&columns=minutes&bins=0"), (400, "parameter-incompatible".to_owned()));
    assert_eq!(
        problem("rows=commute&columns=minutes&bins=100000"),
        (400, "parameter-incompatible".to_owned())
    );
    assert_eq!(all.len(), 3000);
    let few = visitor.get(&path("rows=commute&columns=stops&epoch=1")).json();
    assert_eq!((&few["n"], &few["withheld"], few.get("cells")), (&json!(0), &json!(true), None));
}

#[test]
fn reports_leave_as_tables_of_three_kinds() {
    let (server, collection, all) = filled(250);
    let export = |format: &str| server.manager().get(&format!("{collection}/export?format={format}"));
    let mut expected: Vec<String> = all.iter().map(|report| hex(report)).collect();
    expected.sort();
    let csv = export("csv");
    assert_eq!(csv.header("content-type"), "text/csv");
    let text = String::from_utf8(csv.body).unwrap();
    assert_eq!(text.lines().next(), Some("epoch,region,report"));
    let mut digits: Vec<String> =
        text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().to_owned()).collect();
    digits.sort();
    assert_eq!(digits, expected);
    assert_eq!(text.lines().filter(|line| line.starts_with("14,north,")).count(), 42);
    let lines = String::from_utf8(export("jsonl").body).unwrap();
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut digits: Vec<&str> = rows.iter().map(|row| row["report"].as_str().unwrap()).collect();
    digits.sort_unstable();
    assert_eq!(digits, expected);
    assert!(rows.iter().all(|row| row["region"] == "north" || row["region"] == "south"));
    let parquet = parquet_reports(export("parquet").body);
    assert_eq!(parquet, expected);
    let problem = server.manager().get(&format!("{collection}/export?format=xml")).problem();
    assert_eq!(problem, (400, "query".to_owned()));
}

fn parquet_reports(bytes: Vec<u8>) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reports.parquet");
    std::fs::write(&path, bytes).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(path).unwrap())
        .unwrap()
        .build()
        .unwrap();
    let mut digits = Vec::new();
    for batch in reader {
        let batch = batch.unwrap();
        let column = batch.column_by_name("report").unwrap();
        let column = column.as_any().downcast_ref::<arrow_array::FixedSizeBinaryArray>().unwrap();
        digits.extend((0..column.len()).map(|row| hex(column.value(row))));
    }
    digits.sort();
    digits
}
