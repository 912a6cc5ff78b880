import { emailJobMessages } from "@kauke/contract";
import { searchTypedText } from "@kauke/mail-rfc";
import { expect, test } from "vitest";
import type { LeakGuard } from "../leak-guard/leak-guard.ts";
import { findTypedLeak } from "./find-typed-leak.ts";

const mailboxes = ["Jonas+shops@inbox.example"];
let asked = 0;
/** The real search, run in this process instead of the guard's. */
const leakGuard: LeakGuard = {
  async search({ content, mailboxes: wanted }) {
    asked += 1;
    return content.kind === "text" ? searchTypedText(content.text, wanted) : null;
  },
};
const leakOf = (body: string, subject = "Contract") =>
  findTypedLeak({ subject, body }, { userId: "u", mailboxes, leakGuard });

test.each([
  "jonas+shops@inbox.example",
  "Write to JONAS@Inbox.Example, please",
  "the other tag: jonas+news@inbox.example",
  "> On Monday <jonas@inbox.example> wrote:\n> yes",
  "jo\u00adnas@inbox.example",
  "https://shop.example/?u=jonas%40inbox.example",
])("the message %j leaks, which is found without the guard's process", async (body) => {
  asked = 0;
  expect(await leakOf(body)).toEqual({ field: "body", message: emailJobMessages.bodyLeaks });
  expect(asked).toBe(0);
});

test("a long message is searched by the guard's process, line by line", async () => {
  asked = 0;
  const filling = "nothing here\n".repeat(2000);
  expect(await leakOf(`${filling}jonas@inbox.example`)).toEqual({ field: "body", message: emailJobMessages.bodyLeaks });
  expect(await leakOf(filling)).toBeNull();
  expect(asked).toBe(2);
});

test("encoded data is searched by the guard's process, and the error names it", async () => {
  const token = Buffer.from('{"mail":"jonas@inbox.example"}').toString("base64url");
  const message = emailJobMessages.bodyLeaksEncoded;
  expect(await leakOf(`https://list.example/out?t=${token}`)).toEqual({ field: "body", message });
  expect(await leakOf(`https://list.example/out?t=${"YWJj".repeat(20)}`)).toBeNull();
  expect(await leakOf(`https://track.example/t?s=${btoa("jonas@inbox.example")}`)).toEqual({ field: "body", message });
});

test("a message that cannot be searched completely is refused", async () => {
  const unsearched: LeakGuard = {
    search: async () => ({ leak: "unpacks_too_far", place: { part: "", kind: "text", line: null } }),
  };
  const body = "YWJj".repeat(20);
  expect(await findTypedLeak({ subject: "s", body }, { userId: "u", mailboxes, leakGuard: unsearched })).toEqual({
    field: "body",
    message: emailJobMessages.bodyUnsearched,
  });
});

test("a leak in the subject is found; with one in the body too, the error names the body", async () => {
  expect((await leakOf("nothing here", "About jonas@inbox.example"))?.field).toBe("subject");
  expect((await leakOf("jonas@inbox.example", "jonas@inbox.example"))?.field).toBe("body");
});

test.each(["joe.jonas@inbox.example", "jonas@inbox.example.org", "jonas at inbox", "https://hooks.example.org/x"])(
  "the message %j does not leak",
  async (body) => {
    expect(await leakOf(body)).toBeNull();
  },
);
