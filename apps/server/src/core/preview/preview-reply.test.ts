import { expect, test } from "vitest";
import { writePreviewForward, writePreviewReply } from "./preview-reply.ts";

const typed = { text: "hi", at: new Date("2026-11-21T09:00:00Z"), random: Buffer.alloc(16, 7) };

function write(fields: string[], all = true) {
  const raw = Buffer.from(`${fields.join("\r\n")}\r\n\r\nbody\r\n`);
  return writePreviewReply({ envelopeFrom: "", rcptTo: "jonas@inbox.example", raw }, { ...typed, all });
}

const message = [
  "From: Ann <ann@sender.example>",
  "To: shop@kauke.test, JONAS@inbox.example, Ann <ANN@sender.example>",
  "Cc: Bo <bo@other.example>",
];

test("a reply is addressed to the author, a reply to all to everybody once, never to the mailbox itself", () => {
  expect(write(message, false)?.recipients).toEqual(["ann@sender.example"]);
  expect(write(message)?.recipients).toEqual(["ann@sender.example", "shop@kauke.test", "bo@other.example"]);
});

test("Reply-To takes precedence over From", () => {
  expect(write([...message, "Reply-To: desk@sender.example"], false)?.recipients).toEqual(["desk@sender.example"]);
});

test("References lists those of the message, then the message itself", () => {
  const { raw } = write([...message, "Message-ID: <3@s.example>", "References: <1@s.example> <2@s.example>"]) ?? {};
  expect(String(raw)).toContain(
    "In-Reply-To: <3@s.example>\r\nReferences: <1@s.example>\r\n <2@s.example>\r\n <3@s.example>\r\n",
  );
});

test.each([
  ["plans", "Subject: Re: plans\r\n"],
  ["RE: plans", "Subject: RE: plans\r\n"],
  ["=?utf-8?Q?Re=3A_caf=C3=A9?=", "Subject: =?utf-8?B?UmU6IGNhZsOp?=\r\n"],
])("the subject %j gets Re: only once", (subject, field) => {
  expect(String(write([...message, `Subject: ${subject}`])?.raw)).toContain(field);
});

test("a message with no other addresses gets no reply", () => {
  expect(write(["Subject: x"])).toBeNull();
  expect(write(["From: jonas@inbox.example"])).toBeNull();
});

test("a forward comes from the mailbox itself, and quotes the text below the typed one", () => {
  const arrival = { envelopeFrom: "", rcptTo: "jonas@inbox.example", raw: Buffer.alloc(0) };
  const forwarded = { from: "Ann <r.x@kauke.test>", subject: "plans", text: "Tuesday?" };
  const { from, recipients, raw } = writePreviewForward(arrival, forwarded, { ...typed, to: "bo@other.example" });
  expect([from, recipients]).toEqual(["jonas@inbox.example", ["bo@other.example"]]);
  expect(String(raw)).toContain("Subject: Fwd: plans\r\n");
  expect(String(raw)).toMatch(
    /\r\n\r\nhi\r\n\r\n-+ Forwarded message -+\r\nFrom: Ann .*\r\nSubject: plans\r\n\r\nTuesday\?/,
  );
});
