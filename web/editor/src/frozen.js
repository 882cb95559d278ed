// A read-only text, which can be searched, with the reason above it.

import { EditorState } from "@codemirror/state";
import { showPanel } from "@codemirror/view";

/** Makes the text read-only. */
export function frozen(reason) {
  return [EditorState.readOnly.of(true), showPanel.of(() => {
    const dom = document.createElement("p");
    dom.className = "cm-frozen";
    dom.setAttribute("role", "status");
    dom.textContent = reason;
    return { dom, top: true };
  })];
}
