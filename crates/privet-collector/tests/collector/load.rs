//! How fast it is, beside the store's own speed. Run alone, in release.
