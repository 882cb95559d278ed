//! Compilation of HLSL to SPIR-V by the library of the DirectX Shader Compiler, if it is installed.
//!
//! `cargo xtask test` installs the library in the target folder; `VITRINE_DXC` names another one, of version 1.8 or
//! later: before, the table of `IUnknown` had two entries more on Linux, those of a virtual destructor. The library has COM
//! interfaces: an object is a pointer to a table of functions, whose order its header `dxcapi.h` defines.

use super::skipped::skipped;
use libloading::Library;
use std::ffi::c_void;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// An object: a pointer to a pointer to its table of functions.
type Object = *mut *const *const c_void;

/// A number that names a class or an interface.
#[repr(C)]
struct Guid(u32, u16, u16, [u8; 8]);

const COMPILER: Guid = Guid(0x73e2_2d93, 0xe6ce, 0x47f3, [0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0]);
const COMPILER_3: Guid = Guid(0x228b_4687, 0x5a6a, 0x4730, [0x90, 0x0c, 0x97, 0x02, 0xb2, 0x20, 0x3f, 0x54]);
const RESULT: Guid = Guid(0x5834_6cda, 0xdde7, 0x4497, [0x94, 0x61, 0x6f, 0x87, 0xaf, 0x5e, 0x06, 0x59]);
const BLOB: Guid = Guid(0x8ba5_fb08, 0x5195, 0x40e2, [0xac, 0x58, 0x0d, 0x98, 0x9c, 0x3a, 0x01, 0x02]);

/// A text or binary that is passed to the compiler.
#[repr(C)]
struct Buffer {
    start: *const c_void,
    bytes: usize,
    encoding: u32,
}

/// The encoding UTF-8.
const UTF8: u32 = 65001;

/// Positions in the tables of functions.
const RELEASE: usize = 2;
const COMPILE: usize = 3;
const GET_STATUS: usize = 3;
const GET_OUTPUT: usize = 7;
const BUFFER_START: usize = 3;
const BUFFER_BYTES: usize = 4;

/// Kinds of output.
const BINARY: u32 = 1;
const MESSAGES: u32 = 2;

type Create = unsafe extern "C" fn(*const Guid, *const Guid, *mut Object) -> i32;
type Compile = unsafe extern "C" fn(
    Object,
    *const Buffer,
    *const *const u32,
    u32,
    *mut c_void,
    *const Guid,
    *mut Object,
) -> i32;

/// The compiler of HLSL.
pub(crate) struct Dxc {
    library: Option<Library>,
    pub(crate) installed: bool,
}

impl Dxc {
    /// Loads the library. Reports a missing one for the calling test.
    #[track_caller]
    pub(crate) fn new() -> Dxc {
        let library = place().filter(|file| file.is_file()).map(|file| {
            // SAFETY: the library of the compiler runs no code when it is loaded but that of its own globals.
            unsafe { Library::new(&file) }.unwrap_or_else(|error| panic!("{}: {error}", file.display()))
        });
        let installed = library.is_some();
        if !installed {
            skipped(1, "the DirectX Shader Compiler is not installed");
        }
        Dxc { library, installed }
    }

    /// The SPIR-V of a shader with the entry point `main`; `profile` is one such as `cs_6_6`. `options` are those of
    /// the compiler's command line, and [`DIRECT3D`]. Error: the messages of the compiler.
    pub(crate) fn compile(&self, text: &str, profile: &str, options: &[&str]) -> Result<Vec<u8>, String> {
        let is_direct3d = options.contains(&DIRECT3D);
        let options = options.iter().filter(|&&option| option != DIRECT3D);
        let mut plain = vec!["-T", profile, "-E", "main", "-HV", "2021", "-enable-16bit-types"];
        plain.extend((!is_direct3d).then_some("-spirv"));
        let wide = |text: &str| text.chars().map(u32::from).chain([0]).collect::<Vec<u32>>();
        let options: Vec<Vec<u32>> = plain.iter().chain(options).map(|text| wide(text)).collect();
        let options: Vec<*const u32> = options.iter().map(Vec::as_ptr).collect();
        let source = Buffer { start: text.as_ptr().cast(), bytes: text.len(), encoding: UTF8 };
        let library = self.library.as_ref().ok_or("the compiler is not installed")?;
        // SAFETY: the signatures are those of `dxcapi.h`; all pointers live until the calls return; results are copied
        // before they are released.
        unsafe {
            let create = library.get::<Create>(b"DxcCreateInstance").map_err(|error| error.to_string())?;
            let mut compiler: Object = null_mut();
            checked(create(&COMPILER, &COMPILER_3, &mut compiler), "making a compiler")?;
            let compile: Compile = function(compiler, COMPILE);
            let mut result: Object = null_mut();
            let status = compile(
                compiler,
                &source,
                options.as_ptr(),
                options.len() as u32,
                null_mut(),
                &RESULT,
                &mut result,
            );
            release(compiler);
            checked(status, "compiling")?;
            let get_status: unsafe extern "C" fn(Object, *mut i32) -> i32 = function(result, GET_STATUS);
            let mut status = -1;
            get_status(result, &mut status);
            let messages = String::from_utf8_lossy(&output(result, MESSAGES)).into_owned();
            let binary = output(result, BINARY);
            release(result);
            let is_accepted = status >= 0 && !binary.is_empty();
            if is_accepted { Ok(binary) } else { Err(messages.trim_end_matches(['\0', '\n']).to_owned()) }
        }
    }
}

