import { expect, test } from "vitest";
import { composeForm, formField, jobRequest } from "./compose-form.ts";

const filled = {
  fromAlias: "3f0f9b0e-5d3c-4a43-9d8e-0d6e4c1f2a11",
  to: " rasa@example.org ",
  subject: " Hi ",
  body: " Hi\n",
};

test("address and subject are trimmed, and the message stays as typed", () => {
  expect(composeForm.parse(filled)).toEqual({ ...filled, to: "rasa@example.org", subject: "Hi" });
});

test.each([
  [{ fromAlias: "" }, "Please select a sender alias"],
  [{ to: "" }, "Please enter a valid email address"],
  [{ to: "rasa@" }, "Please enter a valid email address"],
  [{ to: "rasa@example.org, jonas@example.org" }, "Please enter a valid email address"],
  [{ subject: "  " }, "Subject is required"],
  [{ body: " \n" }, "Message body is required"],
])("%o is refused: %s", (change, message) => {
  const { error } = composeForm.safeParse({ ...filled, ...change });
  expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
});

test("the request has the API's field names and priority 0", () => {
  const { fromAlias, to, subject, body } = filled;
  const request = { to, subject, body, fromAliasId: fromAlias, useEncryption: false, priority: 0 };
  expect(jobRequest(filled, null)).toEqual(request);
});

test("an encrypted request has the armored text instead of the typed one, and the public key", () => {
  const encrypted = { body: "-----BEGIN AGE ENCRYPTED FILE-----", recipientPublicKey: "age1m5a" };
  const request = jobRequest({ ...filled, body: "Only for Rasa" }, encrypted);
  expect(request).toMatchObject({ ...encrypted, useEncryption: true, to: filled.to });
  expect(JSON.stringify(request)).not.toContain("Only for Rasa");
});

test("an error of the server is shown at the form field it belongs to", () => {
  expect(["fromAliasId", "to", "subject", "body", "priority"].map(formField)).toEqual([
    "fromAlias",
    "to",
    "subject",
    "body",
    null,
  ]);
});
