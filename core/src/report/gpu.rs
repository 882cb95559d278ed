//! The verdict of a GPU in a report: the device, the text that ran on it, and the first numbers that differ.
//!
//! The page runs a version with the inputs of a run and compares the results with the interpreter's
//! (`view_model::debugger::gpu`). Refuses to name the part of the device that is at fault: driver, browser and text are given.

use vitrine_protocol::{GpuApi, GpuResult};

/// The most differences in a report.
const MOST_ROWS: usize = 16;

/// The language of the texts of an API.
pub(super) fn language(api: GpuApi) -> &'static str {
    match api {
        GpuApi::WebGpu => "WGSL",
        GpuApi::WebGl2 => "GLSL ES 3.00",
    }
}

/// The title of a report about this result alone.
pub fn gpu_title(gpu: &GpuResult, input: &str) -> String {
    format!("{input}: the results on a GPU differ from those of an interpreter ({})", gpu.api.name())
}

/// The result as Markdown. Places and the text have names of the program, so an anonymous report has neither.
pub(super) fn gpu_result(gpu: &GpuResult, is_anonymous: bool) -> String {
    let mut out = format!(
        "* {}\n* API: {}\n* adapter: {}\n* text: {} of {}",
        gpu.verdict.replace('\n', " "),
        gpu.api.name(),
        gpu.adapter.replace('\n', " "),
        language(gpu.api),
        gpu.step
    );
    if is_anonymous {
        out.push_str("\n\nThe differences and the text are left out: they contain names of the program.");
        return out;
    }
    if !gpu.differences.is_empty() {
        out.push_str("\n\n| place | interpreter | GPU |\n|---|---|---|");
        for row in gpu.differences.iter().take(MOST_ROWS) {
            let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
            out.push_str(&format!("\n| {} |", cells.join(" | ")));
        }
        let further = gpu.differences.len().saturating_sub(MOST_ROWS);
        if further > 0 {
            out.push_str(&format!("\n\n{further} further differences."));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_names_device_step_and_values() {
        let result = GpuResult {
            api: GpuApi::WebGl2,
            adapter: "ANGLE (X)".to_owned(),
            step: "step 2, cse".to_owned(),
            verdict: "1 of 4 numbers differ.".to_owned(),
            differs: true,
            code: "void main() {}".to_owned(),
            differences: vec![["pixel (0, 1)", "1", "a|b"].map(str::to_owned)],
        };
        let text = gpu_result(&result, false);
        for part in ["WebGL2", "ANGLE (X)", "GLSL ES 3.00 of step 2, cse", "| pixel (0, 1) | 1 | a\\|b |"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!gpu_result(&result, true).contains("pixel"));
    }
}
