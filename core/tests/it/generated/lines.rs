//! Lines of generated functions, and the resources that operands come from and results go to.
//!
//! A compute shader has a buffer of operands and two of results, of integers and of floats. A version without compute shaders
//! has a fragment shader: a uniform buffer of operands, and two outputs of each kind.

use std::fmt::Write;
use vitrine_core::ir::{Diag, Level};
use vitrine_core::ops::{ValueType, Width};
use vitrine_core::text::parse;
use vitrine_core::validate::validate;

/// Words of each kind of result that a sample may store.
pub(super) const WORDS: usize = 8;

/// Elements of the buffer of operands.
pub(super) const OPERANDS: usize = 64;

/// The first lines of a module.
pub(super) const HEAD: &str = "module version \"1.4\"\nmodule capability \"Shader\"\nmodule addressing \"Logical\"\n\
                               module memory \"GLSL450\"\n\n";

/// The stage of a shader, and what its results go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Compute,
    Vertex,
    Fragment,
}

impl Form {
    /// The form for a language. GLSL ES 3.00 has no compute shaders.
    pub(crate) fn of(language: &str) -> Form {
        if language == "essl" { Form::Fragment } else { Form::Compute }
    }

    /// The most samples of one module.
    pub(crate) fn most_samples(self, batch: usize) -> usize {
        match self {
            Form::Compute => batch,
            Form::Vertex | Form::Fragment => 1,
        }
    }

    /// The number of the first variable after those of operands and results.
    pub(super) fn first_variable(self) -> usize {
        match self {
            Form::Compute => 3,
            Form::Vertex | Form::Fragment => 5,
        }
    }

    /// The declaration of operands alone.
    pub(super) fn operands(self) -> String {
        let (mode, step) = match self {
            Form::Compute => ("storage", 4),
            Form::Vertex | Form::Fragment => ("uniform", 16),
        };
        format!(
            "{}{mode} $operands_0: #Operands_0 {{set 0, binding 0}}\n",
            buffer("Operands_0", "u32", OPERANDS, step)
        )
    }

    /// The declarations of operands, and of the results of so many samples. Arrays without lengths would have as many elements
    /// as there are invocations, and results beyond them would not be stored.
    pub(super) fn variables(self, samples: usize) -> String {
        let (operands, results) = (self.operands(), samples * WORDS);
        match self {
            Form::Compute => format!(
                "{}{}{operands}storage $ints_1: #Ints_1 {{set 0, binding 1}}\nstorage $floats_2: #Floats_2 {{set 0, binding \
                 2}}\n",
                buffer("Ints_1", "u32", results, 4),
                buffer("Floats_2", "f32", results, 4)
            ),
            Form::Vertex | Form::Fragment => {
                let flat = if self == Form::Vertex { ", interp flat" } else { "" };
                format!(
                    "{operands}out $ints_1: u32x4 {{location 0{flat}}}\nout $more_ints_2: u32x4 {{location 1{flat}}}\nout \
                     $floats_3: f32x4 {{location 2}}\nout $more_floats_4: f32x4 {{location 3}}\n"
                )
            }
        }
    }

    /// The number of structures that these declarations have.
    pub(super) fn structures(self) -> usize {
        match self {
            Form::Compute => 3,
            Form::Vertex | Form::Fragment => 1,
        }
    }

    /// The entry point, of function 0, with further variables: `, $name_3`.
    pub(super) fn entry(self, others: &str) -> String {
        let results = match self {
            Form::Compute => ", $ints_1, $floats_2",
            Form::Vertex | Form::Fragment => ", $ints_1, $more_ints_2, $floats_3, $more_floats_4",
        };
        self.bare_entry(&format!("{results}{others}"))
    }

    /// The entry point, of function 0, with operands and these variables.
    pub(super) fn bare_entry(self, others: &str) -> String {
        let (stage, modes) = match self {
            Form::Compute => ("compute", " {local_size 1 1 1}"),
            Form::Vertex => ("vertex", ""),
            Form::Fragment => ("fragment", " {origin_upper_left}"),
        };
        format!("entry {stage} \"main\" @0 ($operands_0{others}){modes}\n\n")
    }

