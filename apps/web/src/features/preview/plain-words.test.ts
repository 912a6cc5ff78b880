import type { PreviewSummary } from "@kauke/contract";
import { expect, test } from "vitest";
import { authorName, findMessages, replyHint, stageText, whyUnverified } from "./plain-words.ts";

const message = (subject: string, alias: string | null): PreviewSummary => ({
  id: subject,
  receivedAt: "2026-11-27T10:00:00.000Z",
  envelopeFrom: "",
  rcptTo: "newbie@example.org",
  from: "Ann (ann at sender.example) <r.x@kauke.test>",
  subject,
  alias,
  sizeBytes: 1,
  attachments: 0,
});

test("every word of a search is found in subject, addresses or alias", () => {
  const all = [message("Your parcel", "shop@kauke.test"), message("News", null)];
  const found = (query: string) => findMessages(all, query).map(({ subject }) => subject);
  expect(found("")).toEqual(["Your parcel", "News"]);
  expect(found(" PARCEL ann ")).toEqual(["Your parcel"]);
  expect(found("shop@")).toEqual(["Your parcel"]);
  expect(found("parcel news")).toEqual([]);
});

test.each([
  ["Ann (ann at sender.example) <r.x@kauke.test>", "Ann"],
  ['"Unverified: Ann (ann@sender.example)" <r.x@kauke.test>', "Ann"],
  ["Unverified: ann at sender.example <r.x@kauke.test>", "ann at sender.example"],
  ["", "The sender"],
])("the author of %j is called %j", (from, name) => expect(authorName(from)).toBe(name));

test("a reply says from whom, and who sees which address", () => {
  const mail = { from: "Ann (ann at sender.example) <r.x@kauke.test>", rcptTo: "newbie@example.org" };
  const shop = "shop@kauke.test";
  expect(replyHint({ ...mail, alias: shop }, false)).toBe(
    "You write from newbie@example.org. Ann sees shop@kauke.test.",
  );
  expect(replyHint({ ...mail, alias: shop }, true)).toBe(
    "You write from newbie@example.org. Everybody else sees shop@kauke.test.",
  );
  expect(replyHint({ ...mail, alias: null }, false)).toBe("You write from newbie@example.org. Ann sees your alias.");
  expect(replyHint({ from: shop, rcptTo: "ann@sender.example", alias: shop }, false)).toBe(
    "You write from ann@sender.example to shop@kauke.test, as its correspondent would.",
  );
});

test("an unverified author is explained by the results of the checks", () => {
  const told = (value: string, from = "Unverified: Ann <r.x@kauke.test>") =>
    whyUnverified({ from, headers: [{ name: "Authentication-Results", value }] });
  expect(told("mx; spf=none; dkim=none; dmarc=none", "Ann <r.x@kauke.test>")).toBeNull();
  expect(told("mx; spf=none smtp.mailfrom=a@b.example; dkim=none; dmarc=none")).toEqual([
    "The domain does not say which servers send its mail.",
    "It carries no signature.",
  ]);
  expect(told("mx; spf=softfail; dkim=fail; dmarc=fail")).toEqual([
    "The server that sent it is not one that the domain sends its mail from.",
    "Its signature does not fit: the message was changed on its way, or the signature is forged.",
    "The author's domain asks to distrust such mail.",
  ]);
  expect(told("")).toHaveLength(2);
});

test("stages have plain names, and a failure keeps its code", () => {
  expect(stageText({ stage: "deliver", verdict: "taken", detail: "" })).toBe("Delivered: ok");
  expect(stageText({ stage: "deliver", verdict: "later try_later", detail: "" })).toBe("Delivered: later try_later");
});
