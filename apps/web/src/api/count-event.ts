/** Tells our own server that something happened, and nothing else: no cookie, no id, no page's address. Never waits, never fails. */
import type { PageEvent } from "@kauke/contract";
import { routes } from "@kauke/contract/routes";

export function countEvent(event: PageEvent): void {
  const { method, path } = routes.countEvent;
  const headers = { "Content-Type": "application/json" };
  // keepalive: it goes on when the page goes.
  const init: RequestInit = { method, headers, body: JSON.stringify({ event }), credentials: "omit", keepalive: true };
  // Read to its end: an answer nobody reads keeps its request open.
  void fetch(path, init)
    .then((answer) => answer.arrayBuffer())
    .catch(() => {});
}
