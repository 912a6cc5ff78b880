/** The worker's side of the link to its owner: the channel that the process was started with. */
import { type LinkSide, linkSide } from "./link.ts";
import type { ToOwner, ToWorker } from "./messages.ts";

export function parentLink(): LinkSide<ToOwner, ToWorker> {
  const side = linkSide<ToOwner, ToWorker>((messages) => void process.send?.(messages));
  process.on("message", (messages: ToWorker[]) => side.receive(messages));
  return side;
}
