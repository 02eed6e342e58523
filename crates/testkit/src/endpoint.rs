//! A model's endpoint on this machine, for tests: it speaks the protocol, keeps what it was asked,
//! and answers as the test says, wrongly too.
//!
//! Each request is a connection of its own. Nothing leaves the machine: it listens on a loopback
//! port that the system chooses, and ends with its value.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// What the endpoint was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Method and path, as `POST /v1/chat/completions`.
    pub line: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Asked {
    /// The header with this name, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|it| it.0 == name);
        found.map(|it| it.1.as_str())
    }
}

/// What it answers.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A status, headers and a body.
    Http(u16, Vec<(String, String)>, Vec<u8>),
    /// A status and a body whose length is announced, and of which only a part comes.
    Short(Vec<u8>),
    /// Nothing, for as long as the endpoint lives.
    Silence,
    /// The connection ends.
    Closed,
    /// A body without an end.
    Endless,
}

impl Answer {
    /// A status with a body.
    pub fn status(status: u16, body: &str) -> Self {
        Self::Http(status, Vec::new(), body.as_bytes().to_vec())
    }

    /// The same, with a header.
    #[must_use]
    pub fn with(self, name: &str, value: &str) -> Self {
        match self {
            Self::Http(status, mut headers, body) => {
                headers.push((name.to_owned(), value.to_owned()));
                Self::Http(status, headers, body)
            }
            other => other,
        }
    }

    /// A chat completion whose reply is this text.
    pub fn reply(text: &str) -> Self {
        Self::completion(text, "")
    }

    /// The same, which says that it took so many tokens to read and to write.
    pub fn counted(text: &str, read: u64, written: u64) -> Self {
        let usage = format!(
            r#","usage":{{"prompt_tokens":{read},"completion_tokens":{written},"total_tokens":{}}}"#,
            read + written
        );
        Self::completion(text, &usage)
    }

    fn completion(text: &str, usage: &str) -> Self {
        let content = text.chars().map(escaped).collect::<String>();
        let body = format!(
            r#"{{"object":"chat.completion","choices":[{{"index":0,"message":{{"role":"assistant","content":"{content}"}},"finish_reason":"stop"}}]{usage}}}"#
        );
        Self::status(200, &body)
    }
}

fn escaped(it: char) -> String {
    match it {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        it if it.is_control() => format!("\\u{:04x}", u32::from(it)),
        it => it.to_string(),
    }
}

/// The endpoint.
#[derive(Debug)]
pub struct Endpoint {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    is_over: Arc<AtomicBool>,
    listening: Option<JoinHandle<()>>,
}

type Script = Arc<dyn Fn(usize, &Asked) -> Answer + Send + Sync>;

impl Endpoint {
    /// One that answers each request by its number, from 0, and what is in it.
    ///
    /// # Panics
    ///
    /// Where the machine has no loopback.
    pub fn new(script: impl Fn(usize, &Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a loopback");
        let address = listener.local_addr().expect("it is bound");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let is_over = Arc::new(AtomicBool::new(false));
        let listening = std::thread::spawn({
            let (asked, is_over) = (Arc::clone(&asked), Arc::clone(&is_over));
            let script: Script = Arc::new(script);
            move || listen(&listener, &script, &asked, &is_over)
        });
        Self {
            address,
            asked,
            is_over,
            listening: Some(listening),
        }
    }

    /// One that gives these answers in turn, and the last of them to whoever comes after.
    pub fn of(answers: Vec<Answer>) -> Self {
        Self::new(move |n, _| {
            let answer = answers.get(n).or(answers.last());
            answer.cloned().unwrap_or(Answer::Closed)
        })
    }

    /// Its base URL.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        let asked = self.asked.lock();
        asked.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect(self.address);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

fn listen(
    listener: &TcpListener,
    script: &Script,
    asked: &Arc<Mutex<Vec<Asked>>>,
    is_over: &AtomicBool,
) {
    // Connections that are kept silent, until the end.
    let silent = Arc::new(Mutex::new(Vec::new()));
    for stream in listener.incoming() {
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let (script, asked, silent) = (Arc::clone(script), Arc::clone(asked), Arc::clone(&silent));
        // Whoever asks may go away at any moment; that is no matter of the test.
        std::thread::spawn(move || serve(stream, &script, &asked, &silent));
    }
}

fn serve(
    stream: TcpStream,
    script: &Script,
    asked: &Mutex<Vec<Asked>>,
    silent: &Mutex<Vec<TcpStream>>,
) -> std::io::Result<()> {
    let request = read(&stream)?;
    let n = {
        let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(request.clone());
        asked.len() - 1
    };
    answer(stream, script(n, &request), silent)
}

fn read(stream: &TcpStream) -> std::io::Result<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|it| it.0 == "content-length");
    let length = length.and_then(|it| it.1.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Asked {
        line: line.trim_end().trim_end_matches(" HTTP/1.1").to_owned(),
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

fn answer(
    mut stream: TcpStream,
    answer: Answer,
    silent: &Mutex<Vec<TcpStream>>,
) -> std::io::Result<()> {
    match answer {
        Answer::Http(status, headers, body) => {
            let mut head = format!(
                "HTTP/1.1 {status} -\r\nconnection: close\r\ncontent-length: {}\r\n",
                body.len()
            );
            for (name, value) in headers {
                head = format!("{head}{name}: {value}\r\n");
            }
            stream.write_all(format!("{head}\r\n").as_bytes())?;
            stream.write_all(&body)
        }
        Answer::Short(body) => {
            let head = format!(
                "HTTP/1.1 200 -\r\ncontent-length: {}\r\n\r\n",
                body.len() + 100
            );
            stream.write_all(head.as_bytes())?;
            stream.write_all(&body)
        }
        Answer::Silence => {
            let mut silent = silent.lock().unwrap_or_else(PoisonError::into_inner);
            silent.push(stream);
            Ok(())
        }
        Answer::Closed => Ok(()),
        Answer::Endless => {
            stream.write_all(b"HTTP/1.1 200 -\r\nconnection: close\r\n\r\n")?;
            let spaces = [b' '; 1 << 13];
            // Until the other side has had enough.
            while stream.write_all(&spaces).is_ok() {}
            Ok(())
        }
    }
}
