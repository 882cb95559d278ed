//! The resources of a module as a table: set, binding, kind, type and access, the place in each language, and the layouts of
//! buffers.
//!
//! The table is of the module as it is. Writing a language first runs the preset of its back end, which may split images from
//! their samplers; the table counts such halves, too.

use super::text::resources;
use super::{Backend, Output, Source};
use crate::analysis::{BufferLayout, LayoutTarget, buffer_layouts};
use crate::ir::{Anchor, Diag, Module, Struct, Type, TypeData, Var};
use crate::text::{Class, Link, Options, Plain, Printer, Sink};

pub(super) struct Bindings;

impl Backend for Bindings {
    fn name(&self) -> &'static str {
        "bindings"
    }

    fn doc(&self) -> &'static str {
        "The resources of the module, their places in each language, and the layouts of buffers."
    }

    fn label(&self) -> &'static str {
        "Table of bindings"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["bindings"]
    }

    fn media(&self) -> &'static str {
        "text/plain"
    }

    fn language(&self) -> Option<&'static str> {
        Some("Bindings")
    }

    fn write(&self, source: &Source<'_>, out: &mut Output<'_>) -> Result<(), Vec<Diag>> {
        let module = source.module;
        let all = resources(module);
        note(out, &format!("// {} {}", all.len(), if all.len() == 1 { "resource" } else { "resources" }));
        let rows = all.iter().map(|resource| {
            let [set, binding] = match resource.place {
                Some(place) => place.map(|number| number.to_string()),
                None => [String::new(), String::new()],
            };
            let kind = resource.kind.name().to_owned();
            let ty = module.var(resource.var).map(|data| type_text(module, data.ty)).unwrap_or_default();
            (resource.var, vec![set, binding, kind, resource.access.to_owned(), ty])
        });
        table(module, out, &["name", "set", "binding", "kind", "access", "type"], rows.collect());
        let languages: Vec<&str> =
            ["name"].into_iter().chain(LayoutTarget::ALL.map(LayoutTarget::label)).collect();
        out.open_line(0);
        out.close_line();
        note(out, "// Places in each language; `remap-bindings` and `assign-slots` choose others");
        table(
            module,
            out,
            &languages,
            all.iter().map(|resource| (resource.var, resource.in_targets.to_vec())).collect(),
        );
        layouts(module, out, &languages);
        Ok(())
    }
}

/// The layouts of the buffers in each language: the verdict for each, and for each member that is not plain everywhere.
fn layouts(module: &Module, out: &mut Output<'_>, languages: &[&str]) {
    let by_target = LayoutTarget::ALL.map(|target| buffer_layouts(module, target));
    let mut vars: Vec<Var> = by_target.iter().flatten().map(|layout| layout.var).collect();
    vars.sort_unstable();
    vars.dedup();
    if vars.is_empty() {
        return;
    }
    out.open_line(0);
    out.close_line();
    note(out, "// Layouts: plain by the rules of the language, padded, or accessed as bytes");
    let of = |target: &[BufferLayout], var: Var| target.iter().find(|layout| layout.var == var).cloned();
    let verdict = |target: &Vec<BufferLayout>, var: Var| match of(target, var) {
        Some(layout) => format!("{} {}", layout.packing.name(), layout.verdict.name()),
        None => "–".to_owned(),
    };
    let rows = vars.iter().map(|&var| (var, by_target.iter().map(|target| verdict(target, var)).collect()));
    table(module, out, languages, rows.collect());
    for &var in &vars {
        members(module, out, languages, &by_target.each_ref().map(|target| of(target, var)));
    }
}

/// The members of a buffer: declared offsets, and the offsets that the rules of each language give.
fn members(module: &Module, out: &mut Output<'_>, languages: &[&str], layouts: &[Option<BufferLayout>]) {
    let Some(any) = layouts.iter().flatten().next() else { return };
    let (var, Some(block)) = (any.var, block_of(module, any.var)) else { return };
    out.open_line(0);
    out.close_line();
    note(out, &format!("// Members of {}: declared offsets, and offsets by the rules", module.name_of(var)));
    let mut head = vec!["member", "offset"];
    head.extend(languages.iter().skip(1));
    let count = module.structure(block).map_or(0, |data| data.members.len());
    let mut rows = Vec::new();
    let offset = |member: usize| any.members.iter().find(|it| it.member == member).map_or(0, |it| it.offset);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&member| (offset(member), member));
    for member in order {
        let data = module.structure(block).and_then(|data| data.members.get(member));
        let name = data.and_then(|data| data.name).map(|name| module.text_of(name).to_owned());
        let mut cells = vec![name.unwrap_or_else(|| format!("member {member}")), offset(member).to_string()];
        cells.extend(layouts.iter().map(|layout| {
            let Some(layout) = layout else { return "–".to_owned() };
            match layout.members.iter().find(|it| it.member == member) {
                Some(it) => match it.natural {
                    Some(natural) => format!("{natural} {}", it.verdict.name()),
                    None => it.verdict.name().to_owned(),
                },
                None => "–".to_owned(),
            }
        }));
        rows.push((Link::Use(Anchor::Member(block, member as u32)), cells));
    }
    cells(out, &head, rows);
}

/// The block of a buffer.
fn block_of(module: &Module, var: Var) -> Option<Struct> {
    let mut ty = module.var(var)?.ty;
    while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(ty) {
        ty = of;
    }
    match *module.type_of(ty) {
        TypeData::Struct(structure) => Some(structure),
        _ => None,
    }
}

/// The name of a variable, as the IR spells it if it has none.
fn type_text(module: &Module, ty: Type) -> String {
    let mut text = Plain::new();
    text.open_line(0);
    Printer::to_any(module, Options::default(), &mut text).full_type(ty);
    text.close_line();
    text.finish().trim().to_owned()
}

/// A table with a row for each variable.
fn table(module: &Module, out: &mut Output<'_>, head: &[&str], rows: Vec<(Var, Vec<String>)>) {
    let named = rows.into_iter().map(|(var, row)| {
        let mut all = vec![module.name_of(var)];
        all.extend(row);
        (Link::Use(Anchor::Var(var)), all)
    });
    cells(out, head, named.collect());
}

/// Rows in columns that are as wide as their widest cell; the first cell of a row is linked.
fn cells(out: &mut Output<'_>, head: &[&str], rows: Vec<(Link, Vec<String>)>) {
    let width = |at: usize| {
        let cells = rows.iter().filter_map(|(_, row)| row.get(at)).map(|cell| cell.chars().count());
        cells.chain(head.get(at).map(|cell| cell.chars().count())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut line = |link: Link, class: Class, row: &[String]| {
        out.open_line(0);
        for (at, cell) in row.iter().enumerate() {
            let (class, link) = if at == 0 { (class, link) } else { (Class::Plain, Link::None) };
            let last = at + 1 == row.len();
            let gap = widths.get(at).map_or(0, |width| width + 2 - cell.chars().count().min(*width));
            out.put(class, cell, link);
            if !last {
                out.put(Class::Plain, &" ".repeat(gap), Link::None);
            }
        }
        out.close_line();
    };
    let titles: Vec<String> = head.iter().map(|&cell| cell.to_owned()).collect();
    line(Link::None, Class::Plain, &titles);
    for (link, row) in &rows {
        line(*link, Class::Name, row);
    }
}

fn note(out: &mut Output<'_>, text: &str) {
    out.open_line(0);
    out.put(Class::Note, text, Link::None);
    out.close_line();
}
