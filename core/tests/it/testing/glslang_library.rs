//! glslang as a library, if it is installed: a process of glslangValidator takes a tenth of a second to read the functions of
//! the language before it compiles anything.
//!
//! `cargo xtask test` links the library from the package `glslang-dev` into the target folder; `VITRINE_GLSLANG` names another one,
//! and one that does not exist leaves the texts to glslangValidator. Its interface is that of `glslang_c_interface.h`.

use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null;
use std::sync::OnceLock;

/// The stack of a compilation, which recurs over the depth of its text: that of a process is 8 MB.
const STACK_BYTES: usize = 64 << 20;

/// What a text is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// SPIR-V 1.6 for Vulkan 1.3.
    Vulkan,
    /// None: the text is checked by the rules of OpenGL ES.
    OpenGlEs,
}

type Object = *mut c_void;

/// `glslang_input_t`. Newer versions have callbacks for included files at its end.
#[repr(C)]
struct Input {
    language: c_int,
    stage: c_int,
    client: c_int,
    client_version: c_int,
    target_language: c_int,
    target_language_version: c_int,
    code: *const c_char,
    default_version: c_int,
    default_profile: c_int,
    force_default_version_and_profile: c_int,
    forward_compatible: c_int,
    messages: c_int,
    resource: *const c_void,
    callbacks: [*const c_void; 4],
}

/// Values of the enums of `glslang_c_shader_types.h`.
const LANGUAGE_GLSL: c_int = 1;
const CLIENT_VULKAN: c_int = 1;
const VULKAN_1_3: c_int = 1 << 22 | 3 << 12;
const TARGET_SPIRV: c_int = 1;
const SPIRV_1_6: c_int = 1 << 16 | 6 << 8;
const NO_PROFILE: c_int = 1;
const RULES_OF_SPIRV: c_int = 1 << 3;
const RULES_OF_VULKAN: c_int = 1 << 4;
/// The version of a text that names none, as glslangValidator has it.
const DEFAULT_VERSION: c_int = 100;

/// The functions of the library.
struct Functions {
    default_resource: unsafe extern "C" fn() -> *const c_void,
    shader_create: unsafe extern "C" fn(*const Input) -> Object,
    shader_delete: unsafe extern "C" fn(Object),
    shader_preprocess: unsafe extern "C" fn(Object, *const Input) -> c_int,
    shader_parse: unsafe extern "C" fn(Object, *const Input) -> c_int,
    shader_log: unsafe extern "C" fn(Object) -> *const c_char,
    program_create: unsafe extern "C" fn() -> Object,
    program_delete: unsafe extern "C" fn(Object),
    program_add_shader: unsafe extern "C" fn(Object, Object),
    program_link: unsafe extern "C" fn(Object, c_int) -> c_int,
    program_map_io: unsafe extern "C" fn(Object) -> c_int,
    program_log: unsafe extern "C" fn(Object) -> *const c_char,
    generate: unsafe extern "C" fn(Object, c_int),
    words: unsafe extern "C" fn(Object) -> usize,
    get: unsafe extern "C" fn(Object, *mut u32),
}

/// The file of the library.
fn place() -> PathBuf {
    // The tests are in target/debug/deps.
    let own = || {
        let tests = std::env::current_exe().unwrap_or_default();
        tests.ancestors().nth(3).unwrap_or(Path::new("")).join("judges/libglslang.so")
    };
    std::env::var_os("VITRINE_GLSLANG").map_or_else(own, PathBuf::from)
}

/// The number of a stage in `glslang_stage_t`.
fn number_of(stage: &str) -> c_int {
    let stages = ["vert", "tesc", "tese", "geom", "frag", "comp"];
    let more = ["rgen", "rint", "rahit", "rchit", "rmiss", "rcall", "task", "mesh"];
    let at = stages.iter().chain(&more).position(|name| *name == stage);
    at.unwrap_or_else(|| panic!("there is no stage `{stage}`")) as c_int
}

/// The functions of the library. `None` without it.
fn functions() -> Option<&'static Functions> {
    static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| load(&place())).as_ref()
}

