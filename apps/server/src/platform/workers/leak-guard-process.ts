/** The child process of `leak-guard-worker.ts`: runs the leak guard's searches one after another. */
import { searchMessage, searchTypedText } from "@kauke/leak-guard";
import { BROKEN, type LeakOrder, NOTHING_FOUND } from "./leak-guard-worker.ts";

process.on("message", (order: LeakOrder) => void answer(order));
process.on("disconnect", () => process.exit(0));
// Ctrl-C is sent to the whole process group; the parent decides when this process ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});

async function answer({ mailboxes, content }: LeakOrder): Promise<void> {
  const searched =
    content.kind === "message"
      ? searchMessage(Buffer.from(content.bytes.buffer, content.bytes.byteOffset, content.bytes.length), mailboxes)
      : searchTypedText(content.text, mailboxes);
  const found = await searched.catch(() => BROKEN);
  if (found === null || found === BROKEN || typeof found === "string") process.send?.(found ?? NOTHING_FOUND);
  // The address itself is not sent back, because the caller knows it.
  else process.send?.({ leak: found.leak, place: found.place });
}

process.send?.("ready");
