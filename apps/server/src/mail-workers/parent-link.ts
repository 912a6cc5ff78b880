/** The worker's side of the link to its owner: the channel that the process was started with. */
import { type LinkSide, linkSide } from "./link.ts";
import type { ToOwner, ToWorker } from "./messages.ts";

export function parentLink(): LinkSide<ToOwner, ToWorker> {
  // A failure to send means that the owner has ended, which the process is told by its event `disconnect`.
  const side = linkSide<ToOwner, ToWorker>((messages) => {
    if (process.connected) process.send?.(messages, undefined, undefined, () => {});
  });
  process.on("message", (messages: ToWorker[]) => side.receive(messages));
  return side;
}
