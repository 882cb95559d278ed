//! GLSL of sums that are products of matrices and vectors, and of sums that are not.

use vitrine_core::back::{Source, Written, all_funcs, named};
use vitrine_core::pipeline::write;
use vitrine_core::text::parse;

/// Two matrices of two columns, `$m_2.a` and `$m_2.b`, a local one and the vector `%v`; the value `%result` is stored.
fn body_of(lines: &str) -> Vec<String> {
    let ir = format!(
        "module capability \"Shader\"\nmodule memory \"GLSL450\"\n\nstruct #Matrices_0 {{block}} {{\n  \
         a: mat<f32x2 * 2 step 16> {{offset 0}}\n  b: mat<f32x2 * 2 step 16> {{offset 32}}\n  \
         c: mat<f32x3 * 3 step 16> {{offset 64}}\n}}\n\nin $v_0: f32x2 {{location 0}}\nout $o_1: f32x2 {{location 0}}\n\
         uniform $m_2: #Matrices_0 {{set 0, binding 0}}\n\nentry vertex \"main\" @main_0 ($v_0, $o_1)\n\n\
         func @main_0() tree {{\n  local $own_3: mat<f32x2 * 2>\n^0:\n  %vector: path = deref.var $v_0\n  %v: b32x2 = load %vector\n  \
         %m: path = deref.var $m_2\n  %zero: b32 = const 0\n  %one: b32 = const 1\n  %own: path = deref.var $own_3\n\
         {lines}  %o: path = deref.var $o_1\n  store %o, %result\n  return\n}}\n"
    );
    let ir = numbered(&ir);
    let parsed = parse(&ir);
    assert!(parsed.diags.is_empty(), "{:?}\n{ir}", parsed.diags);
    let backend = named("glsl").expect("the back end exists");
    let funcs = all_funcs(&parsed.module);
    let text = write(&Source::new(&parsed.module, &funcs), backend, false).map(Written::into_text);
    let text = text.unwrap_or_else(|diags| panic!("{diags:?}"));
    let (_, body) = text.split_once("void main() {\n").expect("an entry point");
    body.lines().map(|line| line.trim().to_owned()).filter(|line| line != "}").collect()
}

/// The text with a number for each word after `%`.
fn numbered(text: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let number = names.iter().position(|&known| known == name).unwrap_or(names.len());
        if number == names.len() {
            names.push(name);
        }
        out += &format!("%{number}{rest}");
    }
    out
}

/// The columns of a matrix, `%{name}0` and `%{name}1`, at a path.
fn columns(name: &str, path: &str) -> String {
    format!(
        "  %p{name}0: path = deref.elem {path}, %zero\n  %p{name}1: path = deref.elem {path}, %one\n  \
         %{name}0: b32x2 = load %p{name}0\n  %{name}1: b32x2 = load %p{name}1\n"
    )
}

/// `%{to}` is the sum of two columns times the components of a vector.
fn sum(to: &str, [first, second]: [&str; 2], vector: &str) -> String {
    format!(
        "  %{to}x: b32 = swizzle {vector}.x\n  %{to}y: b32 = swizzle {vector}.y\n  %{to}xx: b32x2 = splat %{to}x\n  \
         %{to}yy: b32x2 = splat %{to}y\n  %{to}m: b32x2 = fmul {first}, %{to}xx\n  \
         %{to}n: b32x2 = fmul {second}, %{to}yy\n  %{to}: b32x2 = fadd %{to}m, %{to}n\n"
    )
}

fn a() -> String {
    format!("  %a: path = deref.field %m.0\n{}", columns("a", "%a"))
}

fn b() -> String {
    format!("  %b: path = deref.field %m.1\n{}", columns("b", "%b"))
}

#[test]
fn a_matrix_times_a_vector() {
    let text = body_of(&format!("{}{}", a(), sum("result", ["%a0", "%a1"], "%v")));
    assert_eq!(text, ["o = m.a * v;"]);
}

#[test]
fn products_of_matrices_are_nested() {
    let columns =
        format!("{}{}{}{}", a(), b(), sum("s", ["%a0", "%a1"], "%b0"), sum("t", ["%a0", "%a1"], "%b1"));
    let text = body_of(&format!("{columns}{}", sum("result", ["%s", "%t"], "%v")));
    assert_eq!(text, ["o = m.a * m.b * v;"]);
    let inner = sum("w", ["%b0", "%b1"], "%v");
    let text = body_of(&format!("{}{}{inner}{}", a(), b(), sum("result", ["%a0", "%a1"], "%w")));
    assert_eq!(text, ["o = m.a * (m.b * v);"]);
}

#[test]
fn the_first_rows_and_columns_of_a_larger_matrix() {
    let lines = "  %c: path = deref.field %m.2\n  %pc0: path = deref.elem %c, %zero\n  %pc1: path = deref.elem %c, %one\n  \
        %l0: b32x3 = load %pc0\n  %l1: b32x3 = load %pc1\n  %c0: b32x2 = swizzle %l0.xy\n  %c1: b32x2 = swizzle %l1.xy\n";
    let text = body_of(&format!("{lines}{}", sum("result", ["%c0", "%c1"], "%v")));
    assert_eq!(text, ["o = mat2(m.c) * v;"]);
}

#[test]
fn a_vector_times_a_matrix() {
    let dots = "  %x: b32 = fdot %v, %a0\n  %y: b32 = fdot %v, %a1\n  %result: b32x2 = vec %x, %y\n";
    assert_eq!(body_of(&format!("{}{dots}", a())), ["o = v * m.a;"]);
}

#[test]
fn other_sums_stay_sums() {
    let is_product = |lines: &str| body_of(lines).join(" ").contains("m.a * ");
    // The columns in another order; of two matrices; a component twice.
    assert!(!is_product(&format!("{}{}", a(), sum("result", ["%a1", "%a0"], "%v"))));
    assert!(!is_product(&format!("{}{}{}", a(), b(), sum("result", ["%a0", "%b1"], "%v"))));
    let twice = sum("result", ["%a0", "%a1"], "%v").replace("swizzle %v.y", "swizzle %v.x");
    assert!(!is_product(&format!("{}{twice}", a())));
    // A sum that must be exact.
    let exact = sum("result", ["%a0", "%a1"], "%v").replace("= fadd ", "= fadd exact ");
    assert!(!is_product(&format!("{}{exact}", a())));
}

#[test]
fn a_local_matrix_must_hold_what_was_loaded() {
    let stores = "  %p0: path = deref.elem %own, %zero\n  %p1: path = deref.elem %own, %one\n  store %p0, %v\n  store %p1, %v\n";
    let loads = columns("q", "%own");
    let product = sum("result", ["%q0", "%q1"], "%v");
    let text = body_of(&format!("{stores}{loads}{product}"));
    assert_eq!(text.last().map(String::as_str), Some("o = own * v;"), "{text:?}");
    let text = body_of(&format!("{stores}{loads}  store %p0, %q1\n{product}"));
    assert!(!text.last().is_some_and(|line| line.contains("own * v")), "{text:?}");
}
