/**
 * Entry point of `npm start`. It takes signals before the server's modules are loaded, which lasts a second: to a
 * process that does not, they mean nothing while it is the first one of a container.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { stopRequest } from "./runtime/stop-request.ts";

const stop = stopRequest();
const { serve } = await import("./serve.ts");
// A signal during the import arrives in the event loop's next turn.
await nextTurn();
await serve(stop);
