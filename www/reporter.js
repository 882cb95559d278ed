// The worker of a report: makes it from the page's program and a link, and ends. www/report.js starts it, and terminates it to stop it.
import { release, report } from "./compiler.js";
import { start } from "./program.js";
import { folder, releases } from "./release.js";

/** The address of this release, which never changes, if the site lists it; else that of the page. */
async function address(here) {
  const isListed = (await releases(here))?.includes(here);
  return (isListed ? new URL(`${here}/`, folder(here)) : new URL("./", location.href)).href;
}

self.onmessage = async ({ data: { program, link, anonymous, whole, gpu } }) => {
  try {
    await start();
    const page = await address(release());
    const made = report(program, { link, address: page, browser: navigator.userAgent, is_anonymous: anonymous, is_whole: whole, gpu });
    self.postMessage(made, [made.archive.buffer]);
  } catch (error) {
    // A reason is a text; a trap is an error.
    self.postMessage({ refused: error.message ?? String(error) });
  }
};
