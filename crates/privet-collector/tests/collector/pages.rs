//! The pages, as a browser without scripts gets them.

use crate::support::{MANAGER, POLICY, READER, Server, reports, resolve};

/// A browser: it takes pages, and keeps cookies.
struct Browser {
    agent: ureq::Agent,
    url: String,
    cookies: Vec<(String, String)>,
}

struct Answer {
    status: u16,
    headers: ureq::http::HeaderMap,
    text: String,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// What a hidden field of the page holds.
    fn hidden(&self, name: &str) -> String {
        let start = format!("name=\"{name}\" value=\"");
        let (_, rest) = self.text.split_once(&start).unwrap_or_else(|| panic!("no {name} in {}", self.text));
        rest.split('"').next().unwrap().to_owned()
    }
}

impl Browser {
    fn new(server: &Server) -> Self {
        let config = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build();
        Self { agent: config.new_agent(), url: server.url(), cookies: Vec::new() }
    }

    fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        request = request.header("accept", "text/html,*/*").header("cookie", cookies.join("; "));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = if method == "POST" {
            let request = request.header("content-type", "application/x-www-form-urlencoded");
            self.agent.run(request.body(body).unwrap()).unwrap()
        } else {
            self.agent.run(request.body(()).unwrap()).unwrap()
        };
        let headers = response.headers().clone();
        for cookie in headers.get_all("set-cookie") {
            let (name, value) = cookie.to_str().unwrap().split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(known, _)| known != name);
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
        let text = response.body_mut().read_to_string().unwrap();
        Answer { status: response.status().as_u16(), headers, text }
    }

    fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, &[], "")
    }

    fn post(&mut self, path: &str, body: &str) -> Answer {
        self.send("POST", path, &[], body)
    }

    fn sign_in(&mut self, token: &str) -> Answer {
        let key = self.get("/sign-in").hidden("key");
        self.post("/sign-in", &format!("key={key}&to=/&token={token}"))
    }
}

/// The address of a collection's page.
fn page_of(collection: &str) -> String {
    collection.replace("/v1", "")
}

#[test]
fn everything_for_browsers_is_protected() {
    let server = Server::sqlite();
    let collection = page_of(&server.manager().create(POLICY));
    let mut browser = Browser::new(&server);
    for path in
        ["/", &collection, "/explore", "/sign-in", "/new", "/nothing", "/assets/x/style.css", "/live.json"]
    {
        let answer = browser.get(path);
        if path != "/live.json" {
            let policy = answer.header("content-security-policy");
            assert!(
                policy.starts_with("default-src 'none';") && !policy.contains("unsafe-inline"),
                "{path}: {policy}"
            );
            assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        }
        if answer.header("content-type").starts_with("text/html") {
            for forbidden in ["<style", " style=", " onclick=", "http://", "https://"] {
                // The addresses of namespaces and of policies are not asked for anything.
                let text = answer.text.replace("https://city.example", "");
                assert!(!text.contains(forbidden), "{path}: {forbidden}");
            }
            assert!(!answer.text.contains("<script>"), "{path}");
        }
    }
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "</title><script>alert(1)</script><img src=x onerror=alert(2)>'";
    let policy = POLICY
        .replace("How we travel", hostile)
        .replace("Plan bicycle lanes", hostile)
        .replace("How do you get to work?", hostile)
        .replace("walk,bicycle", "<script>alert(3)</script>,bicycle")
        .replace("\"north\"", &format!("\"{hostile}\""));
    let server = Server::sqlite();
    let collection = server.manager().create(&policy);
    let all = resolve(&policy);
    let client = privet_policy::Client::new([9; 32]);
    let mut rng = privet_core::Generator::from_entropy([1; 32]);
    let answers = privet_policy::Answers::new()
        .value("commute", "bicycle")
        .value("minutes", "5")
        .value("stops", "1")
        .public("region", hostile);
    let some: Vec<u8> =
        (0..150).flat_map(|_| client.perturb(&all, &answers, 14, &mut rng).unwrap()).collect();
    server.visitor().submit(&collection, &some);
    let mut browser = Browser::new(&server);
    for path in ["/".to_owned(), page_of(&collection)] {
        let answer = browser.get(&path);
        assert_eq!(answer.status, 200, "{}", answer.text);
        for forbidden in ["<script>", "<img src=x", "</title><"] {
            assert!(!answer.text.contains(forbidden), "{forbidden} in {path}");
        }
        assert!(answer.text.contains("&lt;script&gt;"), "{path}");
    }
}

#[test]
fn a_collection_is_readable_without_scripts() {
    let server = Server::sqlite();
    let collection = server.manager().create(POLICY);
    let mut browser = Browser::new(&server);
    let before = browser.get(&page_of(&collection));
    assert_eq!(before.text.matches("Withheld.").count(), 3);
    server.visitor().submit(&collection, &reports(&resolve(POLICY), 600, 1).concat());
    let page = browser.get(&page_of(&collection));
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    for words in [
        "How do you get to work?",
        "Quantiles",
        "Over time: 2 epochs",
        "By region",
        "Mean",
        "If somebody cheats",
    ] {
        assert!(page.text.contains(words), "{words}");
    }
    assert!(!page.text.contains("Withheld.") && !page.text.contains("NaN"));
    let estimates = browser.get(&format!("{}/estimates.json", page_of(&collection)));
    assert_eq!(estimates.header("content-disposition"), "attachment; filename=\"estimates.json\"");
    let api = server.visitor().get(&format!("{collection}/estimate"));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&estimates.text).unwrap(), api.json());
}

