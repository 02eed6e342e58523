//! Commands of the operator: one that answers, and one that judges an answer.
//!
//! Both are run by the shell of the platform and get one JSON object on standard input; what they
//! have to say is their output or their exit code. Whatever else happens is no answer, with the
//! reason: an answer is never made of an error.

use std::time::Duration;

use immune_attribution::{Answer, Answerer, Judge, Shown, Unanswered, Verdict};
use immune_model::limits;
use serde_json::json;

use immune_process::{Ended, Errors, Kind, ProcessError, Task};

/// A command that answers.
///
/// It gets `{"question": "...", "memories": [{"id": "bel_7", "source": "wiki", "text": "..."}]}`
/// and writes its answer, in UTF-8; nothing, or nothing but space, is no answer. It ends with 0.
#[derive(Debug, Clone)]
pub struct Command {
    line: String,
    timeout: Duration,
    at_once: usize,
}

impl Command {
    /// This command line, within the limits of the product, one at a time.
    pub fn new(line: &str) -> Self {
        Self {
            line: line.to_owned(),
            timeout: Duration::from_secs(limits::ORACLE_TIMEOUT_SECONDS),
            at_once: 1,
        }
    }

    /// The command line in the name of a command, to be shown; nothing in the name of anybody else.
    pub fn line_in(name: &str) -> Option<&str> {
        let (begin, end) = NAMED;
        name.strip_prefix(begin)?.strip_suffix(end)
    }

    /// Lets it run for so long.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Runs so many of it at once, 1 at least.
    #[must_use]
    pub fn at_once(self, at_once: usize) -> Self {
        let at_once = at_once.max(1);
        Self { at_once, ..self }
    }
}

/// What the name of a command begins and ends with.
const NAMED: (&str, &str) = ("command `", "`");

impl Answerer for Command {
    fn name(&self) -> String {
        let (begin, end) = NAMED;
        format!("{begin}{}{end}", self.line)
    }

    fn at_once(&self) -> usize {
        self.at_once
    }

    fn answer(&self, question: &str, shown: &[&Shown]) -> Result<Answer, Unanswered> {
        let memories = shown
            .iter()
            .map(|it| json!({"id": it.id, "source": it.source, "text": it.text}));
        let memories: Vec<_> = memories.collect();
        let input = json!({"question": question, "memories": memories});
        let ended = run(&self.line, &input, self.timeout)?;
        if !ended.status.success() {
            return Err(unwell(&self.line, &ended));
        }
        let text = String::from_utf8(ended.output).map_err(|_| Unanswered {
            reason: format!("command `{}` wrote what is no UTF-8", self.line),
            advice: "have it write its answer in UTF-8".to_owned(),
            is_final: false,
            is_spent: false,
        })?;
        let text = text.trim();
        Ok(Answer {
            text: (!text.is_empty()).then(|| text.to_owned()),
            tokens: None,
        })
    }
}

/// A command that judges an answer.
///
/// It gets `{"question": "...", "answer": "..."}` and ends with 0 where the answer is the wrong one
/// and with 1 where it is not, as `grep -q` does that looks for what is wrong.
#[derive(Debug, Clone)]
pub struct JudgeCommand {
    line: String,
    timeout: Duration,
}

impl JudgeCommand {
    /// This command line, within the limits of the product.
    pub fn new(line: &str) -> Self {
        Self {
            line: line.to_owned(),
            timeout: Duration::from_secs(limits::ORACLE_TIMEOUT_SECONDS),
        }
    }

    /// Lets it run for so long.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }
}

impl Judge for JudgeCommand {
    fn judge(&self, question: &str, answer: &str) -> Result<Verdict, Unanswered> {
        let input = json!({"question": question, "answer": answer});
        let ended = run(&self.line, &input, self.timeout)?;
        match ended.status.code() {
            Some(0) => Ok(Verdict::Fails),
            Some(1) => Ok(Verdict::Passes),
            _ => Err(unwell(&self.line, &ended)),
        }
    }
}

fn run(line: &str, input: &serde_json::Value, timeout: Duration) -> Result<Ended, Unanswered> {
    let (words, input) = (immune_process::shell(line), format!("{input}\n"));
    let task = Task {
        words: &words,
        input: input.as_bytes(),
        environment: &[],
        errors: Errors::Kept,
        output_bytes_max: limits::ORACLE_ANSWER_BYTES_MAX,
        kind: Kind::Bounded(timeout),
    };
    immune_process::run(&task, &mut |_| ()).map_err(|error| Unanswered {
        reason: format!("command `{line}` {error}"),
        advice: match error {
            ProcessError::TimedOut(_) => "allow it more time, or make it quicker".to_owned(),
            ProcessError::TooMuch(_) => "have it write its answer and nothing else".to_owned(),
            _ => "name a command that the shell can run".to_owned(),
        },
        is_final: !matches!(error, ProcessError::TooMuch(_)),
        is_spent: false,
    })
}

/// It ended with a status that says nothing.
fn unwell(line: &str, ended: &Ended) -> Unanswered {
    let said = match ended.errors.as_str() {
        "" => String::new(),
        errors => {
            let words: Vec<&str> = errors.split_whitespace().collect();
            format!(": {}", words.join(" "))
        }
    };
    let status = ended.status;
    Unanswered {
        reason: format!("command `{line}` ended with {status}{said}"),
        advice: "run it by hand with one of the questions on its standard input".to_owned(),
        // 126 and 127 are the shell's: there is no such command, or it may not be run.
        is_final: matches!(status.code(), Some(126 | 127)),
        is_spent: false,
    }
}
