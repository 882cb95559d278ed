// The look of the editor, in the colors and sizes of www/style; and a way for CodeMirror's sheets through the page's policy.

import { EditorView } from "@codemirror/view";
import { StyleModule } from "style-mod";

let adopts = false;

/**
 * Makes CodeMirror add its sheets where a policy without inline styles allows it: as adopted style sheets. By
 * default it does so only in shadow trees, and writes a `<style>` elsewhere.
 */
export function adoptSheets() {
  if (adopts) return;
  adopts = true;
  const roots = {
    ownerDocument: document,
    get adoptedStyleSheets() { return document.adoptedStyleSheets; },
    set adoptedStyleSheets(sheets) { document.adoptedStyleSheets = sheets; },
  };
  const mount = StyleModule.mount;
  StyleModule.mount = (root, modules, options) => mount(root === document ? roots : root, modules, options);
}

const control = {
  background: "transparent", color: "inherit", border: "1px solid var(--rule)", borderRadius: "4px", font: "inherit",
  minHeight: "28px", padding: "2px 8px", margin: "0", verticalAlign: "middle",
};

/** Style rules for CodeMirror's elements. Colors are the page's variables, so they follow the theme. */
export const style = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { font: "13px/var(--row) var(--mono)", overflow: "auto" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 12px 0 4px" },
  ".cm-content ::selection, .cm-content::selection": {
    backgroundColor: "color-mix(in srgb, var(--focus) 26%, var(--ground))",
  },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-placeholder": { color: "var(--dim)", whiteSpace: "pre-wrap" },
  ".cm-gutters": { backgroundColor: "var(--ground)", color: "var(--dim)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 0", minWidth: "3ch" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--ground-3) 55%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--text)" },
  ".cm-selectionMatch": { backgroundColor: "var(--lit)" },
  "& .cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--lit)", outline: "1px solid var(--rule)" },
  "& .cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent" },
  ".cm-specialChar": { color: "var(--string)" },
  ".cm-lit": { backgroundColor: "var(--lit)", boxShadow: "0 0 0 1px var(--lit-def)", borderRadius: "3px" },
  ".cm-origin": { backgroundColor: "var(--lit)", boxShadow: "inset 2px 0 var(--lit-def)" },

  ".cm-panels": { backgroundColor: "var(--ground-2)", color: "var(--text)", zIndex: "2" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-frozen": { padding: "6px 12px", font: "13px/20px var(--ui)", color: "var(--number)" },
  ".cm-panel.cm-search": { padding: "6px 34px 6px 8px", font: "13px/20px var(--ui)", display: "flex", flexWrap: "wrap", gap: "4px", alignItems: "center" },
  ".cm-panel.cm-search br": { display: "none" },
  ".cm-panel.cm-search label": { display: "inline-flex", alignItems: "center", gap: "4px", fontSize: "13px", whiteSpace: "nowrap", minHeight: "28px", padding: "0 4px", margin: "0" },
  ".cm-panel.cm-search input[type=checkbox]": { margin: "0", accentColor: "var(--focus)" },
  ".cm-panel.cm-search [name=close]": { top: "6px", right: "4px", width: "28px", height: "28px", padding: "0", fontSize: "20px", color: "inherit", border: "none" },
  ".cm-textfield": { ...control, flex: "1 1 16ch", minWidth: "0", font: "13px/20px var(--mono)", backgroundColor: "var(--ground)" },
  ".cm-button": { ...control, background: "transparent", "&:hover": { background: "var(--ground-3)" }, "&:active": { background: "var(--ground-3)" } },
  ".cm-searchMatch": { backgroundColor: "var(--lit)" },
  ".cm-searchMatch.cm-searchMatch-selected": { backgroundColor: "var(--lit)", outline: "2px solid var(--focus)" },

  ".cm-tooltip": { backgroundColor: "var(--ground-2)", color: "var(--text)", border: "1px solid var(--rule)", borderRadius: "4px", maxWidth: "min(60ch, 90vw)", font: "13px/20px var(--ui)" },
  ".cm-diagnostic": { padding: "4px 8px", margin: "0", borderLeft: "3px solid var(--string)", whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".cm-diagnostic code": { padding: "0 2px", borderRadius: "3px", backgroundColor: "var(--ground-3)", font: "13px/20px var(--mono)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--number)" },
  ".cm-diagnostic-info": { borderLeftColor: "var(--keyword)" },
  ".cm-diagnosticSource": { fontSize: "12px", opacity: "1", color: "var(--dim)" },
  // The policy forbids pictures from `data:` addresses.
  ".cm-lintRange": { backgroundImage: "none", padding: "0", textDecoration: "underline wavy var(--string)", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-lintRange-warning": { textDecorationColor: "var(--number)" },
  ".cm-lintRange-info": { textDecorationColor: "var(--keyword)" },
  ".cm-lintRange-active": { backgroundColor: "var(--lit)" },
  ".cm-lintPoint:after": { borderBottomColor: "var(--string) !important" },
  ".cm-gutter-lint": { width: "16px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0" },
  ".cm-gutter-lint .cm-lint-marker": { content: "normal", width: "16px", height: "var(--row)", textAlign: "center", fontSize: "11px", color: "var(--string)", cursor: "default" },
  ".cm-gutter-lint .cm-lint-marker:before": { content: '"●"' },
  ".cm-gutter-lint .cm-lint-marker-warning": { color: "var(--number)" },
  ".cm-gutter-lint .cm-lint-marker-warning:before": { content: '"▲"' },
  ".cm-gutter-lint .cm-lint-marker-info": { color: "var(--keyword)" },
  ".cm-gutter-lint .cm-lint-marker-info:before": { content: '"■"' },

  ".cm-tooltip.cm-tooltip-autocomplete > ul": { font: "13px/20px var(--mono)", maxHeight: "10.5em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "1px 8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--lit)", color: "var(--text)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-tooltip.cm-completionInfo": { padding: "4px 8px", maxWidth: "40ch" },

  "@media (pointer: coarse)": {
    // Browsers of phones zoom into smaller text that gets the focus.
    ".cm-scroller, .cm-textfield": { fontSize: "16px" },
    ".cm-button, .cm-textfield, .cm-panel.cm-search label, .cm-panel.cm-search [name=close]": { minHeight: "44px", minWidth: "44px" },
  },
  "@media (max-height: 520px)": {
    // Above the keyboard of a phone there is space to search, but not to replace.
    ".cm-panel.cm-search :is([name=replace], [name=replaceAll], [name=select])": { display: "none" },
  },
  "@media (forced-colors: active)": {
    ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
    ".cm-searchMatch, .cm-selectionMatch, .cm-origin, .cm-matchingBracket": { outline: "1px solid Highlight" },
  },
});