    /// Function 0, which calls those from 1 on.
    pub(super) fn main(self, functions: usize) -> String {
        let mut lines = Lines::new(self, 0);
        lines.clear_results();
        let calls: String = (1..=functions).map(|number| format!("  call @{number}()\n")).collect();
        format!("func @0() tree {{\n^0:\n{}{calls}  return\n}}\n\n", lines.text)
    }
}

/// The values that an operand from a buffer takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Domain {
    /// -512 to 512 in steps of 1/1024, or any integer.
    Any,
    /// Floats between 0.25 and 0.75.
    Unit,
    /// Floats between 1.25 and 1.75.
    AboveOne,
    /// Floats between 0 and this number; those of 64 bits have more digits than 32 bits can hold.
    UpTo(u32),
    /// Odd integers from 1 to 15: divisors.
    Divisor,
    /// Integers below this number.
    Below(u32),
}

/// The structure of a buffer of numbers.
fn buffer(name: &str, ty: &str, count: usize, step: u32) -> String {
    format!("struct #{name} {{block}} {{\n  data: [{ty} * {count} step {step}] {{offset 0}}\n}}\n\n")
}

/// Returns true if a text is a module without errors.
pub(super) fn is_valid(text: &str) -> bool {
    let parsed = parse(text);
    let is_error = |diag: &Diag| diag.level == Level::Error;
    !parsed.diags.iter().any(is_error) && !validate(&parsed.module).iter().any(is_error)
}

/// Lines of a function with numbered values.
pub(super) struct Lines {
    pub(super) text: String,
    pub(super) next: usize,
    /// The next element of the buffer of operands.
    pub(super) element: usize,
    form: Form,
}

impl Lines {
    /// No lines yet. The first operand is that element of the buffer.
    pub(super) fn new(form: Form, element: usize) -> Lines {
        Lines { text: String::new(), next: 0, element: element % OPERANDS, form }
    }

    pub(super) fn inst(&mut self, ty: &str, inst: &str) -> usize {
        let _ = writeln!(self.text, "  %{}: {ty} = {inst}", self.next);
        self.next += 1;
        self.next - 1
    }

    pub(super) fn store(&mut self, path: usize, value: usize) {
        let _ = writeln!(self.text, "  store %{path}, %{value}");
    }

    pub(super) fn element(&mut self, var: usize, index: usize) -> usize {
        let var = self.inst("path", &format!("deref.var ${var}"));
        let data = self.inst("path", &format!("deref.field %{var}.0"));
        let index = self.inst("b32", &format!("const {index}"));
        self.inst("path", &format!("deref.elem %{data}, %{index}"))
    }

    /// The path of a word of the results, of variable 1 for integers and 2 for floats.
    fn place(&mut self, var: usize, word: usize) -> usize {
        match self.form {
            Form::Compute => self.element(var, word),
            Form::Vertex | Form::Fragment => {
                let var = self.inst("path", &format!("deref.var ${}", 2 * var - 1 + word / 4));
                let component = self.inst("b32", &format!("const {}", word % 4));
                self.inst("path", &format!("deref.elem %{var}, %{component}"))
            }
        }
    }

    pub(super) fn load(&mut self) -> usize {
        let at = self.element(0, self.element);
        self.element = (self.element + 1) % OPERANDS;
        self.inst("b32", &format!("load %{at}"))
    }

    fn float_const(&mut self, value: f32) -> usize {
        self.inst("b32", &format!("const {:#x}", value.to_bits()))
    }

    fn float(&mut self, domain: Domain) -> usize {
        let word = self.load();
        let count = self.inst("b32", "const 12");
        let short = self.inst("b32", &format!("ishr %{word}, %{count}"));
        let whole = self.inst("b32", &format!("i2f %{short}"));
        let step = self.float_const(1.0 / 1024.0);
        let any = self.inst("b32", &format!("fmul %{whole}, %{step}"));
        let (scale, offset) = match domain {
            Domain::Any | Domain::Divisor | Domain::Below(_) => return any,
            Domain::Unit => (0.5, 0.25),
            Domain::AboveOne => (0.5, 1.25),
            Domain::UpTo(end) => (end as f32, 0.0),
        };
        let fract = self.inst("b32", &format!("ffract %{any}"));
        let (scale, offset) = (self.float_const(scale), self.float_const(offset));
        let scaled = self.inst("b32", &format!("fmul %{fract}, %{scale}"));
        self.inst("b32", &format!("fadd %{scaled}, %{offset}"))
    }

