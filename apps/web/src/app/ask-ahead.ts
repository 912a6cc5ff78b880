/** What a page begins with is asked for as soon as it is known who is there, instead of when its chunk has come and been drawn. */
import { callAhead } from "../api/client.ts";
import { readSession } from "../api/session/session.ts";
import { screenFor } from "./screens.ts";

export function askAhead(path: string): void {
  const { user } = readSession();
  if (user === null || screenFor(path, true) !== "dashboard") return;
  callAhead("listAliases", { params: { userId: user.id } });
  callAhead("listDomains");
  callAhead("listNotices");
}
