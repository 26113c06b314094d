//! What a classifier is still worth when its input is a report.