    /// One component of a loaded operand.
    pub(super) fn component(&mut self, width: Width, is_float: bool, domain: Domain) -> usize {
        if is_float {
            let float = self.float(domain);
            return match width {
                Width::W32 => float,
                Width::W64 if matches!(domain, Domain::UpTo(_)) => {
                    let wide = self.inst("b64", &format!("f2f %{float}"));
                    let rest = self.inst("b64", &format!("const {:#x}", 33.75f64.to_bits()));
                    self.inst("b64", &format!("fadd %{wide}, %{rest}"))
                }
                other => self.inst(&format!("b{}", other.bits()), &format!("f2f %{float}")),
            };
        }
        let mut word = self.load();
        if let Domain::Divisor | Domain::Below(_) = domain {
            let most = self.inst("b32", "const 15");
            word = self.inst("b32", &format!("iand %{word}, %{most}"));
        }
        match domain {
            Domain::Divisor => {
                let one = self.inst("b32", "const 1");
                word = self.inst("b32", &format!("ior %{word}, %{one}"));
            }
            Domain::Below(end) => {
                let end = self.inst("b32", &format!("const {end}"));
                word = self.inst("b32", &format!("umod %{word}, %{end}"));
            }
            Domain::Any | Domain::Unit | Domain::AboveOne | Domain::UpTo(_) => {}
        }
        match width {
            Width::W1 => {
                let zero = self.inst("b32", "const 0");
                self.inst("b1", &format!("ilt %{word}, %{zero}"))
            }
            Width::W8 | Width::W16 => self.inst(&format!("b{}", width.bits()), &format!("u2u %{word}")),
            Width::W32 => word,
            Width::W64 if domain == Domain::Any => {
                let high = self.load();
                let pair = self.inst("b32x2", &format!("vec %{word}, %{high}"));
                self.inst("b64", &format!("pack_64_2x32 %{pair}"))
            }
            Width::W64 => self.inst("b64", &format!("u2u %{word}")),
        }
    }

    /// Stores a result of this type, from that word on; floats that differ by rounding are the same.
    pub(super) fn result(&mut self, ty: ValueType, value: usize, is_float: bool, first: usize) {
        let ValueType::Bits { width, components } = ty else { return };
        let var = if is_float { 2 } else { 1 };
        let mut next = first;
        for component in 0..components {
            let narrow = format!("b{}", width.bits());
            let one = match components {
                1 => value,
                _ => self.inst(&narrow, &format!("swizzle %{value}.{}", &"xyzw"[component as usize..][..1])),
            };
            let words = match (width, is_float) {
                (Width::W32, _) => vec![one],
                (_, true) => vec![self.inst("b32", &format!("f2f %{one}"))],
                (Width::W1, false) => vec![self.inst("b32", &format!("b2i %{one}"))],
                (Width::W8 | Width::W16, false) => vec![self.inst("b32", &format!("u2u %{one}"))],
                (Width::W64, false) => {
                    let pair = self.inst("b32x2", &format!("unpack_64_2x32 %{one}"));
                    ["x", "y"].map(|word| self.inst("b32", &format!("swizzle %{pair}.{word}"))).to_vec()
                }
            };
            for word in words {
                let path = self.place(var, next);
                self.store(path, word);
                next += 1;
            }
        }
    }

    /// Stores zeros to all results of a fragment shader, of which samples store a part.
    pub(super) fn clear_results(&mut self) {
        if self.form == Form::Compute {
            return;
        }
        let zero = self.inst("b32x4", "const (0, 0, 0, 0)");
        for var in 1..=4 {
            let path = self.inst("path", &format!("deref.var ${var}"));
            self.store(path, zero);
        }
    }
}
