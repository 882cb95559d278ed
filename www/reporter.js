// The worker of a report: makes it from a link and ends. www/report.js starts it, and terminates it to stop it.
import { report } from "./compiler.js";
import { start } from "./program.js";

self.onmessage = async ({ data: { link, address, anonymous, whole } }) => {
  try {
    await start();
    const [title, markdown, archive, amber, why, forms] = report(link, address, navigator.userAgent, anonymous, whole);
    self.postMessage({ title, markdown, archive, amber, why, forms }, [archive.buffer]);
  } catch (error) {
    // A reason is a text; a trap is an error.
    self.postMessage({ refused: error.message ?? String(error) });
  }
};
