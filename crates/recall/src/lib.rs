//! The index: lexical search with the filter inside. Rebuildable from the log at any time.
