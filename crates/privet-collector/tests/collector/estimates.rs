//! What is learned.

use crate::scenarios::assert_same_estimates;
use crate::support::{EPOCH, POLICY, Server, hex, reports, resolve};
use arrow_array::{Array, Float64Array, RecordBatch};
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

#[test]
fn estimates_leave_as_tables_of_three_kinds() {
    let (server, collection, _) = filled(600);
    let path = |query: &str| format!("{collection}/estimate/export?{query}");
    let export = |query: &str| server.visitor().get(&path(query));
    let said = server.visitor().estimates(&collection, "?fresh=true");
    let lines = String::from_utf8(export("format=jsonl&fresh=true").body).unwrap();
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |attribute: &str, part: &str| -> Vec<&Value> {
        rows.iter().filter(|row| row["attribute"] == attribute && row["part"] == part).collect()
    };
    // Every number that is answered is in the table, and none else.
    let length = |index: usize, key: &str| said[index][key].as_array().unwrap().len();
    assert_eq!(of("commute", "category").len(), 4);
    assert_eq!(of("stops", "category").len(), 20);
    for (part, key) in [("distribution", "distribution"), ("range", "ranges"), ("quantile", "quantiles")] {
        assert_eq!(of("minutes", part).len(), length(1, key), "{part}");
    }
    assert_eq!(
        rows.len(),
        4 + 20 + 1 + length(1, "distribution") + length(1, "ranges") + length(1, "quantiles")
    );
    let car = of("commute", "category")[3];
    let expected = &said[0]["estimates"][3];
    assert_eq!((&car["label"], &car["value"], &car["n"]), (&json!("car"), &expected["value"], &json!(600)));
    assert_eq!((&car["low"], &car["high"]), (&expected["interval"][0], &expected["interval"][1]));
    let simultaneous = json!([car["simultaneous_low"], car["simultaneous_high"]]);
    assert_eq!(simultaneous, expected["simultaneous_interval"]);
    assert_eq!(of("minutes", "value")[0]["simultaneous_low"], Value::Null, "a mean stands alone");
    assert_eq!(of("minutes", "value")[0]["value"], said[1]["value"]);
    assert_eq!(of("minutes", "quantile")[1]["level"], 0.5);
    assert_eq!(of("minutes", "distribution")[0]["value"], said[1]["distribution"][0]["share"]);
    let csv = export("format=csv&attribute=commute&by=region");
    assert_eq!(csv.header("content-type"), "text/csv");
    let text = String::from_utf8(csv.body).unwrap();
    assert!(text.starts_with("attribute,epoch,public_field,public_value,part,label,from,to,level,value,"));
    assert_eq!(text.lines().filter(|line| line.starts_with("commute,,region,south,category,")).count(), 4);
    let parquet = export("format=parquet&fresh=true").body;
    let batch = parquet_batches(parquet).remove(0);
    assert_eq!(batch.num_rows(), rows.len());
    let values = batch.column_by_name("value").unwrap().as_any().downcast_ref::<Float64Array>().unwrap();
    assert_eq!(values.value(3), expected["value"].as_f64().unwrap());
    let lows = batch.column_by_name("simultaneous_low").unwrap();
    let lows = lows.as_any().downcast_ref::<Float64Array>().unwrap();
    assert_eq!(lows.value(3), expected["simultaneous_interval"][0].as_f64().unwrap());
    assert_eq!(export("format=xml").problem(), (400, "query".to_owned()));
    let (server, collection, _) = filled(5);
    let withheld = server.visitor().get(&format!("{collection}/estimate/export?format=csv")).body;
    let withheld = String::from_utf8(withheld).unwrap();
    assert_eq!(withheld.lines().filter(|line| line.contains(",,5,,true,")).count(), 3, "{withheld}");
}

/// The numbers of the collector are those of the library for the same reports, digit by digit, and a page has those that programs get.
#[test]
fn the_collector_says_what_the_library_says() {
    let (server, collection, all) = filled(1500);
    assert_same_estimates(&server.visitor(), &collection, POLICY, &all);
    // However many bins are asked for, the mean is the same.
    let [few, many] = [24, 50]
        .map(|bins| server.visitor().estimates(&collection, &format!("?attribute=minutes&bins={bins}")));
    for key in ["value", "standard_error", "bias_bound", "interval"] {
        assert_eq!(few[0][key], many[0][key], "{key}");
    }
    let page = server.visitor().get(&collection.replace("/v1", "")).body;
    let page = String::from_utf8(page).unwrap();
    let (_, rest) = page.split_once("Mean<br><span class=\"big\">").unwrap();
    let shown: f64 = rest.split('<').next().unwrap().parse().unwrap();
    let value = many[0]["value"].as_f64().unwrap();
    assert!((shown - value).abs() < 1e-3 * value, "{shown} {value}");
    // As many bins as programs get by default, and the same quantiles.
    let said = &server.visitor().estimates(&collection, "?attribute=minutes&fresh=true")[0];
    let (_, table) = page.split_once("<caption>Quantiles</caption>").unwrap();
    let rows = table.split("</table>").next().unwrap().split("<tr><th scope=\"row\">").skip(1);
    let shown: Vec<f64> = rows.map(|row| row.split(['<', '>']).nth(4).unwrap().parse().unwrap()).collect();
    let expected = said["quantiles"].as_array().unwrap().iter().map(|row| row["value"].as_f64().unwrap());
    let expected: Vec<f64> = expected.collect();
    assert_eq!(shown.len(), 3);
    for (shown, expected) in shown.iter().zip(&expected) {
        // A page writes four digits.
        assert!((shown - expected).abs() < 5e-4 * expected, "{shown} {expected}");
    }
}

