/**
 * The benchmarks' message with sender, alias and Message-ID of its own, and a DKIM signature of the sender's domain that
 * verifies.
 */
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { type DkimKey, dkimSign, fieldTextBytes, readHeader, simpleBodyHash } from "@kauke/mail-rfc";
import { messageLines, wireMessage } from "../message.ts";
import { type Sender, senderSelector } from "./mix-names.ts";

/** Header and body of a message in wire form, the body with its final dot. */
export type MixedMessage = readonly [header: Buffer, body: Buffer];

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** @returns the TXT record of the key that signs for all senders */
export function mixKeyRecord(): string {
  const key = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  return `v=DKIM1; k=rsa; p=${key.toString("base64")}`;
}

let made = 0;

/** @returns a function that makes messages of this size; they share their body */
export function mixedMessages(sizeBytes: number): (sender: Sender, rcptTo: string) => Promise<MixedMessage> {
  const lines = messageLines(sizeBytes);
  const headerEnd = lines.indexOf("");
  const template = withoutSignature(lines.slice(0, headerEnd));
  const plainBody = wireMessage(lines.slice(headerEnd + 1));
  const bodyHash = simpleBodyHash(plainBody);
  const body = Buffer.concat([wireMessage([""]), plainBody, Buffer.from(".\r\n")]);
  return async (sender, rcptTo) => {
    const header = wireMessage(template.map((line) => personal(line, sender, rcptTo)));
    const key: DkimKey = { domain: sender.domain, selector: senderSelector, algorithm: "rsa-sha256", privateKey };
    const { fields } = readHeader(header);
    const signature = await dkimSign({ header, fields, bodyHash, signedAt: new Date() }, [key]);
    return [Buffer.concat([fieldTextBytes(signature), header]), body];
  };
}

/** Removes the signature of the benchmarks' own sender, which does not verify. */
function withoutSignature(header: readonly string[]): string[] {
  const first = header.findIndex((line) => line.startsWith("DKIM-Signature:"));
  const after = header.findIndex((line, at) => at > first && !/^[ \t]/.test(line));
  return [...header.slice(0, first), ...header.slice(after)];
}

function personal(line: string, { address, domain }: Sender, rcptTo: string): string {
  if (line.startsWith("From: ")) return `From: "Jane Sender" <${address}>`;
  if (line.startsWith("To: ")) return `To: ${rcptTo}`;
  if (line.startsWith("Message-ID: ")) return `Message-ID: <${(made++).toString(36)}.${process.pid}@mail.${domain}>`;
  return line.replaceAll("remote.test", domain).replaceAll("alias@in.test", rcptTo);
}
