//! The facade: every verb of the product, and the only write path.
