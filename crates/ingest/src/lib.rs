//! tmp
pub mod claims {
    //! tmp
    use immune_model::*;
    pub struct Context<'a> {
        pub sender: Option<&'a str>,
    }
    pub struct Extracted {
        pub subject: Subject,
        pub text: Text,
        pub polarity: Polarity,
        pub literals: Vec<Literal>,
        pub rule: &'static str,
    }
    pub fn extract(_c: &Context<'_>, _t: &str) -> Vec<Extracted> {
        Vec::new()
    }
}
pub struct Broken {
    pub position: String,
    pub reason: String,
}
pub struct StatedClaim {
    pub about: String,
    pub claim: String,
    pub polarity: Option<immune_model::Polarity>,
}
pub struct Message {
    pub position: String,
    pub external_id: Option<String>,
    pub sender: Option<String>,
    pub sent_at: Option<immune_model::Instant>,
    pub body: String,
    pub claims: Vec<StatedClaim>,
}
impl Message {
    pub fn content(&self) -> String {
        self.body.clone()
    }
}
