/** A mail worker's side of the link to its owner: the IPC channel that the owner opened when it started the process. */
import { type LinkSide, linkSide } from "./link.ts";
import type { ToOwner, ToWorker } from "./messages.ts";

export function parentLink(): LinkSide<ToOwner, ToWorker> {
  // An error of sending is ignored: the owner has ended, and the event `disconnect` reports that too.
  const side = linkSide<ToOwner, ToWorker>((messages) => {
    if (process.connected) process.send?.(messages, undefined, undefined, () => {});
  });
  process.on("message", (messages: ToWorker[]) => side.receive(messages));
  return side;
}
