/**
 * Messages that can be identified and verified at the destination by a number and a digest of the body in header
 * fields.
 */
import { createHash, randomBytes } from "node:crypto";

const sizes = [200, 2000, 4000, 4000, 4000, 12_000];
/** Size in bytes of large messages: more than one sealed chunk, so that a kill can occur between two. */
const LARGE_BYTES = 600_000;

const usualBytes = (number: number) => (number % 50 === 0 ? LARGE_BYTES : (sizes[number % sizes.length] as number));

/** @returns the whole message with CRLF line ends; the body is random, even for the same number */
export function numberedMessage(number: number, bytes = usualBytes(number)): Buffer {
  const text = randomBytes(Math.ceil((bytes * 3) / 4)).toString("base64");
  const body = `${text.replace(/.{70}/g, "$&\r\n")}\r\n`;
  const header = [
    "From: Ann <ann@example.org>",
    "Subject: numbered",
    `Message-ID: <numbered-${number}@example.org>`,
    `X-Number: ${number}`,
    `X-Digest: ${digest(body)}`,
  ];
  return Buffer.from(`${header.join("\r\n")}\r\n\r\n${body}`);
}

/** @throws when the message is not a numbered message or is damaged */
export function readNumber(message: Buffer): number {
  const text = message.toString("latin1");
  const number = /^X-Number: (\d+)\r$/m.exec(text)?.[1];
  const promised = /^X-Digest: (\w+)\r$/m.exec(text)?.[1];
  if (number === undefined || promised === undefined) throw new Error("not a numbered message");
  if (digest(text.slice(text.indexOf("\r\n\r\n") + 4)) !== promised) throw new Error(`message ${number} is damaged`);
  return Number(number);
}

const digest = (body: string) => createHash("sha256").update(body, "latin1").digest("hex");
