//! Tests of spaces.
