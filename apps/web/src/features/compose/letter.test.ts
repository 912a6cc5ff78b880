import { expect, test } from "vitest";
import { addFiles } from "./attachments.ts";
import {
  emptyLetter,
  isBlank,
  jobRequest,
  type Letter,
  letterField,
  problemsOf,
  storedOf,
  withRecipientsSettled,
} from "./letter.ts";
import { noRecipients } from "./recipients.ts";

const filled = withRecipientsSettled({
  ...emptyLetter,
  fromAlias: "3f0f9b0e-5d3c-4a43-9d8e-0d6e4c1f2a11",
  to: { ...noRecipients, text: " rasa@example.org " },
  subject: " Hi ",
  body: " Hi\n",
});

const typed = (text: string) => ({ ...noRecipients, text });
const problems = (change: Partial<Letter>) => problemsOf(withRecipientsSettled({ ...filled, ...change }));

test("a filled letter has no problem", () => expect(problems({})).toEqual({}));

test.each([
  [{ fromAlias: "" }, { fromAlias: "Please select a sender alias" }],
  [{ to: noRecipients }, { to: "Please enter a valid email address" }],
  [{ to: typed("rasa@") }, { to: "Please enter a valid email address" }],
  [{ to: typed("rasa@, jonas@example.org") }, { to: "Please enter a valid email address: rasa@" }],
  [{ cc: typed("rasa@") }, { cc: "Please enter a valid email address" }],
  [{ subject: "  " }, { subject: "Subject is required" }],
  [{ subject: "a".repeat(501) }, { subject: "Subject must be 500 characters or less" }],
  [{ body: " \n" }, { body: "Message body is required" }],
  [{ body: "ą".repeat(524_289) }, { body: "The message is too long: 1 MB of text is the most" }],
  [
    { isEncrypted: true, bcc: typed("ruta@example.org") },
    {
      bcc: "An encrypted message shows how many people can read it, so it can't have Bcc recipients. Send them a message of their own",
    },
  ],
])("%o is refused", (change, expected) => expect(problems(change)).toEqual(expected));

test("the request has the API's field names, priority 0, a trimmed subject and the message as typed", () => {
  const request = { to: "rasa@example.org", subject: "Hi", body: " Hi\n", fromAliasId: filled.fromAlias };
  expect(jobRequest(filled, null)).toEqual({ ...request, useEncryption: false, priority: 0 });
});

test("a scheduled letter's request has its time", () => {
  const scheduledAt = "2026-03-05T09:30:00.000Z";
  expect(jobRequest({ ...filled, scheduledAt }, null)).toMatchObject({ scheduledAt });
});

test("an encrypted request has the armored text instead of the typed one, and the public key", () => {
  const body = "-----BEGIN AGE ENCRYPTED FILE-----";
  const request = jobRequest({ ...filled, body: "Only for Rasa" }, { body, publicKeys: ["age1m5a"] });
  expect(request).toEqual({
    to: "rasa@example.org",
    subject: "Hi",
    body,
    fromAliasId: filled.fromAlias,
    priority: 0,
    useEncryption: true,
    recipientPublicKey: "age1m5a",
  });
  expect(JSON.stringify(request)).not.toContain("Only for Rasa");
});

test("several recipients are lists, and their keys too", () => {
  const letter = withRecipientsSettled({ ...filled, cc: typed("jonas@example.org"), bcc: typed("ona@example.org") });
  expect(jobRequest(letter, null)).toMatchObject({
    to: "rasa@example.org",
    cc: ["jonas@example.org"],
    bcc: ["ona@example.org"],
  });
  const two = withRecipientsSettled({ ...filled, to: typed("a@example.org, b@example.org") });
  expect(jobRequest(two, { body: "-----BEGIN", publicKeys: ["age1a", "age1b"] })).toMatchObject({
    to: ["a@example.org", "b@example.org"],
    recipientPublicKey: "age1a",
    recipientPublicKeys: ["age1b"],
  });
});

test("an error of the server is shown at the field it belongs to", () => {
  expect(["fromAliasId", "to", "cc", "bcc", "subject", "body", "priority"].map(letterField)).toEqual([
    "fromAlias",
    "to",
    "cc",
    "bcc",
    "subject",
    "body",
    null,
  ]);
});

test("a letter without a word is no draft; one with an address, a key or a text is", () => {
  expect(isBlank({ ...emptyLetter, fromAlias: "a", isEncrypted: true })).toBe(true);
  for (const change of [{ to: typed("r") }, { bcc: filled.to }, { keys: { "": "age1" } }, { body: "Hi" }])
    expect(isBlank({ ...emptyLetter, ...change })).toBe(false);
});

test("a plain letter waits for a file that has no id yet, in place of leaving it out", () => {
  const files = addFiles([new File(["Labas"], "a.txt")], 0);
  expect(problems({ files })).toEqual({ attachments: "Please wait until the files are uploaded" });
  expect(problems({ files, isEncrypted: true })).toEqual({});
  expect(problems({ files: files.map((file) => ({ ...file, attachmentId: "1" })) })).toEqual({});
});

test("a private key pasted where a public one belongs is stored in no draft", () => {
  const keys = {
    "rasa@example.org": "age1rasa",
    "": "# my key\nAGE-SECRET-KEY-1QQ",
    "a@example.org": "age-secret-key-pq-1",
  };
  expect(storedOf({ ...filled, keys })).toEqual({ ...filled, keys: { "rasa@example.org": "age1rasa" } });
});
