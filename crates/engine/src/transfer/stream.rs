//! The bytes of a memory that is moved: see the table in `transfer`.

use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};

use immune_model::MemoryName;
use immune_store::{ContentKey, Entry, Head};

use super::TransferError;

const MAGIC: &[u8; 16] = b"immune memory 1\n";
const ENTRY: u8 = b'E';
const HEAD: u8 = b'H';
/// Bytes of the name of a memory, and of an item, at most.
const WORD_BYTES_MAX: usize = 512;

/// A stream that is written.
pub(super) struct Target<'w> {
    to: BufWriter<&'w mut dyn Write>,
    checksum: blake3::Hasher,
}

impl<'w> Target<'w> {
    pub(super) fn new(to: &'w mut dyn Write, name: &MemoryName) -> io::Result<Self> {
        let mut target = Self {
            to: BufWriter::with_capacity(1 << 16, to),
            checksum: blake3::Hasher::new(),
        };
        target.put(MAGIC)?;
        target.put_long(name.as_str().as_bytes())?;
        Ok(target)
    }

    pub(super) fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        self.put(&[ENTRY])?;
        self.put(&entry.seq.to_be_bytes())?;
        self.put(&entry.at.to_be_bytes())?;
        self.put(&entry.hash)?;
        self.put_long(&entry.body)?;
        self.put(&length(entry.keys.len())?.to_be_bytes())?;
        for ContentKey { item, key } in &entry.keys {
            let item = item.to_string();
            let length = u16::try_from(item.len()).map_err(io::Error::other)?;
            self.put(&length.to_be_bytes())?;
            self.put(item.as_bytes())?;
            self.put(key)?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self, head: Head) -> io::Result<()> {
        self.put(&[HEAD])?;
        self.put(&head.seq.to_be_bytes())?;
        self.put(&head.hash)?;
        let checksum = self.checksum.finalize();
        self.to.write_all(checksum.as_bytes())?;
        self.to.flush()
    }

    fn put_long(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.put(&length(bytes.len())?.to_be_bytes())?;
        self.put(bytes)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.checksum.update(bytes);
        self.to.write_all(bytes)
    }
}

fn length(length: usize) -> io::Result<u32> {
    u32::try_from(length).map_err(io::Error::other)
}

/// What comes next in a stream.
pub(super) enum Item {
    Entry(Entry),
    End(Head),
}

/// A stream that is read.
pub(super) struct Source<'r> {
    from: BufReader<&'r mut dyn Read>,
    checksum: blake3::Hasher,
    name: MemoryName,
    at: u64,
    n_events: u64,
}

impl<'r> Source<'r> {
    pub(super) fn new(from: &'r mut dyn Read) -> Result<Self, TransferError> {
        let mut source = Self {
            from: BufReader::with_capacity(1 << 16, from),
            checksum: blake3::Hasher::new(),
            name: MemoryName::new("unnamed").expect("a constant that is a name"),
            at: 0,
            n_events: 0,
        };
        let not_ours = |reason: &str| TransferError::NotAnExport {
            reason: reason.to_owned(),
        };
        let magic = source.take::<16>().map_err(|error| match error {
            TransferError::CutOff { .. } => not_ours("it is too short"),
            error => error,
        })?;
        if magic != *MAGIC {
            return Err(not_ours(if magic.starts_with(b"immune memory") {
                "another version wrote it"
            } else {
                "it begins otherwise"
            }));
        }
        let length = u32::from_be_bytes(source.take()?) as usize;
        let name = source.word(length)?;
        source.name = MemoryName::new(&name)?;
        Ok(source)
    }

    /// The name that the memory had.
    pub(super) fn name(&self) -> &MemoryName {
        &self.name
    }

    /// The next entry, or the end, at which everything is checked.
    pub(super) fn next(&mut self) -> Result<Item, TransferError> {
        let at = self.at;
        match self.take::<1>()? {
            [ENTRY] => self.entry().map(Item::Entry),
            [HEAD] => self.end().map(Item::End),
            _ => Err(damaged(at, "neither an entry nor the end begins here")),
        }
    }

    fn entry(&mut self) -> Result<Entry, TransferError> {
        let seq = u64::from_be_bytes(self.take()?);
        let at = i64::from_be_bytes(self.take()?);
        let hash = self.take()?;
        let length = u32::from_be_bytes(self.take()?);
        let body = self.bytes(length as usize)?;
        let n_keys = u32::from_be_bytes(self.take()?);
        let mut keys = Vec::new();
        for _ in 0..n_keys {
            let place = self.at;
            let length = u16::from_be_bytes(self.take()?);
            let word = self.word(length.into())?;
            let item = word
                .parse()
                .map_err(|_| damaged(place, "a key is of no item"))?;
            let key = self.take()?;
            keys.push(ContentKey { item, key });
        }
        if !keys.is_sorted_by(|one: &ContentKey, next| one.item < next.item) {
            return Err(damaged(self.at, "the keys are not in order"));
        }
        self.n_events += 1;
        Ok(Entry {
            seq,
            at,
            hash,
            body,
            keys,
        })
    }

    fn end(&mut self) -> Result<Head, TransferError> {
        let seq = u64::from_be_bytes(self.take()?);
        let hash = self.take()?;
        let checksum = self.checksum.finalize();
        if self.take::<32>()? != *checksum.as_bytes() {
            return Err(TransferError::Checksum);
        }
        let mut more = [0];
        match self.from.read(&mut more) {
            Ok(0) => Ok(Head { seq, hash }),
            Ok(_) => Err(damaged(self.at, "something stands after the end")),
            Err(error) => Err(TransferError::Read(error)),
        }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], TransferError> {
        let mut bytes = [0; N];
        self.from
            .read_exact(&mut bytes)
            .map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => self.cut_off(),
                _ => TransferError::Read(error),
            })?;
        self.count(&bytes);
        Ok(bytes)
    }

    /// So many bytes; whoever claims more than there are gets no memory for them.
    fn bytes(&mut self, length: usize) -> Result<Vec<u8>, TransferError> {
        let mut bytes = Vec::new();
        let mut part = (&mut self.from).take(length as u64);
        part.read_to_end(&mut bytes).map_err(TransferError::Read)?;
        if bytes.len() < length {
            return Err(self.cut_off());
        }
        self.count(&bytes);
        Ok(bytes)
    }

    fn word(&mut self, length: usize) -> Result<String, TransferError> {
        let at = self.at;
        if length > WORD_BYTES_MAX {
            return Err(damaged(at, "a name is too long"));
        }
        let bytes = self.bytes(length)?;
        String::from_utf8(bytes).map_err(|_| damaged(at, "a name is no UTF-8"))
    }

    fn count(&mut self, bytes: &[u8]) {
        self.checksum.update(bytes);
        self.at += bytes.len() as u64;
    }

    fn cut_off(&self) -> TransferError {
        TransferError::CutOff {
            events: self.n_events,
            at: self.at,
        }
    }
}

fn damaged(at: u64, reason: &str) -> TransferError {
    let reason = reason.to_owned();
    TransferError::Damaged { at, reason }
}
