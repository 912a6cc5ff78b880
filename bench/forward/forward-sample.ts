/**
 * Checks before a measurement that the forwarder passes on a message with its body unchanged, and detects what else it
 * does. Names in the table come from this check, so that a forwarder that does not sign is never taken for one that
 * does.
 */
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { sendMail } from "@kauke/testkit/send-mail";
import { envelopeFrom } from "../mail-job.ts";
import { messageLines, wireMessage } from "../message.ts";
import { destination, type ForwardSystem } from "./forward-system.ts";

/**
 * @returns e.g. `kauke (SRS, DKIM)`, `postfix (neither SRS nor DKIM)`
 * @throws when the message does not arrive, arrives for another recipient, or with another body
 */
export async function checkSample(system: ForwardSystem, sinkPort: number): Promise<string> {
  const sent = wireMessage([...messageLines(51_200), ".begins with a dot", "..and with two", "caf\u{e9} \t", "."]);
  const { destination: expected = destination } = system;
  await using sink = await FakeMx.start({ port: sinkPort });
  const { last } = await sendMail({ port: system.port, from: envelopeFrom, to: system.rcptTo, message: sent });
  if (!last.startsWith("250")) throw new Error(`${system.name} answered ${last}`);
  const late = setTimeout(() => sink.keep({ ...noMail }), 10_000);
  const [mail] = await sink.waitForMessages(1);
  clearTimeout(late);
  if (mail?.rcptTo.join() !== expected) throw new Error(`${system.name} did not forward the sample`);
  if (!bodyOf(mail.bytes).equals(bodyOf(sent))) throw new Error(`${system.name} changed the body of the sample`);
  const does = [
    ...(/^SRS[01]=/i.test(mail.envelopeFrom) ? ["SRS"] : []),
    ...(countSignatures(mail.bytes, system.rcptTo) > countSignatures(sent, system.rcptTo) ? ["DKIM"] : []),
    ...foundOnArrival(mail.bytes.toString("latin1", 0, mail.bytes.indexOf("\r\n\r\n"))),
  ];
  return `${system.name} (${does.join(", ") || "neither SRS nor DKIM"})`;
}

function foundOnArrival(header: string): string[] {
  return [
    ...(/^Authentication-Results:.*\sspf=pass/ms.test(header) ? ["checks on arrival"] : []),
    ...(/^Authentication-Results: mx\.in\.test;\s+dkim=/m.test(header) ? ["DKIM checked"] : []),
    ...(/^ARC-Seal:/m.test(header) ? ["ARC sealed"] : []),
  ];
}

/** Passed to the sink in place of a sample that did not arrive in time, so that the wait for it ends. */
const noMail = {
  envelopeFrom: "",
  rcptTo: [],
  mailLine: "",
  bytes: Buffer.alloc(0),
  connection: 0,
  isSecure: false,
};

/** Counts signatures of the alias' domain only; forwarders may keep or remove the sender's own signature. */
function countSignatures(message: Buffer, aliasAddress: string): number {
  const header = message.toString("latin1", 0, message.indexOf("\r\n\r\n")).replace(/\r\n[ \t]+/g, " ");
  const domain = aliasAddress.slice(aliasAddress.indexOf("@") + 1);
  const signatures = header.split("\r\n").filter((field) => /^dkim-signature:/i.test(field));
  return signatures.filter((field) => `${field};`.includes(` d=${domain};`)).length;
}

const bodyOf = (message: Buffer) => message.subarray(message.indexOf("\r\n\r\n") + 4);
