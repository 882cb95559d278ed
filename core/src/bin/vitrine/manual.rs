//! `vitrine completions` and `vitrine man`: what a shell and `man` know about the command line, made from its definition.

use super::{Cli, Stop, input};
use clap::CommandFactory;
use std::path::PathBuf;

/// Print the completions of a shell
#[derive(clap::Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<(), Stop> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "vitrine", &mut script);
        input::print_bytes(&script);
        Ok(())
    }
}

/// Write the manual pages, one for each command
#[derive(clap::Args)]
pub(crate) struct Man {
    /// The folder of the pages, which is made if it is missing
    folder: PathBuf,
}

impl Man {
    pub(crate) fn run(self) -> Result<(), Stop> {
        std::fs::create_dir_all(&self.folder)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), &self.folder))
            .map_err(|error| Stop::Misused(format!("{}: {error}", self.folder.display())))
    }
}
