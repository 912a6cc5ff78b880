/** The main journeys in WebKitGTK. */
import { runJourneys, testClipboard } from "./journeys.ts";
import { webkit } from "./webkit.ts";

// WebKit is the strictest about when a page may write to the clipboard.
runJourneys(webkit, testClipboard);
