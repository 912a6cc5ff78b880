import { expect, test } from "vitest";
import { mailboxesHere } from "./mailboxes-here.ts";

test("mailboxes on the domain in either spelling are named if aliases forward to them, or will", () => {
  const mailbox = (email: string, aliasCount: number, isDefault = false) => ({ email, aliasCount, isDefault });
  const domain = { domain: "xn--bcher-kva.example", shownDomain: "bücher.example" };
  const mailboxes = [
    mailbox("a@Bücher.example", 2),
    mailbox("b@xn--bcher-kva.example", 0, true),
    mailbox("c@xn--bcher-kva.example", 0),
    mailbox("d@mail.bücher.example", 1),
    mailbox("e@other.example", 1),
  ];
  expect(mailboxesHere(domain, mailboxes)).toEqual(["a@Bücher.example", "b@xn--bcher-kva.example"]);
});
