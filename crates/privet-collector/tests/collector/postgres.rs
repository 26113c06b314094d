//! Everything on PostgreSQL, on a server that the tests start themselves.

use crate::scenarios;
use crate::support::{POLICY, Server, Visitor, outcomes, reports, resolve, usual_config};
use privet_collector::{Collector, ServeError, StoreError};
use privet_testkit::postgres::Postgres;

/// A collector on a server.
fn collector(postgres: &Postgres) -> Server {
    Server::start(usual_config(postgres.url().parse().unwrap()))
}

#[test]
fn what_must_hold_on_every_store() {
    let Some(postgres) = Postgres::start() else { return };
    scenarios::all(&mut collector(&postgres));
}

#[test]
fn two_collectors_agree_and_a_lost_server_comes_back() {
    let Some(postgres) = Postgres::start() else { return };
    let servers = [collector(&postgres), collector(&postgres)];
    let collection = servers[0].manager().create(POLICY);
    let all = reports(&resolve(POLICY), 600, 11);
    // Each report goes to both, in requests of 30 that overlap in another order.
    std::thread::scope(|scope| {
        for (server, step) in [(&servers[0], 1), (&servers[1], 7)] {
            let (visitor, collection, all) = (server.visitor(), &collection, &all);
            scope.spawn(move || {
                for chunk in 0..20 {
                    let start = chunk * step % 20 * 30;
                    let reply = visitor.submit(collection, &all[start..start + 30].concat());
                    assert_eq!(outcomes(&reply)[2], 0);
                }
            });
        }
    });
    for server in &servers {
        assert_eq!(server.visitor().reports(&collection), 600);
        scenarios::assert_same_again(&server.manager(), &collection, 600);
        scenarios::assert_same_estimates(&server.visitor(), &collection, POLICY, &all);
    }
    postgres.stop();
    let more = &reports(&resolve(POLICY), 1, 12)[0];
    let reply = servers[0].visitor().submit(&collection, more);
    assert_eq!(reply.problem(), (503, "store-unavailable".to_owned()));
    assert!(reply.header("retry-after").parse::<u32>().is_ok());
    assert_eq!(servers[0].visitor().get("/healthz").problem().0, 503);
    postgres.go_on();
    let mut reply = servers[0].visitor().submit(&collection, more);
    for _ in 0..20 {
        if reply.status == 200 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
        reply = servers[0].visitor().submit(&collection, more);
    }
    assert_eq!(outcomes(&reply), [1, 0, 0]);
    assert_eq!(servers[1].visitor().reports(&collection), 601);
    scenarios::assert_same_again(&servers[1].manager(), &collection, 601);
}

#[test]
fn older_databases_are_taken_over_and_newer_ones_refused() {
    let Some(postgres) = Postgres::start() else { return };
    let mut server = collector(&postgres);
    scenarios::older_content_is_taken_over(&mut server, || {
        postgres.execute(
            "DROP TABLE tokens; DROP TABLE summaries; ALTER TABLE collections DROP COLUMN token_key;
             DELETE FROM privet_schema WHERE version > 1;",
        );
    });
    postgres.execute("INSERT INTO privet_schema VALUES (99)");
    let failure = server.failure_to_start();
    assert!(matches!(failure, ServeError::Store(StoreError::Newer { found: 99, .. })), "{failure}");
}

/// At both collectors at the same moment: a token on two reports, and the withdrawal of a report that is sent again.
#[test]
fn two_collectors_do_not_race() {
    const TOKENS: usize = 12;
    let Some(postgres) = Postgres::start() else { return };
    let servers = [collector(&postgres), collector(&postgres)];
    let manager = servers[0].manager();
    let created = manager.post("/v1/collections?tokens=true", "application/toml", POLICY.as_bytes());
    let collection = format!("/v1/collections/{}", created.json()["id"].as_str().unwrap());
    let all = reports(&resolve(POLICY), 2 * TOKENS, 61);
    let mut accepted = 0;
    for (token, pair) in all.chunks(2).enumerate() {
        let token = scenarios::token(&manager, &collection, [token as u8; 32]);
        let with_token = |report: &Vec<u8>| [report.as_slice(), &token].concat();
        let replies =
            at_once(&servers, |visitor, place| visitor.submit(&collection, &with_token(&pair[place])));
        let mut statuses = replies.map(|reply| reply.status);
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
        accepted += 1;
    }
    assert_eq!(servers[1].visitor().reports(&collection), accepted);
    scenarios::assert_same_again(&manager, &collection, accepted);

    let text = POLICY.replace("travel", "race");
    let collection = manager.create(&text);
    let all = reports(&resolve(&text), 40, 62);
    let mut left = 0;
    for report in &all {
        manager.submit(&collection, report);
        let path = format!("{collection}/reports/{}", crate::support::id_of(report));
        let [again, withdrawn] = at_once(&servers, |visitor, place| match place {
            0 => visitor.submit(&collection, report),
            _ => visitor.delete(&path),
        });
        // Before the withdrawal it was there already, after it was gone.
        assert!(matches!(again.status, 200 | 410), "{again:?}");
        assert_eq!(withdrawn.status, 204);
        let both = at_once(&servers, |visitor, _| visitor.delete(&path).status);
        assert_eq!(both, [204, 204]);
        left += servers[1].visitor().reports(&collection);
    }
    assert_eq!(left, 0);
    scenarios::assert_same_again(&manager, &collection, 0);
}

/// The same moment at two collectors.
fn at_once<T: Send>(servers: &[Server; 2], ask: impl Fn(Visitor, usize) -> T + Sync) -> [T; 2] {
    let start = std::sync::Barrier::new(2);
    let one = |place: usize| {
        let visitor = servers[place].visitor();
        start.wait();
        ask(visitor, place)
    };
    std::thread::scope(|scope| {
        let second = scope.spawn(|| one(1));
        [one(0), second.join().unwrap()]
    })
}

#[test]
fn connections_to_the_server_can_be_encrypted() {
    let Some(postgres) = Postgres::start_with_tls() else { return };
    let roots = postgres.certificate();
    let start = |query: &str| {
        let store = format!("{}{query}", postgres.url()).parse().unwrap();
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let collector = Collector::start(usual_config(store)).await?;
            collector.stop().await
        })
    };
    start(&format!("?sslmode=require&sslrootcert={}", roots.display())).unwrap();
    // The server takes no others, its certificate is nobody else's, and a file must be there.
    for query in ["", "?sslmode=disable", "?sslmode=require", "?sslmode=require&sslrootcert=nowhere.pem"] {
        let failure = start(query).expect_err(query);
        assert!(matches!(failure, ServeError::Store(StoreError::Unavailable(_))), "{query}: {failure}");
    }
}