/// Samples vary more than the noise of the people at hand.
#[test]
fn a_target_is_asked_for_and_told() {
    let (server, collection, _) = filled(1000);
    let visitor = server.visitor();
    let [reported, drawn] = ["", "?target=population"]
        .map(|query| visitor.estimates(&collection, query)[0]["estimates"][3].clone());
    assert_eq!((&reported["target"], &drawn["target"]), (&json!("reported"), &json!("population")));
    let length = |row: &Value| row["interval"][1].as_f64().unwrap() - row["interval"][0].as_f64().unwrap();
    assert!(length(&drawn) > 1.02 * length(&reported), "{reported} {drawn}");
    // Neither stands in for the other in the cache.
    for (query, target) in [("", "reported"), ("&target=population", "population")] {
        let minutes = visitor.estimates(&collection, &format!("?attribute=minutes{query}"))[0].clone();
        assert_eq!(
            (&minutes["target"], &minutes["quantiles"][0]["target"]),
            (&json!(target), &json!(target))
        );
        let table =
            visitor.get(&format!("{collection}/cross-table?rows=commute&columns=stops{query}")).json();
        assert_eq!(table["target"], target);
        assert!(table["cells"][0][0]["bias_bound"].is_number(), "{table}");
        let export = visitor.get(&format!("{collection}/estimate/export?format=jsonl{query}")).body;
        for line in String::from_utf8(export).unwrap().lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            assert_eq!(row["target"], target, "{row}");
            assert!(row["bias_bound"].is_number(), "{row}");
        }
    }
    let problem = visitor.get(&format!("{collection}/estimate?target=everybody")).problem();
    assert_eq!(problem, (400, "query".to_owned()));
    let document = visitor.get("/openapi.json").json();
    for path in ["estimate", "estimate/export", "cross-table"] {
        let operation = &document["paths"][format!("/v1/collections/{{id}}/{path}")]["get"];
        let parameters = operation["parameters"].as_array().unwrap();
        let target = parameters.iter().find(|parameter| parameter["name"] == "target").unwrap();
        assert!(target.to_string().contains("population"), "{target}");
    }
}

/// Whoever expects forgers cannot be surer than others, and knows as well as they do what no share and no mean can be.
#[test]
fn bounds_with_forged_reports_hold_the_ordinary_interval() {
    let (server, collection, _) = filled(400);
    for fakes in [0.001, 0.3] {
        assert_bounds(&server.visitor().estimates(&collection, &format!("?fakes={fakes}")));
    }
}

fn assert_bounds(estimates: &Value) {
    let ends = |ends: &Value| [0, 1].map(|end| ends[end].as_f64().unwrap());
    for estimate in estimates.as_array().unwrap() {
        let bounds = estimate["robust"]["rows"].as_array().unwrap().iter().map(|row| ends(&row["bounds"]));
        let intervals: Vec<[f64; 2]> = match estimate["estimates"].as_array() {
            Some(rows) => rows.iter().map(|row| ends(&row["interval"])).collect(),
            None => vec![ends(&estimate["interval"])],
        };
        for ([least, most], [low, high]) in bounds.zip(intervals) {
            assert!(least <= low && high <= most, "[{least}, {most}] [{low}, {high}]");
            let top = if estimate["attribute"] == "minutes" { 120.0 } else { 1.0 };
            assert!(least >= low.min(0.0) && most <= high.max(top), "[{least}, {most}] [{low}, {high}]");
        }
    }
}

pub(crate) fn parquet_batches(bytes: Vec<u8>) -> Vec<RecordBatch> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    std::fs::write(&path, bytes).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(path).unwrap())
        .unwrap()
        .build()
        .unwrap();
    reader.map(Result::unwrap).collect()
}

fn parquet_reports(bytes: Vec<u8>) -> Vec<String> {
    let mut digits = Vec::new();
    for batch in parquet_batches(bytes) {
        let column = batch.column_by_name("report").unwrap();
        let column = column.as_any().downcast_ref::<arrow_array::FixedSizeBinaryArray>().unwrap();
        digits.extend((0..column.len()).map(|row| hex(column.value(row))));
    }
    digits.sort();
    digits
}
