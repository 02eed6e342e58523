//! The embedder in the binary: a vector for each word piece, and their weighted mean for a text.
//!
//! The table is `model/minilm.table`, which `examples/distil.rs` makes of `all-MiniLM-L6-v2`;
//! `model/NOTICE` has its licence. A row is what the encoder says of the piece alone, in fewer
//! dimensions, times a weight that is less for frequent pieces (SIF, Arora et al. 2017).
//!
//! Invariant: the same text has the same bits on every machine. The sums are of single numbers in
//! the order of the text, without fused operations, so no processor rounds them otherwise.
//!
//! The form, numbers little-endian: eight bytes `imtable1`; the numbers of rows, of dimensions
//! and of bytes of vocabulary, four bytes each; a scale for each row, as `f32`; the codes, row by
//! row, as `i8`; the pieces, one a line.

use std::io::{self, Write};
use std::sync::{Arc, LazyLock};

use immune_recall::{EmbedError, Embedder, EmbeddingModel, normalise};

use crate::wordpiece::WordPiece;

const BUNDLED: &[u8] = include_bytes!("../model/minilm.table");
/// Another one for every change to the table or to how a text becomes a vector: memories keep it.
const NAME: &str = "static-minilm-1";
const MAGIC: &[u8; 8] = b"imtable1";
/// What is read of a text. The mean of more says less and less of each part.
const WINDOW_TOKENS: usize = 256;

/// The embedder that needs nothing but the binary.
///
/// ```
/// use immune_embed::StaticModel;
/// use immune_recall::Embedder as _;
///
/// let texts = ["the invoice was paid", "payment of the bill", "the dog sleeps"];
/// let vectors = StaticModel::bundled().embed(&texts)?;
/// let near = |a: usize, b: usize| -> f32 {
///     vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum()
/// };
/// assert!(near(0, 1) > near(0, 2));
/// # Ok::<(), immune_recall::EmbedError>(())
/// ```
#[derive(Debug)]
pub struct StaticModel {
    model: EmbeddingModel,
    vocabulary: WordPiece,
    scales: Vec<f32>,
    codes: &'static [u8],
}

static SHARED: LazyLock<Arc<StaticModel>> = LazyLock::new(|| {
    let read = StaticModel::read(BUNDLED);
    Arc::new(read.expect("the table in the binary is whole: a test reads it"))
});

impl StaticModel {
    /// The one in the binary; read at the first call.
    pub fn bundled() -> Arc<Self> {
        Arc::clone(&SHARED)
    }

    /// The word pieces that it has rows for.
    pub fn vocabulary(&self) -> &WordPiece {
        &self.vocabulary
    }

    fn read(bytes: &'static [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (numbers, rest) = rest.split_at_checked(12)?;
        let mut numbers = numbers.as_chunks().0.iter();
        let mut number = || Some(u32::from_le_bytes(*numbers.next()?));
        let (n_rows, dimensions, n_bytes) = (number()?, number()?, number()?);
        let (scales, rest) = rest.split_at_checked(4 * n_rows as usize)?;
        let (codes, pieces) = rest.split_at_checked((n_rows * dimensions) as usize)?;
        let pieces = std::str::from_utf8(pieces).ok()?;
        let is_whole =
            pieces.len() == n_bytes as usize && pieces.lines().count() == n_rows as usize;
        let scales = scales.as_chunks().0.iter();
        is_whole.then(|| Self {
            model: EmbeddingModel {
                name: NAME.to_owned(),
                dimensions,
            },
            vocabulary: WordPiece::new(pieces.lines().zip(0..)),
            scales: scales.map(|it| f32::from_le_bytes(*it)).collect(),
            codes,
        })
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let n_dimensions = self.model.dimensions as usize;
        let mut sum = vec![0.0_f32; n_dimensions];
        let mut n_left = WINDOW_TOKENS;
        self.vocabulary.each(text, &mut |piece| {
            if n_left == 0 {
                return;
            }
            n_left -= 1;
            let Some(row) = piece.map(|it| it as usize) else {
                return;
            };
            let codes = self.codes.get(row * n_dimensions..(row + 1) * n_dimensions);
            let scale = self.scales.get(row).copied().unwrap_or(0.0);
            for (sum, code) in sum.iter_mut().zip(codes.unwrap_or_default()) {
                *sum += scale * f32::from(code.cast_signed());
            }
        });
        if !normalise(&mut sum) {
            sum.fill(0.0);
        }
        sum
    }
}

impl Embedder for StaticModel {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn window_tokens(&self) -> usize {
        WINDOW_TOKENS
    }

    fn n_tokens(&self, text: &str) -> usize {
        self.vocabulary.count(text)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|it| self.vector(it)).collect())
    }
}

/// Writes a table: the pieces, and a row for each, all of one length.
///
/// Each row is scaled so that its largest number becomes 127 or -127.
///
/// # Panics
///
/// Where there is not one row a piece.
pub fn pack(out: &mut dyn Write, pieces: &[&str], rows: &[Vec<f64>]) -> io::Result<()> {
    assert_eq!(pieces.len(), rows.len(), "there is a row for each piece");
    let number = |it: usize| u32::try_from(it).expect("a table has less than 4 GB");
    let text = pieces.join("\n");
    let dimensions = rows.first().map_or(0, Vec::len);
    out.write_all(MAGIC)?;
    for it in [pieces.len(), dimensions, text.len()] {
        out.write_all(&number(it).to_le_bytes())?;
    }
    let scale = |row: &Vec<f64>| row.iter().fold(0.0_f64, |most, it| most.max(it.abs())) / 127.0;
    for row in rows {
        out.write_all(&(scale(row) as f32).to_le_bytes())?;
    }
    for row in rows {
        let scale = scale(row).max(f64::MIN_POSITIVE);
        let code = |it: &f64| (it / scale).round() as i8;
        let codes: Vec<u8> = row.iter().map(|it| code(it).cast_unsigned()).collect();
        out.write_all(&codes)?;
    }
    out.write_all(text.as_bytes())
}
