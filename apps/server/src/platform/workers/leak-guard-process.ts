import { findSpans, searchMessage, searchTypedText } from "@kauke/leak-guard";
import { serveOrders } from "../../runtime/threads/child-worker.ts";
import type { LeakOrder, LeakReply } from "./leak-guard-worker.ts";

serveOrders(async ({ mailboxes, content }: LeakOrder): Promise<LeakReply> => {
  const found = await (content.kind === "message"
    ? searchMessage(Buffer.from(content.bytes.buffer, content.bytes.byteOffset, content.bytes.length), mailboxes)
    : searchTypedText(content.text, mailboxes));
  // The result omits the address itself, which the caller knows.
  if (found === null) return { found: null };
  const spans = content.kind === "message" ? [] : findSpans(content.text, mailboxes);
  return { found: { leak: found.leak, place: found.place, ...(spans.length > 0 && { spans }) } };
});
