//! Style sheets and scripts, which are part of the program.

use super::layout::secure;
use crate::api::Problem;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use std::sync::LazyLock;

/// A file of the program.
struct Asset {
    /// Its address below the version.
    name: &'static str,
    media_type: &'static str,
    bytes: &'static [u8],
}

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const ICON: &str = "image/svg+xml";

/// One row for each file below `web/` that pages use.
const ASSETS: &[Asset] = &[
    Asset { name: "style.css", media_type: CSS, bytes: include_bytes!("../../../../web/style.css") },
    Asset { name: "icon.svg", media_type: ICON, bytes: include_bytes!("../../../../web/icon.svg") },
    Asset { name: "live.js", media_type: SCRIPT, bytes: include_bytes!("../../../../web/live.js") },
    Asset { name: "new.js", media_type: SCRIPT, bytes: include_bytes!("../../../../web/new.js") },
];

/// A hash over all files. It stands in their addresses, so that a browser can keep them for ever and files find each other by relative
/// addresses.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    for asset in ASSETS {
        hasher.update(asset.name.as_bytes()).update(blake3::hash(asset.bytes).as_bytes());
    }
    short(hasher.finalize())
});

fn short(hash: blake3::Hash) -> String {
    hash.to_hex().chars().take(16).collect()
}

/// The address of a file.
pub(super) fn address(name: &str) -> String {
    format!("/assets/{}/{name}", *VERSION)
}

/// Serves a file. An older page may ask by an older version: it gets today's file, and does not keep it.
pub(super) async fn serve(Path((version, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return super::problem_for(&headers, Problem::unknown_page());
    };
    let tag = format!("\"{}\"", short(blake3::hash(asset.bytes)));
    let cache = if version == *VERSION { "public, max-age=31536000, immutable" } else { "no-cache" };
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let about = [(ETAG, tag.clone()), (CACHE_CONTROL, cache.to_owned())];
    if known.split(',').any(|one| one.trim() == tag) {
        return secure((StatusCode::NOT_MODIFIED, about).into_response());
    }
    secure((about, [(CONTENT_TYPE, asset.media_type)], asset.bytes).into_response())
}
