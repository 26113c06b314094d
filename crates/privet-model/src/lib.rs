//! Models that are fed with reports: what they compute, their derivatives, their bounds on boxes.
