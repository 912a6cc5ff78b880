/** The main journeys in WebKitGTK. */
import { runJourneys } from "./journeys.ts";
import { webkit } from "./webkit.ts";

runJourneys(webkit);
