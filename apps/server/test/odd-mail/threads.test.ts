/**
 * Thread identifiers of trackers and old programs: without "@" or brackets, with two "@" or blanks. They reach the owner
 * as they came, and the owner's answer names them to the tracker as it wrote them.
 */

import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { fieldOf, headerText } from "@kauke/testkit/forwarded-header";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test } from "vitest";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "example.org": spf, "planner.example": spf, "laptop.example": spf });
const { mx, system, person } = await setUpForwarding({ dns });

beforeEach(() => mx.reset());

const withoutVoucher = (references: string) => references.replace(/ ?<v\.[a-z2-7]+@kauke\.test>/, "");

const tracker = "bugs@planner.example";

/** @returns the copy that the owner gets of a message of the tracker, and the tracker's reply address in it */
async function forwarded(thread: readonly string[], { from = tracker, to = "" } = {}) {
  const alias = to || (await person.createAlias({ forwardTo: "me@example.org" })).alias;
  const message = [`From: Tracker <${from}>`, "Subject: [#7] printer", ...thread, "", "x", ""].join("\r\n");
  await sendMail({ port: system.mxPort, from, to: `${alias}@kauke.test`, message });
  const [copy] = await mx.waitForMessages(1);
  mx.reset();
  return {
    alias,
    copy: copy?.bytes,
    replyAddress: /r(?:-[a-z2-7]{5}){4}@kauke\.test/.exec(headerText(copy?.bytes))?.[0] ?? "",
  };
}

/** @returns the message that the tracker gets of the owner's answer */
async function answered(replyAddress: string, thread: readonly string[], messageId = "<own-1@laptop.example>") {
  const header = ["From: me@example.org", `To: ${replyAddress}`, "Subject: Re: [#7]", `Message-ID: ${messageId}`];
  const message = [...header, ...thread, "", "y", ""].join("\r\n");
  const { last } = await sendMail({ port: system.mxPort, from: "me@example.org", to: replyAddress, message });
  expect(last).toMatch(/^250 /);
  const [mail] = await mx.waitForMessages(1);
  expect(headerText(mail?.bytes)).not.toContain("own-");
  return mail?.bytes;
}

test.each([
  [
    "ordinary identifiers",
    "<f16@planner.example>",
    "<f15@planner.example>",
    "<f14@planner.example> <f15@planner.example>",
  ],
  [
    "identifiers without @, without brackets, and with two @",
    "<20261126.GHIJ>",
    "1234567",
    "ticket-1234567.planner.example <20261126.ABCDEF>  <a@b@planner.example> <ok.1@planner.example>",
  ],
  ["identifiers with blanks", "<2026 11 26@planner.example>", "< 25@planner.example >", "<24 a@planner.example>"],
])("%s come as they are, and an answer names them as they were", async (_, messageId, inReplyTo, references) => {
  const thread = [`Message-ID: ${messageId}`, `In-Reply-To: ${inReplyTo}`, `References: ${references}`];
  const { copy, replyAddress } = await forwarded(thread);
  const words = (text: string) => text.replace(/\s+/g, " ");
  expect(fieldOf(copy, "Message-ID")).toBe(messageId);
  expect(fieldOf(copy, "In-Reply-To")).toBe(inReplyTo);
  expect(withoutVoucher(fieldOf(copy, "References"))).toBe(words(references));
  const answer = await answered(replyAddress, [
    `In-Reply-To: ${messageId}`,
    `References: ${fieldOf(copy, "References")} ${messageId}`,
  ]);
  expect(fieldOf(answer, "In-Reply-To")).toBe(messageId);
  expect(fieldOf(answer, "References")).toBe(`${words(references)} ${messageId}`);
});

test.each(["<f16@planner.example>", "<f16@mail.planner.example>", "<20261126.GHIJ>"])(
  "an answer that names only %s, without the References of the message, keeps its thread",
  async (messageId) => {
    const { replyAddress } = await forwarded([`Message-ID: ${messageId}`]);
    const withoutReferences = await answered(replyAddress, [`In-Reply-To: ${messageId}`]);
    expect(fieldOf(withoutReferences, "In-Reply-To")).toBe(messageId);
    mx.reset();
    const withParent = await answered(replyAddress, [`In-Reply-To: ${messageId}`, `References: ${messageId}`]);
    expect(fieldOf(withParent, "References")).toBe(messageId);
  },
);

test.each([
  ["of the owner's mailbox's host", tracker, "<own-0@mail.example.org>"],
  ["of this program", "bugs@laptop.example", "<own-0@laptop.example>"],
  ["of another host", tracker, "<own-0@phone.example>"],
  ["of a name that only ends like the correspondent's", tracker, "<own-0@my-planner.example>"],
])("an identifier %s is sealed in such an answer", async (_, from, own) => {
  const { replyAddress } = await forwarded(["Message-ID: <f16@planner.example>"], { from });
  const answer = await answered(replyAddress, [`In-Reply-To: ${own}`, `References: ${own}`]);
  expect(fieldOf(answer, "In-Reply-To")).toMatch(/^<[a-z2-7]+@kauke\.test>$/);
});

test.each(["<own-1.20261126>", "<own-1 a@laptop.example>", "<own-1@a@laptop.example>", "own-1.20261126"])(
  "the owner's identifier %s is sealed, and comes back to the owner as it was",
  async (own) => {
    const { alias, replyAddress } = await forwarded(["Message-ID: <f16@planner.example>"]);
    const sealed = fieldOf(await answered(replyAddress, [], own), "Message-ID");
    expect(sealed).toMatch(/^<[a-z2-7]+@kauke\.test>$/);
    mx.reset();
    const { copy } = await forwarded([`In-Reply-To: ${sealed}`, `References: ${sealed}`], { to: alias });
    expect(fieldOf(copy, "In-Reply-To")).toBe(own);
    expect(withoutVoucher(fieldOf(copy, "References"))).toBe(own);
  },
);
