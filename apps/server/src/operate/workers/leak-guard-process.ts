/** Searches for the leak guard in a process of its own (`leak-guard-worker.ts`): one order after another. */
import { searchMessage, searchTypedText } from "@kauke/mail-rfc";
import { BROKEN, type LeakOrder, NOTHING_FOUND } from "./leak-guard-worker.ts";

process.on("message", (order: LeakOrder) => void answer(order));
process.on("disconnect", () => process.exit(0));
// Ctrl-C reaches the whole group; when to end is the parent's decision.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});

async function answer({ mailboxes, content }: LeakOrder): Promise<void> {
  const searched =
    content.kind === "text"
      ? searchTypedText(content.text, mailboxes)
      : searchMessage(Buffer.from(content.bytes.buffer, content.bytes.byteOffset, content.bytes.length), mailboxes);
  const found = await searched.catch(() => BROKEN);
  if (found === null || found === BROKEN || typeof found === "string") process.send?.(found ?? NOTHING_FOUND);
  // The address is known to whoever asked; it does not travel.
  else process.send?.({ leak: found.leak, place: found.place });
}

process.send?.("ready");
