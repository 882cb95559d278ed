// The functions around the editor: lexers, words for completion, and what hears about changes.
//
// The playground passes those of its program, and a lesson (`www/lesson-editor.js`) its own. So the editor depends on neither.

export let host;

/**
 * Sets the functions, before the first editor is made: `typed`, `caret`, `pointed`, `is_spirv`, `is_foreign`, `words`, `goes_on`,
 * `lex`. Words are an object as `Words` in wasm/protocol declares it.
 */
export function connect(functions) {
  host = functions;
}
