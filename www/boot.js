// Starts the page.
import init from "./page.js";
init();
