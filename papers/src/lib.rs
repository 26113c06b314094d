//! The source papers side by side: what they claim, what Privet measures.
