//! A finding as a report for a tracker: `www/reporter.js` passes the request, with the program of the page, to the compiler.

use serde::{Deserialize, Serialize};

use crate::{Bytes, GpuApi};

/// A report to make. The program is a [`Program`](crate::Program) of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportRequest {
    /// The link to the shown state, without its address: the part after `#`.
    pub link: String,
    /// The address of the page.
    pub address: String,
    /// The browser, as it names itself.
    pub browser: String,
    /// True if names, strings and debug information are removed first.
    pub is_anonymous: bool,
    /// True if the program is not reduced.
    pub is_whole: bool,
    /// The last result of a GPU, if there is one.
    pub gpu: Option<GpuResult>,
}

/// A version that ran on a GPU, as `www/gpu.js` keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuResult {
    /// The API.
    pub api: GpuApi,
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

/// A report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportAnswer {
    /// The title of the issue.
    pub title: String,
    /// The report as Markdown.
    pub markdown: String,
    /// All files of the report as a zip archive.
    pub archive: Bytes,
    /// The Amber script; empty if there is none.
    pub amber: String,
    /// The reason that there is no Amber script; empty if there is one.
    pub amber_refused: String,
    /// Issue forms.
    pub forms: Vec<IssueForm>,
}

/// The form of a tracker for a new issue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueForm {
    /// The tracker, by the name of its project.
    pub tracker: String,
    /// The address, with the title and the text.
    pub url: String,
    /// The number of the text in it: 0 for the report, 1 for its summary; none if it has the title only.
    pub text: Option<u32>,
}
