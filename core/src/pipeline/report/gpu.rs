//! The verdict of a GPU in a report: the device, the text that ran on it, and the first numbers that differ.
//!
//! The page runs a version with the inputs of a run and compares the results with the interpreter's
//! (`view_model::debugger::gpu`). Refuses to name the part of the device that is at fault: driver, browser and text are given.

/// The most differences in a report.
const MOST_ROWS: usize = 16;

/// A version that ran on a GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuResult {
    /// The API: `WebGPU` or `WebGL2`.
    pub api: String,
    /// The adapter or renderer, as the browser names it.
    pub adapter: String,
    /// The version whose text ran, in words: `step 3, cse`.
    pub step: String,
    /// The verdict in words.
    pub verdict: String,
    /// True if the results differ from the interpreter's.
    pub differs: bool,
    /// The text that ran.
    pub code: String,
    /// The first differences: place, the interpreter's value, the GPU's.
    pub differences: Vec<[String; 3]>,
}

impl GpuResult {
    /// The result in these texts of the page: API, adapter, step, verdict, `1` if it differs, code, then the differences one
    /// after another. `None` if there are fewer.
    pub fn of_texts(texts: &[String]) -> Option<GpuResult> {
        let ([api, adapter, step, verdict, differs, code], rest) = texts.split_first_chunk::<6>()?;
        Some(GpuResult {
            api: api.clone(),
            adapter: adapter.clone(),
            step: step.clone(),
            verdict: verdict.clone(),
            differs: differs == "1",
            code: code.clone(),
            differences: rest.as_chunks::<3>().0.to_vec(),
        })
    }

    /// The language of the text.
    pub fn language(&self) -> &'static str {
        if self.api == "WebGL2" { "GLSL ES 3.00" } else { "WGSL" }
    }

    /// The title of a report about this result alone.
    pub fn title(&self, input: &str) -> String {
        format!("{input}: the results on a GPU differ from those of an interpreter ({})", self.api)
    }

    /// The result as Markdown. Places and the text have names of the program, so an anonymous report has neither.
    pub fn markdown(&self, is_anonymous: bool) -> String {
        let mut out = format!(
            "* {}\n* API: {}\n* adapter: {}\n* text: {} of {}",
            self.verdict.replace('\n', " "),
            self.api,
            self.adapter.replace('\n', " "),
            self.language(),
            self.step
        );
        if is_anonymous {
            out.push_str("\n\nThe differences and the text are left out: they contain names of the program.");
            return out;
        }
        if !self.differences.is_empty() {
            out.push_str("\n\n| place | interpreter | GPU |\n|---|---|---|");
            for row in self.differences.iter().take(MOST_ROWS) {
                let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
                out.push_str(&format!("\n| {} |", cells.join(" | ")));
            }
            let further = self.differences.len().saturating_sub(MOST_ROWS);
            if further > 0 {
                out.push_str(&format!("\n\n{further} further differences."));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Vec<String> {
        let texts = [
            "WebGL2",
            "ANGLE (X)",
            "step 2, cse",
            "1 of 4 numbers differ.",
            "1",
            "void main() {}",
            "pixel (0, 1)",
            "1",
            "a|b",
            "cut",
        ];
        texts.map(str::to_owned).to_vec()
    }

    #[test]
    fn a_result_names_device_step_and_values() {
        let result = GpuResult::of_texts(&texts()).expect("a result");
        assert!(result.differs && result.differences.len() == 1);
        let text = result.markdown(false);
        for part in ["WebGL2", "ANGLE (X)", "GLSL ES 3.00 of step 2, cse", "| pixel (0, 1) | 1 | a\\|b |"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!result.markdown(true).contains("pixel"));
        assert_eq!(GpuResult::of_texts(&texts()[..5]), None);
    }
}
