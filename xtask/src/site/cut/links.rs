//! What the linker knew: which function and which piece of data refers to which others.
//!
//! Read from the relocations that `wasm-ld --emit-relocs` leaves in the linked module, and from its table of symbols;
//! see "Linking" and "Relocation sections" in WebAssembly's tool conventions. So nothing is guessed from constants that
//! look like addresses. Functions are known by their names, because `wasm-bindgen` numbers them anew.
//! Limits: only what a linked module for a 32-bit memory can hold; anything else is refused.

use std::collections::BTreeMap;
use std::ops::Range;

use wasmparser::{
    BinaryReader, DataKind, Linking, LinkingSectionReader, Operator, Parser, Payload, RelocSectionReader,
    RelocationType, SymbolInfo, TypeRef,
};

/// An error, in words.
pub type Fault = Box<dyn std::error::Error>;

/// A function, by its place in [`Links::functions`].
pub type FunctionAt = usize;
/// A piece of data, by its place in [`Links::data`].
pub type DatumAt = usize;

/// What something refers to.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Uses {
    /// Functions that are called, or whose address is taken.
    pub functions: Vec<FunctionAt>,
    /// Data whose address is taken.
    pub data: Vec<DatumAt>,
}

/// Functions and data of a linked module.
#[derive(Debug, Default)]
pub struct Links {
    /// Names, imported functions first, as in the index space.
    pub functions: Vec<String>,
    /// What each function refers to.
    pub function_uses: Vec<Uses>,
    /// Addresses, in their order; none overlaps another.
    pub data: Vec<Range<u32>>,
    /// What each piece of data refers to.
    pub data_uses: Vec<Uses>,
}

/// A relocation: where in its section, and what it refers to.
struct Place {
    offset: usize,
    ty: RelocationType,
    symbol: usize,
}

/// A symbol that matters here.
enum Symbol {
    Function(FunctionAt),
    /// Segment, offset in it, length in bytes.
    Datum(u32, u32, u32),
    /// A global, a table, a section, or what the linker itself defines.
    Other,
}

/// A segment of data: its address, its bytes by their offset in the section.
struct Segment {
    address: u32,
    bytes: Range<usize>,
}

/// Sections as far as they are read.
#[derive(Default)]
struct Sections {
    imported: usize,
    bodies: Vec<Range<usize>>,
    segments: Vec<Segment>,
    names: BTreeMap<usize, String>,
    symbols: Vec<Symbol>,
    relocations: Vec<(usize, Vec<Place>)>,
    /// Sections by their number: id, where the content begins.
    starts: Vec<(u8, usize)>,
}

const CODE: u8 = 10;
const DATA: u8 = 11;

impl Links {
    /// Reads a module that was linked with `--emit-relocs`.
    pub fn read(wasm: &[u8]) -> Result<Links, Fault> {
        let sections = Sections::read(wasm)?;
        let mut links = Links::default();
        let count = sections.imported + sections.bodies.len();
        links.functions = (0..count).map(|at| sections.names.get(&at).cloned().unwrap_or_default()).collect();
        links.function_uses = vec![Uses::default(); count];
        links.data = sections.data()?;
        links.data_uses = vec![Uses::default(); links.data.len()];
        for (section, places) in &sections.relocations {
            let Some(&(id, start)) = sections.starts.get(*section) else {
                return Err("relocations of a section that is not there".into());
            };
            for place in places {
                let target = sections.target(&links.data, place)?;
                let uses = match id {
                    CODE => {
                        sections.body(start + place.offset).and_then(|at| links.function_uses.get_mut(at))
                    }
                    DATA => {
                        let at = sections.address(start + place.offset);
                        at.and_then(|at| holding(&links.data, at)).and_then(|at| links.data_uses.get_mut(at))
                    }
                    _ => continue,
                };
                let Some(uses) = uses else {
                    return Err(format!("nothing stands where section {section} refers to something").into());
                };
                match target {
                    Target::Function(at) => uses.functions.push(at),
                    Target::Datum(at) => uses.data.push(at),
                    Target::Nothing => {}
                }
            }
        }
        for uses in links.function_uses.iter_mut().chain(&mut links.data_uses) {
            uses.functions.sort_unstable();
            uses.functions.dedup();
            uses.data.sort_unstable();
            uses.data.dedup();
        }
        Ok(links)
    }
}

/// What a relocation refers to, as far as it can be moved to another module.
enum Target {
    Function(FunctionAt),
    Datum(DatumAt),
    Nothing,
}

