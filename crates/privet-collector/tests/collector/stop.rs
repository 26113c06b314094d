//! Stopping is not killing: what waits is stored and answered. What happens to a collector that is killed is tested with the command.

use crate::support::{POLICY, Server, Visitor, reports, resolve};
use std::sync::Mutex;
use std::time::Duration;

#[test]
fn stopping_answers_everybody() {
    let mut server = Server::sqlite();
    let collection = server.manager().create(POLICY);
    let all = reports(&resolve(POLICY), 400, 32);
    let (url, counted) = (server.url(), Mutex::new(0));
    std::thread::scope(|scope| {
        for mine in all.chunks(100) {
            let (visitor, collection, counted) = (Visitor::new(&url), &collection, &counted);
            scope.spawn(move || {
                for report in mine {
                    let path = format!("{collection}/reports");
                    match visitor.try_request("POST", &path, "application/octet-stream", report) {
                        Ok(reply) if reply.status == 200 => *counted.lock().unwrap() += 1,
                        _ => return,
                    }
                }
            });
        }
        std::thread::sleep(Duration::from_millis(30));
        server.restart();
    });
    let counted = counted.into_inner().unwrap();
    // A request that was cut off before its body arrived was not stored; all others were answered.
    assert_eq!(server.visitor().reports(&collection), counted);
}