/// The option for a program of Direct3D instead of SPIR-V.
pub(crate) const DIRECT3D: &str = "direct3d";

/// The variable of the environment that a process that compiles texts has.
const COMPILES: &str = "VITRINE_DXC_COMPILES";

/// The test that such a process runs.
const CHILD: &str = "testing::dxc::a_process_of_its_own_compiles_jobs";

/// A compilation that did not succeed.
#[derive(Clone, Debug)]
pub(crate) enum Failed {
    /// The compiler rejected the text; its messages.
    Rejected(String),
    /// The compiler ended its process; the status.
    Crashed(String),
}

impl Dxc {
    /// The same as [`Dxc::compile`] in another process: the compiler ends its process on some texts. A process that has
    /// compiled a text compiles the next one.
    pub(crate) fn compile_apart(
        &self,
        text: &str,
        profile: &str,
        options: &[&str],
    ) -> Result<Vec<u8>, Failed> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let failed = |error: std::io::Error| Failed::Rejected(error.to_string());
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("vitrine-dxc-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let result = run_apart(&folder, text, profile, options);
        std::fs::remove_dir_all(&folder).map_err(failed)?;
        result
    }
}

/// The time after which the process of a compilation is killed.
const MOST_TIME: Duration = Duration::from_secs(120);

/// Processes without a job. Each ends when this one does, and its input with it.
static IDLE: Mutex<Vec<Child>> = Mutex::new(Vec::new());

