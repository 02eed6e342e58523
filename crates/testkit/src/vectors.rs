//! Vectors as embeddings have them: clusters in a space of few dimensions, and noise in all.
//!
//! For the laws of the vector index and for `bench`. No function that machines round differently
//! is used, so that a seed gives the same bits everywhere.

#![expect(
    clippy::cast_precision_loss,
    reason = "dimensions are few, and sums of twelve numbers of 16 bits fit"
)]

use crate::random::Random;

/// Dimensions of the space in which the clusters lie.
const LATENT_DIMS: usize = 48;
/// Clusters.
const CLUSTERS: usize = 2_000;
/// How far the members of a cluster lie from its middle, by how far the middles lie apart.
const WITHIN: f32 = 0.5;
/// Noise of each dimension, by what the clusters give it.
const NOISE: f32 = 0.2;
/// How far a query lies from the vector that it is made from.
const BESIDE: f32 = 0.2;

/// Normalised vectors, and which cluster each one is of.
#[derive(Debug, Clone)]
pub struct Clustered {
    n_dims: usize,
    values: Vec<f32>,
    clusters: Vec<u32>,
}

impl Clustered {
    /// So many vectors of so many dimensions.
    pub fn new(n: usize, n_dims: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut normals = |n: usize| -> Vec<f32> { (0..n).map(|_| normal(&mut random)).collect() };
        let middles = normals(CLUSTERS * LATENT_DIMS);
        // For each latent dimension, a direction.
        let directions = normals(LATENT_DIMS * n_dims);
        let mut values = Vec::with_capacity(n * n_dims);
        let mut clusters = Vec::with_capacity(n);
        let mut vector = vec![0.0; n_dims];
        for _ in 0..n {
            let cluster = random.below(CLUSTERS);
            let middle = middles.chunks_exact(LATENT_DIMS).nth(cluster);
            vector.fill(0.0);
            for (middle, direction) in middle
                .unwrap_or_default()
                .iter()
                .zip(directions.chunks_exact(n_dims))
            {
                let latent = middle + WITHIN * normal(&mut random);
                for (value, direction) in vector.iter_mut().zip(direction) {
                    *value += latent * direction;
                }
            }
            let noise = NOISE * (LATENT_DIMS as f32).sqrt();
            for it in &mut vector {
                *it += noise * normal(&mut random);
            }
            normalise(&mut vector);
            values.extend_from_slice(&vector);
            clusters.push(cluster as u32);
        }
        Self {
            n_dims,
            values,
            clusters,
        }
    }

    /// Vectors that were made elsewhere, one after the other, with the cluster of each.
    pub fn of(n_dims: usize, values: Vec<f32>, clusters: Vec<u32>) -> Self {
        assert_eq!(values.len(), n_dims * clusters.len(), "a cluster for each");
        Self {
            n_dims,
            values,
            clusters,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// The vectors, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(self.n_dims)
    }

    /// One of them.
    pub fn vector(&self, row: usize) -> &[f32] {
        self.values
            .get(row * self.n_dims..(row + 1) * self.n_dims)
            .expect("a row that there is")
    }

    /// The cluster of each of them.
    pub fn clusters(&self) -> &[u32] {
        &self.clusters
    }

    /// How many clusters there are.
    pub fn n_clusters(&self) -> u32 {
        CLUSTERS as u32
    }

    /// So many queries, each near one of them.
    pub fn queries(&self, n: usize, seed: u64) -> Vec<Vec<f32>> {
        let mut random = Random::new(seed);
        let noise = BESIDE / (self.n_dims as f32).sqrt();
        let mut query = || {
            let mut query = self.vector(random.below(self.len())).to_vec();
            for it in &mut query {
                *it += noise * normal(&mut random);
            }
            normalise(&mut query);
            query
        };
        (0..n).map(|_| query()).collect()
    }
}

/// A number of about the normal distribution: twelve uniform ones, of mean 0 and variance 1
/// together.
fn normal(random: &mut Random) -> f32 {
    let mut sum = 0_u32;
    for _ in 0..3 {
        let bits = random.bits();
        sum += (0..4)
            .map(|it| (bits >> (16 * it) & 0xffff) as u32)
            .sum::<u32>();
    }
    (sum as f32 - 12.0 * 32767.5) / 65536.0
}

fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|it| it * it).sum::<f32>().sqrt();
    for it in vector {
        *it /= length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_set_of_vectors_of_length_one() {
        let [a, b] = [7, 7].map(|seed| Clustered::new(300, 40, seed));
        assert_eq!(a.values, b.values);
        assert_ne!(a.values, Clustered::new(300, 40, 8).values);
        let square = |it: &[f32]| it.iter().map(|it| it * it).sum::<f32>();
        assert!(a.iter().all(|it| (square(it) - 1.0).abs() < 1e-5));
        assert_eq!(a.queries(3, 1), b.queries(3, 1));
    }
}
