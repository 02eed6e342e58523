//! Items as people name them: by id, or by the alias that a graph gave them. The one place where an
//! alias is taken for an id.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::str::FromStr;

use immune_api::Code;
use immune_engine::reason::State;
use immune_model::Item;

use crate::escape;
use crate::failure::Failure;

/// An item of some kind, by id or alias.
#[derive(Debug, Clone)]
pub(crate) struct Named<T = Item> {
    word: String,
    kind: PhantomData<fn() -> T>,
}

impl<T> FromStr for Named<T> {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Self, Infallible> {
        Ok(Self {
            word: word.to_owned(),
            kind: PhantomData,
        })
    }
}

impl<T: TryFrom<Item>> Named<T> {
    /// The item, whether or not an id is of this state; an alias has to be.
    pub(crate) fn find(&self, state: &State) -> Result<T, Failure> {
        let shown = escape::line(&self.word);
        let item = self
            .word
            .parse()
            .ok()
            .or_else(|| state.find_alias(&self.word));
        let item: Item = item.ok_or_else(|| {
            let message = format!("`{shown}` is no id, and no alias in this memory");
            Failure::new(Code::InvalidId, message)
                .hint("ids look like `bel_7`; `immune list beliefs` shows what is there")
        })?;
        T::try_from(item).map_err(|_| {
            let message = format!("`{shown}` is of another kind than belongs here");
            Failure::new(Code::InvalidId, message)
        })
    }

    /// All of several, in order.
    pub(crate) fn find_all(named: &[Self], state: &State) -> Result<Vec<T>, Failure> {
        named.iter().map(|it| it.find(state)).collect()
    }
}
