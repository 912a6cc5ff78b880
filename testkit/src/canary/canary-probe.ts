/** Plants canaries in mail to a proof of mail that stays open. */
import { controlClient } from "@kauke/server/cli/control/control-client";
import { controlPath } from "@kauke/server/cli/control/control-protocol";
import { sendMail } from "../send-mail.ts";
import { canaryAddress } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

export async function plantProbe(canaries: Canaries, { dataDir, mxPort }: { dataDir: string; mxPort: number }) {
  const { address } = await controlClient(controlPath(dataDir) ?? "")["probe-start"]({});
  canaries.watch("probe-address", address.slice(0, address.indexOf("@")));
  const from = `${canaries.word("probe-from")}@${canaries.word("probe-domain")}.example`;
  const fields = `From: ${canaries.word("probe-name")} <${from}>\r\nSubject: ${canaries.word("probe-subject")}\r\n`;
  const message = `${fields}\r\n${canaries.word("probe-body")}\r\n`;
  const { last } = await sendMail({ port: mxPort, from, to: address, message, localAddress: canaryAddress });
  if (!last.startsWith("250")) throw new Error(`the server refused the message: ${last}`);
}