impl Sections {
    fn read(wasm: &[u8]) -> Result<Sections, Fault> {
        let mut sections = Sections::default();
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload?;
            if let Some((id, range)) = payload.as_section() {
                sections.starts.push((id, range.start));
            }
            match payload {
                Payload::ImportSection(reader) => {
                    for import in reader.into_imports() {
                        sections.imported += usize::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::CodeSectionEntry(body) => sections.bodies.push(body.range()),
                Payload::DataSection(reader) => {
                    for segment in reader {
                        sections.segments.push(Segment::of(&segment?)?);
                    }
                }
                Payload::CustomSection(custom) => {
                    let reader = BinaryReader::new(custom.data(), custom.data_offset());
                    sections.custom(custom.name(), reader)?;
                }
                _ => {}
            }
        }
        match sections.relocations.is_empty() {
            true => Err("the module holds no relocations: it was linked without --emit-relocs".into()),
            false => Ok(sections),
        }
    }

    fn custom(&mut self, name: &str, reader: BinaryReader<'_>) -> Result<(), Fault> {
        match name {
            "name" => {
                for part in wasmparser::NameSectionReader::new(reader) {
                    let wasmparser::Name::Function(names) = part? else { continue };
                    for naming in names {
                        let naming = naming?;
                        self.names.insert(naming.index as usize, naming.name.to_owned());
                    }
                }
            }
            "linking" => {
                for part in LinkingSectionReader::new(reader)?.subsections() {
                    let Linking::SymbolTable(symbols) = part? else { continue };
                    for symbol in symbols {
                        self.symbols.push(Symbol::of(&symbol?));
                    }
                }
            }
            "reloc.CODE" | "reloc.DATA" => {
                let reader = RelocSectionReader::new(reader)?;
                let mut places = Vec::new();
                for entry in reader.entries() {
                    let entry = entry?;
                    places.push(Place {
                        offset: entry.offset as usize,
                        ty: entry.ty,
                        symbol: entry.index as usize,
                    });
                }
                self.relocations.push((reader.section_index() as usize, places));
            }
            _ => {}
        }
        Ok(())
    }

    /// Addresses of all data symbols; those that begin at one place are one.
    fn data(&self) -> Result<Vec<Range<u32>>, Fault> {
        let mut data: Vec<Range<u32>> = Vec::new();
        for symbol in &self.symbols {
            let Symbol::Datum(segment, offset, length) = symbol else { continue };
            let segment =
                self.segments.get(*segment as usize).ok_or("data in a segment that is not there")?;
            let start = segment.address + offset;
            data.push(start..start + (*length).max(1));
        }
        data.sort_by_key(|range| (range.start, range.end));
        let mut joined: Vec<Range<u32>> = Vec::new();
        for range in data {
            match joined.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        Ok(joined)
    }

    /// The function whose body holds this byte of the file.
    fn body(&self, byte: usize) -> Option<FunctionAt> {
        let after = self.bodies.partition_point(|body| body.start <= byte);
        let at = after.checked_sub(1)?;
        self.bodies.get(at)?.contains(&byte).then_some(self.imported + at)
    }

    /// The address to which this byte of the file goes.
    fn address(&self, byte: usize) -> Option<u32> {
        let segment = self.segments.iter().find(|segment| segment.bytes.contains(&byte))?;
        Some(segment.address + u32::try_from(byte - segment.bytes.start).ok()?)
    }

    fn target(&self, data: &[Range<u32>], place: &Place) -> Result<Target, Fault> {
        use RelocationType as R;
        match place.ty {
            R::TypeIndexLeb | R::GlobalIndexLeb | R::TableNumberLeb => return Ok(Target::Nothing),
            R::FunctionIndexLeb | R::TableIndexSleb | R::TableIndexI32 => {}
            R::MemoryAddrLeb | R::MemoryAddrSleb | R::MemoryAddrI32 => {}
            ty => return Err(format!("a relocation of the kind {ty:?}").into()),
        }
        match self.symbols.get(place.symbol) {
            Some(Symbol::Function(at)) => Ok(Target::Function(*at)),
            Some(Symbol::Datum(segment, offset, _)) => {
                let segment = self.segments.get(*segment as usize).map(|segment| segment.address + offset);
                let at = segment.and_then(|address| holding(data, address));
                at.map(Target::Datum).ok_or_else(|| "a symbol without data".into())
            }
            Some(Symbol::Other) => Ok(Target::Nothing),
            None => Err("a relocation of a symbol that is not there".into()),
        }
    }
}

impl Symbol {
    fn of(info: &SymbolInfo<'_>) -> Symbol {
        match info {
            SymbolInfo::Func { index, .. } => Symbol::Function(*index as usize),
            SymbolInfo::Data { symbol: Some(place), .. } => {
                Symbol::Datum(place.index, place.offset, place.size)
            }
            SymbolInfo::Data { symbol: None, .. }
            | SymbolInfo::Global { .. }
            | SymbolInfo::Section { .. }
            | SymbolInfo::Event { .. }
            | SymbolInfo::Table { .. } => Symbol::Other,
        }
    }
}

impl Segment {
    fn of(data: &wasmparser::Data<'_>) -> Result<Segment, Fault> {
        let DataKind::Active { memory_index: 0, offset_expr } = &data.kind else {
            return Err("data that is not put into the memory at the start".into());
        };
        let Operator::I32Const { value } = offset_expr.get_operators_reader().read()? else {
            return Err("data at an address that is not a number".into());
        };
        let bytes = data.range.end - data.data.len()..data.range.end;
        Ok(Segment { address: value as u32, bytes })
    }
}

/// The piece of data at an address.
pub fn holding(data: &[Range<u32>], address: u32) -> Option<DatumAt> {
    let at = data.partition_point(|range| range.start <= address).checked_sub(1)?;
    data.get(at)?.contains(&address).then_some(at)
}