fn idle_process() -> std::io::Result<Child> {
    if let Some(child) = IDLE.lock().expect("no thread panicked").pop() {
        return Ok(child);
    }
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--exact", CHILD]).env(COMPILES, "1");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

fn run_apart(folder: &Path, text: &str, profile: &str, options: &[&str]) -> Result<Vec<u8>, Failed> {
    let failed = |error: std::io::Error| Failed::Rejected(error.to_string());
    std::fs::write(folder.join("text"), text).map_err(failed)?;
    let head: Vec<&str> = std::iter::once(profile).chain(options.iter().copied()).collect();
    std::fs::write(folder.join("options"), head.join("\n")).map_err(failed)?;
    let mut child = idle_process().map_err(failed)?;
    let mut input = child.stdin.as_ref().expect("the input is a pipe");
    // A process that has ended takes no job, which its status shows below.
    drop(writeln!(input, "{}", folder.display()));
    let start = Instant::now();
    while !folder.join("done").exists() {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Err(Failed::Crashed(status.to_string()));
        }
        // Some texts keep the compiler busy without an end.
        if start.elapsed() > MOST_TIME {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            return Err(Failed::Crashed("the compiler does not end".to_owned()));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    IDLE.lock().expect("no thread panicked").push(child);
    match std::fs::read(folder.join("binary")) {
        Ok(binary) => Ok(binary),
        Err(_) => Err(Failed::Rejected(std::fs::read_to_string(folder.join("messages")).map_err(failed)?)),
    }
}

#[test]
fn a_process_of_its_own_compiles_jobs() {
    if std::env::var_os(COMPILES).is_none() {
        return;
    }
    let dxc = Dxc::new();
    for folder in std::io::stdin().lines() {
        let folder = PathBuf::from(folder.expect("the name of a folder"));
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the job can be read");
        let (text, head) = (read("text"), read("options"));
        let mut options = head.lines();
        let profile = options.next().expect("a profile");
        let (name, bytes) = match dxc.compile(&text, profile, &options.collect::<Vec<_>>()) {
            Ok(binary) => ("binary", binary),
            Err(messages) => ("messages", messages.into_bytes()),
        };
        std::fs::write(folder.join(name), bytes).expect("the result can be written");
        std::fs::write(folder.join("done"), "").expect("the result can be written");
    }
}

#[test]
fn a_process_compiles_more_than_one_text() {
    let dxc = Dxc::new();
    if !dxc.installed {
        return;
    }
    let right = "float4 main(float4 color : COLOR0) : SV_Target0 {\n  return color * 2.0;\n}\n";
    let expected = dxc.compile(right, "ps_6_6", &[]).expect("it is accepted");
    for _ in 0..3 {
        assert_eq!(dxc.compile_apart(right, "ps_6_6", &[]).expect("it is accepted"), expected);
        let wrong = dxc.compile_apart("float4 main() : SV_Target0 { return a; }", "ps_6_6", &[]);
        assert!(matches!(&wrong, Err(Failed::Rejected(why)) if why.contains("undeclared")), "{wrong:?}");
    }
}

/// The file of the library.
fn place() -> Option<PathBuf> {
    if let Some(file) = std::env::var_os("VITRINE_DXC") {
        return Some(file.into());
    }
    // The tests are in target/debug/deps.
    let tests = std::env::current_exe().ok()?;
    Some(tests.ancestors().nth(3)?.join("judges/libdxcompiler-1.8.so"))
}

fn checked(status: i32, step: &str) -> Result<(), String> {
    if status >= 0 { Ok(()) } else { Err(format!("{step}: status {status:#x}")) }
}

/// A function of an object.
///
/// # Safety
/// `F` is the type of the function at that position.
unsafe fn function<F: Copy>(object: Object, at: usize) -> F {
    assert_eq!(size_of::<F>(), size_of::<*const c_void>());
    // SAFETY: the caller names a function that the table has.
    unsafe { std::mem::transmute_copy(&*(*object).add(at)) }
}

/// Ends the use of an object.
///
/// # Safety
/// The object is not used again.
unsafe fn release(object: Object) {
    if !object.is_null() {
        // SAFETY: every object has this function.
        unsafe { function::<unsafe extern "C" fn(Object) -> u32>(object, RELEASE)(object) };
    }
}

/// The bytes of an output; none if there is no such output.
///
/// # Safety
/// The object is a result of the compiler.
unsafe fn output(result: Object, kind: u32) -> Vec<u8> {
    type GetOutput = unsafe extern "C" fn(Object, u32, *const Guid, *mut Object, *mut Object) -> i32;
    // SAFETY: the signatures are those of `dxcapi.h`; the bytes are copied before the blob is released.
    unsafe {
        let mut blob: Object = null_mut();
        let get: GetOutput = function(result, GET_OUTPUT);
        if get(result, kind, &BLOB, &mut blob, null_mut()) < 0 || blob.is_null() {
            return Vec::new();
        }
        let start = function::<unsafe extern "C" fn(Object) -> *const u8>(blob, BUFFER_START)(blob);
        let bytes = function::<unsafe extern "C" fn(Object) -> usize>(blob, BUFFER_BYTES)(blob);
        let copy =
            if start.is_null() { Vec::new() } else { std::slice::from_raw_parts(start, bytes).to_vec() };
        release(blob);
        copy
    }
}

#[test]
fn a_right_shader_is_accepted_and_a_wrong_one_is_rejected_with_its_line() {
    let dxc = Dxc::new();
    if !dxc.installed {
        return;
    }
    let right = "float4 main(float4 color : COLOR0) : SV_Target0 {\n  return color * 2.0;\n}\n";
    let binary = dxc.compile(right, "ps_6_6", &[]).expect("it is accepted");
    assert_eq!(binary.get(..4), Some(&[3, 2, 35, 7][..]), "the magic number of SPIR-V");
    let messages = dxc.compile(&right.replace("color *", "colour *"), "ps_6_6", &[]).unwrap_err();
    assert!(messages.contains(":2:10: error: use of undeclared identifier 'colour'"), "{messages}");
}
