//! A value that calls read while other threads write it.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;

/// A value that a write copies first if a call or an array reads it.
pub struct CopyOnWrite<T>(Mutex<Arc<T>>);

impl<T: Clone + Send + Sync> CopyOnWrite<T> {
    pub fn new(value: T) -> Self {
        CopyOnWrite(Mutex::new(Arc::new(value)))
    }

    /// The current value. It never changes while the result is alive.
    pub fn get(&self, py: Python<'_>) -> Arc<T> {
        let locked = self.0.lock_py_attached(py);
        Arc::clone(&locked.unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the value, without the GIL.
    pub fn change<R: Send>(&self, py: Python<'_>, change: impl FnOnce(&mut T) -> R + Send) -> R {
        py.detach(|| {
            let mut locked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            change(Arc::make_mut(&mut locked))
        })
    }
}
