//! Who answers a question again from some of the memories: a model behind an endpoint, a command,
//! and a reader that takes the answer out of what it is shown.
