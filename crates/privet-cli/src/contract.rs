//! Policies from files, and the reports that are made under them.

use crate::failure::Failure;
use crate::progress::Waiting;
use privet::Envelope;
use privet::policy::{Date, PolicyError, ReportCodec, ResolvedPolicy};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// More than any policy has; what is longer is refused without reading all of it.
const MOST_BYTES: u64 = 65 << 20;

/// A file as text; the words of an error do not name the file.
fn read_text(path: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    // What is not text is no policy and no mechanism either, and their readers say so.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A policy, or what is wrong with it. Mechanism files are looked for beside the policy.
pub(crate) fn try_policy(path: &Path) -> Result<Result<Arc<ResolvedPolicy>, PolicyError>, Failure> {
    let text = read_text(path).map_err(|source| Failure::File {
        action: "cannot read",
        path: path.to_owned(),
        source,
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut read_file = |name: &str| read_text(&folder.join(name)).map_err(|error| error.to_string());
    let _waiting = Waiting::on("choosing the mechanisms of the policy".to_owned());
    Ok(ResolvedPolicy::read(&text, &mut read_file))
}

/// A policy in which everything is decided.
pub(crate) fn read_policy(path: &Path) -> Result<Arc<ResolvedPolicy>, Failure> {
    try_policy(path)?.map_err(|source| Failure::Policy { path: path.to_owned(), source })
}

/// Reports under a policy begin as all reports do, with the fingerprint of the policy in place of a mechanism's.
pub(crate) fn envelope(policy: &ResolvedPolicy, insecure: bool) -> Envelope {
    Envelope { fingerprint: policy.id().fingerprint(), insecure }
}

/// How many bytes of a report come after what the envelope holds.
pub(crate) fn body_bytes(codec: &ReportCodec) -> usize {
    codec.report_bytes() - Envelope::HEADER_BYTES
}

/// The whole report, from what comes after the header.
pub(crate) fn whole_report(envelope: Envelope, body: &[u8]) -> Vec<u8> {
    [&envelope.header(), body].concat()
}

/// The day that a flag names, or today.
pub(crate) fn day(flag: Option<&str>) -> Result<Date, Failure> {
    let Some(text) = flag else {
        return privet::client::today()
            .map_err(|error| Failure::Usage { message: error.to_string(), hint: None });
    };
    text.parse().map_err(|_| Failure::Usage {
        message: format!("--day must be a day such as 2026-03-15: got {text:?}"),
        hint: None,
    })
}
