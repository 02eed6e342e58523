//! What comes in: mail, CSV and JSON lines become messages; rules find the claims in text.
