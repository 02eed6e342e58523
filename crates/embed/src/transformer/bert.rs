//! The encoder of BERT (Devlin et al. 2019), post-norm, without dropout. Called by `mod` only.
//!
//! Rows of one call have one length, so nothing is padded and no mask is needed.

use std::collections::HashMap;

use candle_core::{D, DType, Device, Result, Tensor};

/// The numbers that the weights do not say by their shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) n_layers: usize,
    pub(super) n_heads: usize,
    /// Added to a variance.
    pub(super) epsilon: f64,
}

/// The encoder.
#[derive(Debug)]
pub(super) struct Bert {
    words: Tensor,
    positions: Tensor,
    kind: Tensor,
    norm: Norm,
    layers: Vec<Layer>,
}

impl Bert {
    /// The encoder of these weights; those of a task's head are left alone.
    pub(super) fn new(
        weights: &HashMap<String, Tensor>,
        shape: &Shape,
        dtype: DType,
    ) -> Result<Self> {
        let weights = Weights { weights, dtype };
        let embeddings = |part: &str| weights.get(&format!("embeddings.{part}"));
        Ok(Self {
            words: embeddings("word_embeddings.weight")?,
            positions: embeddings("position_embeddings.weight")?,
            kind: embeddings("token_type_embeddings.weight")?.get(0)?,
            norm: weights.norm("embeddings.LayerNorm", shape.epsilon)?,
            layers: (0..shape.n_layers)
                .map(|it| Layer::new(&weights, &format!("encoder.layer.{it}"), shape))
                .collect::<Result<_>>()?,
        })
    }

    /// The last state of each piece of each row, `[rows, pieces, dimensions]`.
    pub(super) fn states(&self, rows: &[Vec<u32>]) -> Result<Tensor> {
        let n_pieces = rows.first().map_or(0, Vec::len);
        let numbers = Tensor::from_iter(rows.iter().flatten().copied(), &Device::Cpu)?;
        let words = self.words.index_select(&numbers, 0)?;
        let words = words.reshape((rows.len(), n_pieces, ()))?;
        let positions = self.positions.narrow(0, 0, n_pieces)?;
        let sum = words.broadcast_add(&positions)?.broadcast_add(&self.kind)?;
        let mut states = self.norm.of(&sum)?;
        for layer in &self.layers {
            states = layer.of(&states)?;
        }
        Ok(states)
    }
}

#[derive(Debug)]
struct Layer {
    n_heads: usize,
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: Norm,
    wide: Linear,
    narrow: Linear,
    narrow_norm: Norm,
}

impl Layer {
    fn new(weights: &Weights<'_>, at: &str, shape: &Shape) -> Result<Self> {
        let linear = |part: &str| weights.linear(&format!("{at}.{part}"));
        let norm = |part: &str| weights.norm(&format!("{at}.{part}"), shape.epsilon);
        Ok(Self {
            n_heads: shape.n_heads,
            query: linear("attention.self.query")?,
            key: linear("attention.self.key")?,
            value: linear("attention.self.value")?,
            attended: linear("attention.output.dense")?,
            attended_norm: norm("attention.output.LayerNorm")?,
            wide: linear("intermediate.dense")?,
            narrow: linear("output.dense")?,
            narrow_norm: norm("output.LayerNorm")?,
        })
    }

    fn of(&self, states: &Tensor) -> Result<Tensor> {
        let (n_rows, n_pieces, size) = states.dims3()?;
        let head_size = size / self.n_heads;
        let heads = |linear: &Linear| {
            let split = (n_rows, n_pieces, self.n_heads, head_size);
            linear
                .of(states)?
                .reshape(split)?
                .transpose(1, 2)?
                .contiguous()
        };
        let (query, key, value) = (heads(&self.query)?, heads(&self.key)?, heads(&self.value)?);
        #[expect(
            clippy::cast_precision_loss,
            reason = "a head has some dozens of numbers"
        )]
        let scale = 1.0 / (head_size as f64).sqrt();
        let scores = query.matmul(&key.t()?.contiguous()?)?.affine(scale, 0.0)?;
        let mixed = softmax(&scores)?.matmul(&value)?.transpose(1, 2)?;
        let mixed = mixed.reshape((n_rows, n_pieces, size))?;
        let states = self
            .attended_norm
            .of(&(self.attended.of(&mixed)? + states)?)?;
        let wide = self.wide.of(&states)?.gelu_erf()?;
        self.narrow_norm.of(&(self.narrow.of(&wide)? + states)?)
    }
}

/// Over the last dimension.
fn softmax(scores: &Tensor) -> Result<Tensor> {
    let shifted = scores
        .broadcast_sub(&scores.max_keepdim(D::Minus1)?)?
        .exp()?;
    shifted.broadcast_div(&shifted.sum_keepdim(D::Minus1)?)
}

#[derive(Debug)]
struct Linear {
    weight: Tensor,
    bias: Tensor,
}

impl Linear {
    fn of(&self, states: &Tensor) -> Result<Tensor> {
        let (n_rows, n_pieces, size) = states.dims3()?;
        let flat = states.reshape((n_rows * n_pieces, size))?;
        let product = flat.matmul(&self.weight)?.broadcast_add(&self.bias)?;
        product.reshape((n_rows, n_pieces, ()))
    }
}

#[derive(Debug)]
struct Norm {
    weight: Tensor,
    bias: Tensor,
    epsilon: f64,
}

impl Norm {
    fn of(&self, states: &Tensor) -> Result<Tensor> {
        let centred = states.broadcast_sub(&states.mean_keepdim(D::Minus1)?)?;
        let variance = centred.sqr()?.mean_keepdim(D::Minus1)?;
        let scaled = centred.broadcast_div(&(variance + self.epsilon)?.sqrt()?)?;
        scaled
            .broadcast_mul(&self.weight)?
            .broadcast_add(&self.bias)
    }
}

/// The tensors of a file by their names.
struct Weights<'w> {
    weights: &'w HashMap<String, Tensor>,
    dtype: DType,
}

impl Weights<'_> {
    fn get(&self, name: &str) -> Result<Tensor> {
        // Some files hold the encoder beside the head of a task.
        let found = self.weights.get(name);
        let found = found.or_else(|| self.weights.get(&format!("bert.{name}")));
        let Some(found) = found else {
            candle_core::bail!("there is no `{name}` in it");
        };
        found.to_dtype(self.dtype)
    }

    fn linear(&self, at: &str) -> Result<Linear> {
        Ok(Linear {
            weight: self.get(&format!("{at}.weight"))?.t()?.contiguous()?,
            bias: self.get(&format!("{at}.bias"))?,
        })
    }

    fn norm(&self, at: &str, epsilon: f64) -> Result<Norm> {
        Ok(Norm {
            weight: self.get(&format!("{at}.weight"))?,
            bias: self.get(&format!("{at}.bias"))?,
            epsilon,
        })
    }
}
