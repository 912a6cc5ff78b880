/** `kauke doctor --mail`: each message kept for the operator as text; forgotten, when asked, once it was printed. */
import type { ControlHandlers } from "./control-protocol.ts";
import type { KeptSummary, KeptText } from "./kept-mail.ts";

export type ShownMail = KeptSummary & KeptText;

type KeptCalls = Pick<ControlHandlers, "kept-list" | "kept-text" | "kept-forget">;

/** One after another, so that much mail is never in memory at once. */
export async function* keptMail(calls: KeptCalls): AsyncGenerator<ShownMail> {
  for (const summary of await calls["kept-list"]({})) {
    const found = await calls["kept-text"]({ messageId: summary.messageId });
    yield { ...summary, ...(found ?? { from: "", subject: "", text: "[its body can't be read]" }) };
  }
}

export function mailText(mail: ShownMail): string {
  const lines = [
    `--- ${mail.receivedAt} to ${mail.to}, ${mail.sizeBytes} bytes, ${mail.messageId}`,
    `Envelope from: <${mail.envelopeFrom}>`,
    `From: ${mail.from}`,
    `Subject: ${mail.subject}`,
    "",
    // Indented, so that no message can pass itself off as the next one's head.
    ...mail.text
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`),
    "",
  ];
  return `${lines.join("\n")}\n`;
}
