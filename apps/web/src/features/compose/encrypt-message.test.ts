import { ageErrorCodes } from "@kauke/age";
import { describe, expect, it, test } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import { cleanPublicKey, containsMailbox, encryptionRefusal, encryptMessage } from "./encrypt-message.ts";

const message = { fromAlias: "a", to: "rasa@outside.example", subject: "Hi", body: "I am jonas@inbox.example" };

describe("a message that can't be encrypted", () => {
  it("names the field and the reason for every failure", () => {
    expect(encryptionRefusal("bad_public_key")).toMatchObject({
      field: "recipientPublicKey",
      message: "This is not an AGE public key",
    });
    expect(encryptionRefusal("too_large").field).toBe("body");
    for (const code of [...ageErrorCodes, "ended" as const]) expect(encryptionRefusal(code).message).not.toContain("_");
  });

  it("is refused by the leak guard before any encryption", async () => {
    const readGuard = async () => ({ isOn: true, forwardTo: "jonas@inbox.example" });
    await expect(encryptMessage(message, "age1", readGuard)).rejects.toMatchObject({ field: "body" });
  });

  it("is refused if the leak guard's setting can't be loaded", async () => {
    const down = new ApiError({ status: 0, message: "The server could not be reached." });
    await expect(encryptMessage(message, "age1", () => Promise.reject(down))).rejects.toBe(down);
  });

  it("is refused if no worker can be started, and the error reveals nothing of the message", async () => {
    const readGuard = async () => ({ isOn: false, forwardTo: "jonas@inbox.example" });
    const failed = encryptMessage(message, "age1", readGuard);
    await expect(failed).rejects.toMatchObject({ field: "encryption", message: expect.not.stringContaining("jonas") });
  });
});

it("a pasted public key is stripped of its label and blanks", async () => {
  expect(await cleanPublicKey("# public key: age1m5aah\n  n0t09nl ")).toBe("age1m5aahn0t09nl");
});

const forwardTo = "Jonas+shop@inbox.example, https://hooks.example.org/jonas, ona@b\u00fccher.example";

test.each([
  ["the mailbox", "Write to jonas+shop@inbox.example."],
  ["the mailbox in upper case", "JONAS+SHOP@INBOX.EXAMPLE"],
  ["the mailbox without its tag", "(jonas@inbox.example)"],
  ["the mailbox with invisible characters in it", "jonas\u200B@inbox.ex\u00ADample"],
  ["the mailbox with a full-width @", "jonas\uFF20inbox.example"],
  ["the ASCII form of its domain", "ona@xn--bcher-kva.example"],
])("%s is a leak", (_, body) => expect(containsMailbox(body, forwardTo)).toBe(true));

test.each([
  ["other words", "The dates hold."],
  ["a longer name", "tojonas@inbox.example"],
  ["a longer domain", "jonas@inbox.example.org"],
  ["the webhook's address", "https://hooks.example.org/jonas"],
])("%s is not a leak", (_, body) => expect(containsMailbox(body, forwardTo)).toBe(false));

test("a paused alias has no mailbox to leak", () => {
  expect(containsMailbox("null and jonas@inbox.example", "null")).toBe(false);
});
