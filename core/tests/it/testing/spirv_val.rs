//! Validation by spirv-val of SPIRV-Tools, if it is installed.

use super::known;
use super::skipped::skipped;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Runs spirv-val on binaries.
pub(crate) struct SpirvVal {
    pub(crate) folder: PathBuf,
    pub(crate) installed: bool,
}

impl SpirvVal {
    /// A validator with its own temporary folder. Reports a missing spirv-val for the calling test.
    #[track_caller]
    pub(crate) fn new(name: &str) -> SpirvVal {
        let folder = std::env::temp_dir().join(format!("vitrine-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let installed = Command::new("spirv-val").arg("--version").output().is_ok();
        if !installed {
            skipped(1, "spirv-val is not installed");
        }
        SpirvVal { folder, installed }
    }

    pub(crate) fn accepts(&self, file: &Path, environment: &str) -> Result<(), String> {
        let run = Command::new("spirv-val").args(["--target-env", environment]).arg(file).output().unwrap();
        match run.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).trim().to_owned()),
        }
    }

    /// `true` if a file that no test changes is valid. Many tests ask about the same files: each is validated once.
    fn is_valid_input(&self, file: &Path, environment: &'static str) -> bool {
        static KNOWN: Mutex<BTreeMap<(PathBuf, &str), bool>> = Mutex::new(BTreeMap::new());
        let key = (file.to_owned(), environment);
        let known = KNOWN.lock().expect("no thread panicked").get(&key).copied();
        known.unwrap_or_else(|| {
            let is_valid = self.accepts(file, environment).is_ok();
            KNOWN.lock().expect("no thread panicked").insert(key, is_valid);
            is_valid
        })
    }

    /// `true` if the result was validated. It must be valid in every environment in which the input is, unless that is
    /// a known failure.
    pub(crate) fn validate(&self, input: &Path, result: &[u8]) -> Result<bool, String> {
        if known::is_refused(input) { Ok(false) } else { self.validate_strictly(input, result) }
    }

    /// Validates a result, known failures included.
    pub(crate) fn validate_strictly(&self, input: &Path, result: &[u8]) -> Result<bool, String> {
        let file = self.folder.join("result.spv");
        std::fs::write(&file, result).unwrap();
        let mut validated = false;
        for environment in ["spv1.6", "vulkan1.3"] {
            if self.installed && self.is_valid_input(input, environment) {
                validated = true;
                self.accepts(&file, environment).map_err(|message| format!("{environment}: {message}"))?;
            }
        }
        Ok(validated)
    }
}

impl Drop for SpirvVal {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
