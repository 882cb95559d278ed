//! Images that are combined with their sampler and looked up with comparisons and without: two declarations.
//!
//! ```text
//! layout(set = 0, binding = 1) uniform sampler2D depths;
//! layout(set = 0, binding = 1) uniform sampler2DShadow depths_compared;
//! ```

use super::spelled::SpelledType;
use crate::expr::{Token, punct};
use crate::func::FuncWriter;
use crate::language::Version;
use crate::module::{ModuleWriter, NO_TYPE};
use crate::print::Line;
use std::rc::Rc;
use vitrine_ir::ops::Key;
use vitrine_ir::{Anchor, Help, Inst, Var};
use vitrine_text::{Class, Link};

impl ModuleWriter<'_> {
    /// The second declaration of an image that is looked up with comparisons, too. In GLSL both have one place; in GLSL ES,
    /// where one unit has one kind of sampler, the second has a place of its own.
    pub(super) fn glsl_second_image(
        &mut self,
        var: Var,
        layout: &[String],
        spelled: SpelledType,
    ) -> Vec<Line> {
        let name = self.glsl_shadow_name(var);
        let mut layout = layout.to_vec();
        let mut lines = Vec::new();
        if self.es().is_some() {
            let (set, binding) = self.module.var(var).map_or((0, 0), |data| {
                (data.attrs.get(Key::Set).unwrap_or(0), data.attrs.get(Key::Binding).unwrap_or(0))
            });
            let text = format!("// set {set}, binding {binding}, with a sampler that compares");
            lines.push(Line::new(0, vec![Token::new(Class::Plain, text)]));
        }
        if self.es() == Some(Version::Es310) {
            layout = vec![format!("binding = {}", self.es_next_texture(var))];
        }
        let mut tokens = self.qualifiers(&layout, &["uniform"]);
        self.own.glsl.resource_types.insert(spelled.name().into());
        tokens.extend(spelled.declares(&name, Link::Def(Anchor::Var(var))));
        tokens.push(punct(";"));
        lines.push(Line::new(0, tokens));
        lines
    }

    /// The name of the second declaration of an image.
    pub(super) fn glsl_shadow_name(&mut self, var: Var) -> Rc<str> {
        if let Some(name) = self.own.glsl.shadow_names.get(&var) {
            return name.clone();
        }
        let wanted = format!("{}_compared", self.var_name(var));
        let name = self.names.fresh(&wanted, "compared");
        self.own.glsl.shadow_names.insert(var, name.clone());
        name
    }
}

impl FuncWriter<'_, '_> {
    /// The type of a parameter that is an image: that of a comparison if its lookups compare.
    pub(super) fn glsl_image_param(&mut self, param: Inst, spelled: SpelledType) -> SpelledType {
        let lookups = self.w.own.glsl.uses.of_param(self.func, param);
        if lookups.are_mixed() {
            let says =
                format!("the parameter {param} is an image that is looked up with and without comparisons");
            let anchor = self.anchor(param);
            self.w.refuse(NO_TYPE, anchor, says, Help::by_pass("inline-functions", "removes it"));
        }
        if lookups.compare { spelled.comparing() } else { spelled }
    }
}
