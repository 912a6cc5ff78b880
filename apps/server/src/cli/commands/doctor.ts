import type { ControlHandlers } from "../control/control-protocol.ts";
import type { KeptSummary, KeptText } from "../control/kept-mail.ts";
import type { OperatorAccess } from "../control/operator-access.ts";
import { mustMend, reportText } from "../doctor/check-result.ts";
import { runDoctor } from "../doctor/run-doctor.ts";
import { type Command, jsonText, print, refuse } from "./command.ts";

export const doctor: Command = {
  usage: "doctor",
  about: "checks DNS, relay, ports, TLS, disk, queue; exit code 1 when something must be fixed",
  options: {
    mail: "also prints mail to postmaster@ and abuse@ that is kept here",
    forget: "with --mail: deletes each message after printing it",
  },
  async run({ access: open, config: read, values }) {
    if (values.forget === true && values.mail !== true) return refuse("--forget needs --mail.");
    const config = read();
    const access = await open();
    const { isRunning } = access;
    const results = await runDoctor(access, { isRunning, dataDir: config.dataDir, now: new Date() });
    const code = mustMend(results) ? 1 : 0;
    const forget = values.forget === true;
    if (values.json === true) {
      const mail = values.mail === true ? { mail: await readMail(access, { forget }) } : {};
      return print(jsonText({ checks: results, mustMend: code === 1, ...mail }), code);
    }
    if (values.mail === true)
      await readMail(access, { forget, show: (one) => void process.stdout.write(mailText(one)) });
    return print(reportText(results), code);
  },
};

async function readMail(
  access: OperatorAccess,
  { forget, show = () => {} }: { forget: boolean; show?: (mail: ShownMail) => void },
): Promise<ShownMail[]> {
  const shown: ShownMail[] = [];
  for await (const mail of keptMail(access)) {
    show(mail);
    shown.push(mail);
  }
  for (const { messageId } of forget ? shown : []) await access["kept-forget"]({ messageId });
  return shown;
}

export type ShownMail = KeptSummary & KeptText;

type KeptCalls = Pick<ControlHandlers, "kept-list" | "kept-text" | "kept-forget">;

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
    // Mail is printed indented, so that a message can't imitate the header of the next one.
    ...mail.text
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`),
    "",
  ];
  return `${lines.join("\n")}\n`;
}