#[test]
fn what_is_not_there_is_told_to_people_and_to_programs() {
    let server = Server::sqlite();
    let mut browser = Browser::new(&server);
    for path in
        ["/nothing", "/collections/12", &format!("/collections/{}", "0".repeat(64)), "/assets/x/nothing.js"]
    {
        let page = browser.get(path);
        assert_eq!(page.status, 404, "{path}");
        assert!(page.text.contains("<h1>"), "{path}: {}", page.text);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
    }
    assert_eq!(server.visitor().get("/nothing").problem(), (404, "page-unknown".to_owned()));
    assert_eq!(browser.post("/explore", "").status, 405);
    assert_eq!(browser.get("/?after=x").status, 400);
}

#[test]
fn files_are_kept_by_browsers_until_they_change() {
    let server = Server::sqlite();
    let mut browser = Browser::new(&server);
    let page = browser.get("/explore");
    let (_, rest) = page.text.split_once("rel=\"stylesheet\" href=\"").unwrap();
    let address = rest.split('"').next().unwrap();
    let first = browser.get(address);
    assert_eq!(first.header("content-type"), "text/css; charset=utf-8");
    assert!(first.header("cache-control").contains("immutable"), "{}", first.header("cache-control"));
    let tag = first.header("etag").to_owned();
    assert!(tag.len() > 10);
    let again = browser.send("GET", address, &[("if-none-match", &tag)], "");
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    assert_eq!(browser.send("GET", address, &[("if-none-match", "\"other\"")], "").status, 200);
    // By an older address, today's file: not to be kept.
    let old = browser.get("/assets/0123456789abcdef/style.css");
    assert_eq!((old.status, old.header("cache-control")), (200, "no-cache"));
}

#[test]
fn pages_need_tokens_where_programs_do() {
    let server = Server::sqlite_with(|config| config.access.read = READER.parse().ok());
    let collection = page_of(&server.manager().create(POLICY));
    let export = format!("{collection}/export/reports.csv");
    let statuses = |browser: &mut Browser| {
        ["/", &collection, "/new", &export, "/live.json", "/explore"].map(|path| browser.get(path).status)
    };
    let mut nobody = Browser::new(&server);
    assert_eq!(statuses(&mut nobody), [401, 401, 401, 401, 401, 200]);
    assert_eq!(nobody.sign_in("not-the-right-token").status, 401);
    assert_eq!(statuses(&mut nobody), [401, 401, 401, 401, 401, 200]);
    let mut reader = Browser::new(&server);
    assert_eq!(reader.sign_in(READER).status, 303);
    assert_eq!(statuses(&mut reader), [200, 200, 401, 401, 200, 200]);
    let mut manager = Browser::new(&server);
    assert_eq!(manager.sign_in(MANAGER).status, 303);
    assert_eq!(statuses(&mut manager), [200, 200, 200, 200, 200, 200]);
    // A cookie is for pages: programs send their token.
    assert_eq!(manager.post(&format!("/v1{collection}/close"), "").status, 401);
    let key = manager.get(&collection).hidden("key");
    manager.post("/sign-out", &format!("key={key}"));
    assert_eq!(manager.get("/").status, 401);
}

#[test]
fn forms_need_the_key_of_their_page() {
    let server = Server::sqlite();
    let collection = page_of(&server.manager().create(POLICY));
    let mut manager = Browser::new(&server);
    manager.sign_in(MANAGER);
    let close = format!("{collection}/close");
    assert_eq!(manager.post(&close, "sure=yes").status, 403);
    assert_eq!(manager.post(&close, "sure=yes&key=00112233445566778899aabbccddeeff").status, 403);
    assert!(manager.get(&collection).text.contains(">open<"));
    let key = manager.get(&collection).hidden("key");
    assert_eq!(manager.post(&close, &format!("key={key}")).status, 400);
    assert_eq!(manager.post(&close, &format!("key={key}&sure=yes")).status, 303);
    assert!(manager.get(&collection).text.contains(">closed<"));
    assert_eq!(manager.post("/new", "do=create").status, 403);
}

#[test]
fn a_pasted_policy_becomes_a_collection_or_an_error_with_its_place() {
    let server = Server::sqlite();
    let mut manager = Browser::new(&server);
    manager.sign_in(MANAGER);
    let key = manager.get("/new?from=text").hidden("key");
    let form = |policy: &str, wish: &str| {
        let mut fields = String::new();
        for (name, value) in [("key", key.as_str()), ("policy", policy), ("do", wish)] {
            let encoded: String = value.bytes().map(|byte| format!("%{byte:02x}")).collect();
            fields.push_str(&format!("{name}={encoded}&"));
        }
        fields
    };
    let wrong = POLICY.replace("goal = \"mean\"", "goal = \"fame\"");
    let refused = manager.post("/new", &form(&wrong, "create"));
    assert_eq!(refused.status, 422);
    let line = wrong.lines().position(|line| line.contains("fame")).unwrap() + 1;
    assert!(refused.text.contains(&format!("Line {line}, column 8")), "{}", refused.text);
    let looked = manager.post("/new", &form(POLICY, "look"));
    assert!(looked.status == 200 && looked.text.contains("What it means"), "{}", looked.text);
    let made = manager.post("/new", &form(POLICY, "create"));
    assert_eq!(
        (made.status, made.header("location")),
        (303, &*format!("/collections/{}", resolve(POLICY).id()))
    );
}
