//! What all pages have in common.

use super::assets;
use super::session::Session;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

/// Nothing but our own files, and no script or style inside of a page.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// The headers that everything for browsers has.
pub(super) fn secure(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let always: [(HeaderName, &'static str); 3] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in always {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The parts of the site that every page links to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    Collections,
    New,
    Explore,
}

const ROOMS: [(Room, &str, &str); 3] = [
    (Room::Collections, "/", "Collections"),
    (Room::New, "/new", "New"),
    (Room::Explore, "/explore", "Explore"),
];

/// A page before it is written.
#[derive(Debug)]
pub(crate) struct Page {
    title: String,
    body: Markup,
    status: StatusCode,
    room: Option<Room>,
    scripts: Vec<&'static str>,
    cookies: Vec<String>,
    /// The key of the form that signs a visitor out, if the visitor is signed in.
    sign_out: Option<String>,
}

impl Page {
    pub(crate) fn new(title: impl Into<String>, body: Markup) -> Self {
        Self {
            title: title.into(),
            body,
            status: StatusCode::OK,
            room: None,
            scripts: Vec::new(),
            cookies: Vec::new(),
            sign_out: None,
        }
    }

    /// The part of the site that the page belongs to.
    pub(crate) fn room(mut self, room: Room) -> Self {
        self.room = Some(room);
        self
    }

    pub(crate) fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// A module of ours that makes the page more comfortable.
    pub(crate) fn script(mut self, name: &'static str) -> Self {
        self.scripts.push(name);
        self
    }

    /// For pages with forms: the visitor's key goes along as a cookie.
    pub(crate) fn keyed(mut self, session: &Session) -> Self {
        self.cookies.extend(session.new_key_cookie());
        self.sign_out = session.is_signed_in().then(|| session.key().to_owned());
        self
    }

    fn markup(&self) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " · Privet" }
                    link rel="icon" type="image/svg+xml" href=(assets::address("icon.svg"));
                    link rel="stylesheet" href=(assets::address("style.css"));
                    @for name in &self.scripts {
                        script type="module" src=(assets::address(name)) {}
                    }
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    (self.header())
                    main #main tabindex="-1" { (self.body) }
                    footer.site {
                        p {
                            "Answers are randomised on people’s own devices. This collector only ever sees the randomised reports. "
                            a href="/openapi.json" { "Programs ask here" } "."
                        }
                    }
                }
            }
        }
    }

    fn header(&self) -> Markup {
        html! {
            header.site {
                a.brand href="/" {
                    img src=(assets::address("icon.svg")) alt="" width="28" height="28";
                    "Privet"
                }
                nav aria-label="Main" {
                    ul {
                        @for (room, address, name) in ROOMS {
                            li {
                                a href=(address) aria-current=[(self.room == Some(room)).then_some("page")] { (name) }
                            }
                        }
                    }
                }
                @if let Some(key) = &self.sign_out {
                    form.quiet method="post" action="/sign-out" {
                        input type="hidden" name="key" value=(key);
                        button.link type="submit" { "Sign out" }
                    }
                }
            }
        }
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let about = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "private, no-cache")];
        let mut response = (self.status, about, self.markup().into_string()).into_response();
        for cookie in self.cookies.iter().filter_map(|cookie| HeaderValue::from_str(cookie).ok()) {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
        secure(response)
    }
}
