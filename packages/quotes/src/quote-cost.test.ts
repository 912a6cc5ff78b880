/**
 * Tests that replacing the mailbox in quoted lines takes linear time up to the limits, and how much time at the limits.
 */

import { bodyShapes, fill, type Shape, textShapes } from "@kauke/mail-rfc/hostile-shapes.testing";
import { growthOf, leastCpuMs } from "@kauke/mail-rfc/linear-cost.testing";
import { expect, it } from "vitest";
import { QUOTE_BYTES_MAX, withAliasInAnswer, withAliasInQuotes } from "./alias-in-quotes.ts";

const own = "olga@owner.example";
const owner = {
  aliasAddress: "shop.k7@kauke.test",
  mailboxes: [own],
  isOwnMailbox: (address: string) => address.toLowerCase() === own,
};
const wrote = `On 23 Nov 2026 at 09:58, Olga <${own}> wrote:`;
const asHtml = wrote.replace("<", "&lt;").replace(">", "&gt;");
const isLong = process.env.LONG_ROUNDS === "1";
const LARGEST = isLong ? QUOTE_BYTES_MAX - 1000 : 131_072;
const aFewMinutes = isLong ? 3_600_000 : 240_000;

/** Builds hostile shapes, each of which repeats a text that the code searches for, such as the owner's mailbox. */
const named = (pieces: readonly string[]): Shape[] => pieces.map((piece) => ({ name: JSON.stringify(piece), piece }));
const ownShapes = named([
  `${own} `,
  `${own}\r\n`,
  `<${own}`,
  `@owner.example`,
  `${wrote}\r\n`,
  `> ${wrote}\r\n`,
  `Olga <${own}>\r\nwrote:\r\n`,

  `To: ${own}\r\n`,
  `To: ${own},\r\n`,
  `To:\r\n* ${own}\r\n`,
  `From: ${own}\r\nSent: x\r\n`,
  `* ${own}\r\n`,
  `${own},\r\n`,
  `<div>${asHtml}</div>`,
  `<b>${own}</b>`,
  `<p>${own}`,
  `<!--${own}`,
  `<blockquote>${asHtml}`,
  `<style>${own}`,

  `<td>${own}</td>`,
  `&lt;${own}&gt;`,
  `=6Flga@owner.example `,
  `olga@ow=\r\nner.example `,
  `${wrote}=0D=0A`,
  `=\r\n${own}`,

  `${"a".repeat(500)} ${own}:\r\n`,
  `1${own}:`,
  `wrote ${own}:\r\n`,
  `<${own}> <${own}>`,
  `${"> ".repeat(50)}${own}\r\n`,
]);
const others: Shape[] = [...bodyShapes, ...textShapes].map((shape) => ({
  ...shape,
  start: `${wrote}\r\n<div>${asHtml}</div>${shape.start ?? ""}`,
}));

const headerOf = (type: string, encoding: string) =>
  Buffer.from(`Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n`);

it.each([
  ["text", headerOf("text/plain", "8bit")],
  ["HTML", headerOf("text/html; charset=iso-8859-1", "8bit")],
  ["quoted-printable text", headerOf("text/plain", "quoted-printable")],
  ["quoted-printable HTML", headerOf("text/html; charset=iso-8859-1", "quoted-printable")],
])("doubling the hostile %s about doubles the time", { timeout: aFewMinutes }, async (_, header) => {
  const found: string[] = [];
  const quick = [...ownShapes.filter((_, index) => index % 2 === 0), ...others.filter((_, index) => index % 24 === 0)];
  for (const shape of isLong ? [...ownShapes, ...others] : quick) {
    const make = (size: number) => Buffer.from(fill(shape, size), "latin1");
    const run = (body: Buffer) => withAliasInQuotes({ header, body }, owner);
    const verdict = await growthOf({ make, run, largest: LARGEST });
    if (verdict !== "linear") found.push(`${shape.name}: ${verdict}`);
  }
  expect(found).toEqual([]);
});

/** Milliseconds of one turn of the event loop for as many lines as are read; the slowest takes about 200. */
const ANSWER_MS = 500;

it.each([
  ["lines that are nearly guests", `${"a".repeat(64)}@${"b".repeat(230)}:`],
  ["lines of blanks", `- ${" ".repeat(290)}x.`],
  ["guests", "Ann Bee <ann@sender.example> organizer"],
])("finding the owner among the guests of an answer takes a short time: %s", async (_, line) => {
  const block = `Guests:\r\n${line}\r\n${`${own}\r\n`.repeat(28)}`;
  const body = Buffer.from(block.repeat(660), "latin1");
  const run = () => withAliasInAnswer({ header: headerOf("text/plain", "8bit"), body }, owner);
  expect(await leastCpuMs(run, undefined, ANSWER_MS)).toBeLessThan(ANSWER_MS);
});
