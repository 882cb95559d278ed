//! `vitrine digest`: a line of checks a file, the same on the host and in wasm.

use super::{Stop, input};
use std::path::PathBuf;
use std::time::Instant;
use vitrine_core::view_model::{DEFAULT_PIPELINE, digest};

/// Print what a page would show of each file, as a line of checks
#[derive(clap::Args)]
pub(crate) struct Digest {
    /// The files: anything the page takes
    files: Vec<PathBuf>,
    /// Passes to run, with commas between them
    #[arg(long, default_value = DEFAULT_PIPELINE)]
    pipeline: String,
    /// Print the time each takes instead: the least of so many runs, in milliseconds
    #[arg(long, value_name = "RUNS")]
    times: Option<u32>,
}

impl Digest {
    pub(crate) fn run(self) -> Result<(), Stop> {
        for file in &self.files {
            let bytes = input::read_bytes(file)?;
            let told = match self.times {
                None => digest(&bytes, &self.pipeline),
                Some(runs) => {
                    let once = |_| {
                        let start = Instant::now();
                        let _line = digest(&bytes, &self.pipeline);
                        start.elapsed().as_secs_f64() * 1e3
                    };
                    let least = (0..runs.max(1)).map(once).fold(f64::INFINITY, f64::min);
                    format!("{} {least:.2}", bytes.len())
                }
            };
            input::print(&format!("{}: {told}\n", file.display()));
        }
        Ok(())
    }
}
