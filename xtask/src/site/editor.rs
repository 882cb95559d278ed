//! The packages of `web/editor`: the text editor, CodeMirror and its extensions as one module; the forms of a link with an
//! encoder of QR codes; the fonts of the page; and glslang, the front end of GLSL.
//!
//! The folder's `package.json` and lockfile hold the versions; the bundler is one of the packages. The page
//! works without the module, which is loaded when the editor is first needed, and without the fonts.

use std::fs;
use std::io;

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::setup::node;
use crate::site::{Effort, modules, slang};
use crate::workspace::Workspace;

/// The files of the fonts in the packages, and their names on the site: Latin letters, regular and semibold.
const FONTS: [(&str, &str); 5] = [
    ("ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff2", "code-regular.woff2"),
    ("ibm-plex-mono/files/ibm-plex-mono-latin-600-normal.woff2", "code-semibold.woff2"),
    ("ibm-plex-sans/files/ibm-plex-sans-latin-400-normal.woff2", "text-regular.woff2"),
    ("ibm-plex-sans/files/ibm-plex-sans-latin-600-normal.woff2", "text-semibold.woff2"),
    ("ibm-plex-mono/LICENSE", "license.txt"),
];

/// The modules that contain packages: sources, and names on the site.
const SOURCES: [(&str, &str); 2] = [("src/main.js", "editor.js"), ("src/forms.js", "forms.js")];

/// Writes `editor.js`, `forms.js` and `fonts/` next to the wasm modules.
pub fn bundle(workspace: &Workspace, effort: Effort) -> Result {
    let folder = workspace.editor();
    let node = node::with_packages(workspace, &folder, "the editor")?;
    copy_fonts(workspace)?;
    copy_glslang(workspace)?;
    slang::add(workspace)?;
    let step = "bundling the editor";
    report::step(step);
    let options: &[&str] = match effort {
        Effort::Release => &["--minify"],
        Effort::Development => &[],
    };
    SOURCES.iter().try_for_each(|(source, name)| {
        let out = format!("--outfile={}", modules::folder(workspace).join(name).display());
        Command::new(step, node.clone(), &folder)
            .args(["node_modules/esbuild/bin/esbuild", source, "--bundle", "--format=esm"])
            .args(["--target=es2022", "--legal-comments=none", "--log-level=warning"])
            .args(options)
            .args([out])
            .env_remove("LD_LIBRARY_PATH")
            .fix("read the message above; it names the line in web/editor/src")
            .run()
    })
}

/// The end of glslang's script, which finds its module by a fixed name: the function before it is exported instead, since the
/// names of this site have hashes.
const GLSLANG_TAIL: &str = "if (typeof exports === 'object'";

/// Copies the front end of GLSL.
fn copy_glslang(workspace: &Workspace) -> Result {
    let from = workspace.editor().join("node_modules/@webgpu/glslang/dist/web-devel");
    let to = modules::folder(workspace);
    let script = fs::read_to_string(from.join("glslang.js")).and_then(|script| {
        let known =
            script.split_once(GLSLANG_TAIL).map(|(body, _)| format!("{body}export default Module;\n"));
        known.ok_or_else(|| io::Error::other("the end of glslang.js is not the known one"))
    });
    let copied = script
        .and_then(|script| fs::write(to.join("glslang.js"), script))
        .and_then(|()| fs::copy(from.join("glslang.wasm"), to.join("glslang_bg.wasm")));
    copied.map(drop).map_err(|error| {
        Error::new("copying glslang").reason(error).fix("delete web/editor/node_modules and run it again")
    })
}

fn copy_fonts(workspace: &Workspace) -> Result {
    let packages = workspace.editor().join("node_modules/@fontsource");
    let fonts = modules::folder(workspace).join("fonts");
    let copied = fs::create_dir_all(&fonts).and_then(|()| {
        FONTS.iter().try_for_each(|(from, to)| fs::copy(packages.join(from), fonts.join(to)).map(drop))
    });
    copied.map_err(|error| {
        Error::new("copying the fonts").reason(error).fix("delete web/editor/node_modules and run it again")
    })
}
