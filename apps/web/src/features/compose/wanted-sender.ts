/** `/compose?from=<alias id>`: a new letter from that alias; what was being written stays a draft. */
import { navigate } from "wouter/use-browser-location";
import { emptyLetter } from "./letter.ts";
import { openLetter } from "./letter-store.ts";
import { canSend } from "./senders.ts";
import type { ComposeProps } from "./use-send.ts";

export function takeWantedSender(senders: ComposeProps["senders"]): void {
  const { pathname, search } = window.location;
  const wanted = new URLSearchParams(search).get("from");
  if (wanted === null || senders === undefined) return;
  navigate(pathname, { replace: true, state: history.state });
  if (senders.some((sender) => sender.id === wanted && canSend(sender)))
    void openLetter({ ...emptyLetter, fromAlias: wanted });
}
