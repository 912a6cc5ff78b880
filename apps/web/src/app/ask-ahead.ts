/**
 * Starts the first requests of a page as soon as the user is known, instead of after its chunk has loaded and rendered.
 */
import { callAhead } from "../api/client.ts";
import { readSession } from "../api/session/session.ts";
import { screenFor } from "./screens.ts";

export function askAhead(path: string): void {
  const { user } = readSession();
  if (user === null || screenFor(path, true) !== "dashboard") return;
  callAhead("listAliases", { params: { userId: user.id } });
  callAhead("listDomains");
  callAhead("listMailboxes");
  callAhead("getAccountDefaults");
  callAhead("listNotices");
}
