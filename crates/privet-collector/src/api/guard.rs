//! What every request passes: a limit for its address, a limit for its time, a line in the log.

use super::App;
use super::problem::Problem;
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(super) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let begin = Instant::now();
    let method = known_method(request.method());
    // The pattern, not the address: an address can hold the id of a report.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let response = if app.visitors.may_enter(address, begin) {
        let limit = Duration::from_secs(u64::from(app.limits.request_seconds));
        let answer = tokio::time::timeout(limit, next.run(request)).await;
        answer.unwrap_or_else(|_| Problem::timeout().into_response())
    } else {
        Problem::too_many_requests().into_response()
    };
    let (status, time) = (response.status().as_u16(), begin.elapsed());
    app.metrics.answered(method, &route, status, time);
    tracing::info!(method, route, status, milliseconds = time.as_millis() as u64, "answered");
    response
}

/// Methods that somebody has made up share a name: otherwise strangers could fill the memory with counters of their own.
fn known_method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::PATCH => "PATCH",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// Counts the requests of each address in the current second.
#[derive(Debug)]
pub(crate) struct Visitors {
    most: Option<NonZeroU32>,
    second: Mutex<Second>,
}

#[derive(Debug)]
struct Second {
    begin: Instant,
    requests: HashMap<IpAddr, u32>,
}

/// Addresses that are counted in one second; further ones have to wait for the next.
const MOST_ADDRESSES: usize = 100_000;

impl Visitors {
    pub(crate) fn new(most_per_second: Option<NonZeroU32>) -> Self {
        let second = Second { begin: Instant::now(), requests: HashMap::new() };
        Self { most: most_per_second, second: Mutex::new(second) }
    }

    fn may_enter(&self, address: Option<IpAddr>, now: Instant) -> bool {
        let (Some(most), Some(address)) = (self.most, address) else { return true };
        let mut second = self.second.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(second.begin) >= Duration::from_secs(1) {
            *second = Second { begin: now, requests: HashMap::new() };
        }
        if second.requests.len() >= MOST_ADDRESSES && !second.requests.contains_key(&network(address)) {
            return false;
        }
        let requests = second.requests.entry(network(address)).or_default();
        *requests = requests.saturating_add(1);
        *requests <= most.get()
    }
}

/// Whoever has one address of IP version 6 has a whole network of them.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_share_of_each_second() {
        let visitors = Visitors::new(NonZeroU32::new(2));
        let now = Instant::now();
        let enter = |address: &str, at: Instant| visitors.may_enter(address.parse().ok(), at);
        assert_eq!([0; 3].map(|_| enter("10.0.0.1", now)), [true, true, false]);
        assert!(enter("10.0.0.2", now));
        assert_eq!(
            ["2001:db8::1", "2001:db8::2", "2001:db8::3"].map(|address| enter(address, now)),
            [true, true, false]
        );
        assert!(enter("2001:db8:0:1::1", now));
        assert!(enter("10.0.0.1", now + Duration::from_secs(2)));
        assert!((0..9).all(|_| Visitors::new(None).may_enter("10.0.0.1".parse().ok(), now)));
    }
}
