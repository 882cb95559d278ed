//! `vitrine digest`: a line of checksums for each file, the same on the host and in wasm.

use super::{Stop, input};
use std::path::PathBuf;
use std::time::Instant;
use vitrine_core::view_model::{DEFAULT_PIPELINE, digest};

/// Print checksums of everything that a page shows of each file, one line for each
#[derive(clap::Args)]
pub(crate) struct Digest {
    /// The files, in any format that the page accepts
    files: Vec<PathBuf>,
    /// Passes to run, separated by commas
    #[arg(long, default_value = DEFAULT_PIPELINE)]
    pipeline: String,
    /// Print times instead: the minimum of this many runs, in milliseconds
    #[arg(long, value_name = "RUNS")]
    times: Option<u32>,
}

impl Digest {
    pub(crate) fn run(self) -> Result<(), Stop> {
        for file in &self.files {
            let bytes = input::read_input(file)?;
            let line = match self.times {
                None => digest(&bytes, &self.pipeline),
                Some(runs) => {
                    let time = |_| {
                        let start = Instant::now();
                        let _line = digest(&bytes, &self.pipeline);
                        start.elapsed().as_secs_f64() * 1e3
                    };
                    let least = (0..runs.max(1)).map(time).fold(f64::INFINITY, f64::min);
                    format!("{} {least:.2}", bytes.len())
                }
            };
            input::print(&format!("{}: {line}\n", file.display()));
        }
        Ok(())
    }
}
