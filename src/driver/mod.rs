//! The way of a call, which knows no verb and no shape: a [`Query`](call::Query) with its table in, a loop over pairs out.
//!
//! [`call`] has the types; [`list`] checks the indices; [`plan`] decides whether shapes are read from [`rows`] or in columns ([`scan`]);
//! [`test`] starts the loop of [`run`], on [`threads`]. A stage that refines hits reads their rows by [`stage`].

pub mod call;
pub mod cull;
pub mod list;
pub mod pack;
pub mod plan;
pub mod rows;
pub mod run;
pub mod scan;
pub mod settings;
pub mod source;
pub mod stage;
pub mod test;
pub mod threads;
