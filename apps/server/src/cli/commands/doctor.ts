import { createResolver } from "../../mail/dns/resolver.ts";
import type { OperatorAccess } from "../control/operator-access.ts";
import { keptMail, mailText, type ShownMail } from "../control/print-kept-mail.ts";
import { fetchPolicy } from "../doctor/fetch-policy.ts";
import { mustMend, reportText } from "../doctor/report.ts";
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
    const facts = await access.facts({});
    const results = await runDoctor(facts, {
      isRunning: access.isRunning,
      resolver: createResolver({ servers: facts.dnsServers }),
      fetchPolicy,
      dataDir: config.dataDir,
      folder: process.cwd(),
      now: new Date(),
      relayState: facts.delivery === "relay" ? await access["relay-state"]({}) : null,
    });
    const code = mustMend(results) ? 1 : 0;
    const forget = values.forget === true;
    if (values.json === true) {
      const mail = values.mail === true ? { mail: await readMail(access, { forget }) } : {};
      return print(jsonText({ checks: results, mustMend: code === 1, ...mail }), code);
    }
    if (values.mail === true) await readMail(access, { forget, show: (it) => void process.stdout.write(mailText(it)) });
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
