/** The main journeys in Firefox. */
import { firefox } from "./firefox.ts";
import { runJourneys, testWithoutClipboardItem } from "./journeys.ts";

runJourneys(firefox, testWithoutClipboardItem);