fn load(file: &Path) -> Option<Functions> {
    if !file.is_file() {
        return None;
    }
    // SAFETY: the library runs no code when it is loaded but that of its own globals; the signatures are those of
    // `glslang_c_interface.h`. It stays loaded as long as the process runs.
    unsafe {
        let library = Library::new(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let library: &'static Library = Box::leak(Box::new(library));
        macro_rules! function {
            ($name:literal) => {
                *library
                    .get(concat!("glslang_", $name, "\0").as_bytes())
                    .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
            };
        }
        let initialize: unsafe extern "C" fn() -> c_int = function!("initialize_process");
        assert!(initialize() != 0, "glslang does not start");
        Some(Functions {
            default_resource: function!("default_resource"),
            shader_create: function!("shader_create"),
            shader_delete: function!("shader_delete"),
            shader_preprocess: function!("shader_preprocess"),
            shader_parse: function!("shader_parse"),
            shader_log: function!("shader_get_info_log"),
            program_create: function!("program_create"),
            program_delete: function!("program_delete"),
            program_add_shader: function!("program_add_shader"),
            program_link: function!("program_link"),
            program_map_io: function!("program_map_io"),
            program_log: function!("program_get_info_log"),
            generate: function!("program_SPIRV_generate"),
            words: function!("program_SPIRV_get_size"),
            get: function!("program_SPIRV_get"),
        })
    }
}

/// Compiles a text: the bytes of the SPIR-V, none for OpenGL ES. `None` without the library, and for a text that it cannot
/// read: its interface takes only texts that it has printed after its preprocessor, without the escapes in strings. Error: the
/// messages of the compiler.
pub(super) fn compile(text: &str, stage: &str, target: Target) -> Option<Result<Vec<u8>, String>> {
    let functions = functions().filter(|_| !text.contains('\\'))?;
    let code = CString::new(text).expect("a text has no zeros");
    let stage = number_of(stage);
    let compiled = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, || functions.compile(&code, stage, target));
        thread.expect("a thread starts").join().expect("the compiler returns")
    });
    Some(compiled)
}

impl Functions {
    fn compile(&self, code: &CStr, stage: c_int, target: Target) -> Result<Vec<u8>, String> {
        let is_vulkan = target == Target::Vulkan;
        let only = |value: c_int| if is_vulkan { value } else { 0 };
        let messages = only(RULES_OF_SPIRV | RULES_OF_VULKAN);
        // SAFETY: all pointers live until the objects are deleted, each a single time, programs before their shaders.
        unsafe {
            let input = Input {
                language: LANGUAGE_GLSL,
                stage,
                client: only(CLIENT_VULKAN),
                client_version: only(VULKAN_1_3),
                target_language: only(TARGET_SPIRV),
                target_language_version: only(SPIRV_1_6),
                code: code.as_ptr(),
                default_version: DEFAULT_VERSION,
                default_profile: NO_PROFILE,
                force_default_version_and_profile: 0,
                forward_compatible: 0,
                messages,
                resource: (self.default_resource)(),
                callbacks: [null(); 4],
            };
            let shader = (self.shader_create)(&input);
            let is_read =
                (self.shader_preprocess)(shader, &input) != 0 && (self.shader_parse)(shader, &input) != 0;
            let result = match (is_read, target) {
                (false, _) => Err(text_of((self.shader_log)(shader))),
                (true, Target::OpenGlEs) => Ok(Vec::new()),
                (true, Target::Vulkan) => self.generated(shader, stage, messages),
            };
            (self.shader_delete)(shader);
            result
        }
    }

    /// The SPIR-V of a shader that was read.
    ///
    /// # Safety
    /// The shader is one that was created and is not deleted.
    unsafe fn generated(&self, shader: Object, stage: c_int, messages: c_int) -> Result<Vec<u8>, String> {
        // SAFETY: the program is deleted after its words are copied, into as many as it has.
        unsafe {
            let program = (self.program_create)();
            (self.program_add_shader)(program, shader);
            let is_linked =
                (self.program_link)(program, messages) != 0 && (self.program_map_io)(program) != 0;
            let result = if is_linked {
                (self.generate)(program, stage);
                let mut words = vec![0; (self.words)(program)];
                (self.get)(program, words.as_mut_ptr());
                Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
            } else {
                Err(text_of((self.program_log)(program)))
            };
            (self.program_delete)(program);
            result
        }
    }
}

/// # Safety
/// The pointer is null, or leads to a text that ends with zero.
unsafe fn text_of(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: see above.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().trim().to_owned()
}
