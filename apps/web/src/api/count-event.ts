/**
 * Reports a page event to our own server: no cookie, no id, no page address. Never waits for the response, never
 * throws.
 */
import type { PageEvent } from "@kauke/contract";
import { routes } from "@kauke/contract/routes";

export function countEvent(event: PageEvent): void {
  const { method, path } = routes.countEvent;
  const headers = { "Content-Type": "application/json" };
  // keepalive lets the request finish after the page is closed.
  const init: RequestInit = { method, headers, body: JSON.stringify({ event }), credentials: "omit", keepalive: true };
  // The body is read to its end: an unread response keeps its request open.
  void fetch(path, init)
    .then((answer) => answer.arrayBuffer())
    .catch(() => {});
}
