/** Mail kept for the operator, as `kauke doctor --mail` prints it. */
import type { ControlHandlers } from "./control-protocol.ts";
import type { KeptSummary, KeptText } from "./kept-mail.ts";

export type ShownMail = KeptSummary & KeptText;

type KeptCalls = Pick<ControlHandlers, "kept-list" | "kept-text" | "kept-forget">;

/** Reads one message at a time, so that a lot of mail is never in memory at once. */
export async function* keptMail(calls: KeptCalls): AsyncGenerator<ShownMail> {
  for (const summary of await calls["kept-list"]({})) {
    const found = await calls["kept-text"]({ messageId: summary.messageId });
    yield { ...summary, ...(found ?? { from: "", subject: "", text: "[the body can't be read]" }) };
  }
}

export function mailText(mail: ShownMail): string {
  const lines = [
    `--- ${mail.receivedAt} to ${mail.to}, ${mail.sizeBytes} bytes, ${mail.messageId}`,
    `Envelope from: <${mail.envelopeFrom}>`,
    `From: ${mail.from}`,
    `Subject: ${mail.subject}`,
    "",
    // The text is indented, so that a message can't imitate the header of the next one.
    ...mail.text
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`),
    "",
  ];
  return `${lines.join("\n")}\n`;
}
