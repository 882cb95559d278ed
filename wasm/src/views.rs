//! Answers other than the main one: columns, the inspector, positions in the input, memory, searches.

use vitrine_protocol::{
    Columns, ColumnsRequest, FindRequest, Found, InspectRequest, Inspected, MemoryMap, MemoryRequest,
    MemoryVariable, Origins, OriginsRequest, PathsRequest, PointerPath, PointerPaths, Table,
};

use crate::model::styled;
use crate::{Compiler, model, port};

impl Compiler {
    pub(crate) fn columns(&mut self, request: ColumnsRequest) -> Columns {
        let start = port::now();
        let ColumnsRequest { serial, versions, fold, opened_folds, first, last, find, find_anchor, find_row } =
            request;
        let find = match find_anchor {
            Some((anchor, column)) => {
                self.session.numbers_of(&[anchor]).first().map(|&number| (number, column))
            }
            None => find,
        };
        let window = self.session.columns(&model::Ask {
            versions: versions.into_iter().map(|at| at as usize).collect(),
            fold,
            opened: opened_folds,
            first,
            last,
            find: find.map(|(id, column)| (id, column as usize)),
            find_row,
        });
        Columns {
            serial,
            rows: window.rows,
            first: window.first,
            found: window.found,
            versions: window.versions,
            heads: Table::from_words(window.heads),
            opened_folds: window.opened,
            text: styled(window.text),
            table: Table::from_words(window.table),
            tenths_ms: port::tenths_since(start),
        }
    }

    pub(crate) fn inspect(&mut self, request: InspectRequest) -> Inspected {
        let inspection = self.session.inspect(request.version as usize, request.id);
        Inspected {
            serial: request.serial,
            text: styled(inspection.text),
            rows: Table::from_words(inspection.rows),
        }
    }

    pub(crate) fn origins(&mut self, request: OriginsRequest) -> Origins {
        let table = Table::from_words(self.session.ties(request.version as usize));
        Origins { revision: request.revision, table }
    }

    pub(crate) fn memory(&mut self, request: MemoryRequest) -> MemoryMap {
        let map = self.session.memory(request.version as usize, request.id);
        let variable = |(id, name): (u32, &str)| MemoryVariable { id, name: name.to_owned() };
        MemoryMap {
            serial: request.serial,
            variable: map.number,
            variables: map.variables.into_iter().zip(map.names.lines()).map(variable).collect(),
            text: styled(map.text),
            rows: Table::from_numbers(map.rows),
        }
    }

    pub(crate) fn paths(&mut self, request: PathsRequest) -> PointerPaths {
        let versions: Vec<usize> = request.versions.iter().map(|&at| at as usize).collect();
        let (ids, lines) = self.session.paths(&versions);
        let path = |(id, path): (u32, &str)| PointerPath { id, path: path.to_owned() };
        PointerPaths { serial: request.serial, paths: ids.into_iter().zip(lines.lines()).map(path).collect() }
    }

    pub(crate) fn find(&mut self, request: FindRequest) -> Found {
        let places = self.session.find(request.version as usize, request.function, &request.query);
        Found { request, places: Table::from_words(places) }
    }
}
