/** Replies of a session that depend only on its state. */
import { reply } from "../reply.ts";

export const ok = reply(250, "2.0.0", "Ok");
export const badSequence = reply(503, "5.5.1", "Bad sequence of commands");
export const syntaxError = reply(500, "5.5.2", "Command not recognised");
export const notOffered = reply(502, "5.5.1", "Command not offered here");
export const sentTooEarly = reply(554, "5.5.0", "You sent more before you had read our answer");
export const tooManyRecipients = reply(452, "4.5.3", "Too many recipients");
