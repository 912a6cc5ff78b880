/**
 * Forgeries built from mail that a trusted forwarder sealed (ARC). The seal excuses a failure of DMARC only for the
 * author that the forwarder checked, in the message that it saw, for a week. The authors' domains ask for rejection.
 */
import { generateKeyPairSync } from "node:crypto";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { describe, expect, test } from "vitest";
import { arcFields, type SignatureTags } from "./signatures.testing.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
const key = { txt: [`v=DKIM1; p=${publicKey.export({ format: "der", type: "spki" }).toString("base64")}`] };
const rejects = { txt: ["v=DMARC1; p=reject"] };
const dns = createFakeDns({
  "s1._domainkey.list.example": key,
  "s1._domainkey.sub.list.example": key,
  "s1._domainkey.evil.example": key,
  "_dmarc.paper.example": rejects,
  "_dmarc.bank.example": rejects,
});
const { mx, system, person } = await setUpForwarding({ dns, env: { KAUKE_ARC_TRUSTED: "list.example" } });

const news = "From: News <news@paper.example>\r\nSubject: News\r\n\r\nNothing new.\r\n";
const dated = `Date: ${new Date().toUTCString()}\r\n${news}`;
const atDays = (days: number) => `t=${Math.floor(Date.now() / 1000 + days * 86_400)}`;

interface Sealing {
  results?: string;
  message?: Partial<SignatureTags>;
  seal?: Partial<SignatureTags>;
}

/** Seals a message as list.example does, with other tags where they are given. */
function sealed(
  text: string,
  { results = "dmarc=pass header.from=paper.example", message, seal }: Sealing = {},
): string {
  const names = { d: "list.example", s: "s1" };
  const sets = { message: { ...names, ...message }, seal: { ...names, more: atDays(0), ...seal } };
  return arcFields(text, privateKey, { results: `mx.list.example; ${results}`, ...sets }) + text;
}

async function replyTo(text: string, from = "bounce@list.example"): Promise<string> {
  const { alias, domain } = await person.createAlias({ forwardTo: "kim@inbox.example" });
  mx.reset();
  const mail = { port: system.mxPort, from, to: `${alias}@${domain}`, message: text };
  return (await sendMail(mail)).last;
}

const FORGED = "From: CEO <ceo@bank.example>\r\n";

describe("a message that a trusted forwarder sealed is refused", () => {
  const twoAuthors = news.replace("News <news@paper.example>", "ceo@bank.example, news@paper.example");
  test.each<[string, string]>([
    ["with another author above the one that is signed", FORGED + sealed(news)],
    ["with another author above the Subject", sealed(news).replace("Subject:", `${FORGED}Subject:`)],
    ["with an author of the same domain above", `From: ceo@paper.example\r\n${sealed(news)}`],
    ["with a second author in an obsolete form", `From : ceo@paper.example\r\n${sealed(news)}`],
    ["whose forwarder saw two authors, and signed one", sealed(`${FORGED}${news}`)],
    ["whose forwarder saw two authors, and signed both", sealed(`${FORGED}${news}`, { message: { h: "from:from" } })],
    ["that names two authors in one field", sealed(twoAuthors, { results: "dmarc=pass header.from=bank.example" })],
    ["over whose author the forwarder said nothing", sealed(FORGED + "\r\nx\r\n")],
    ["of a subdomain of the author that was checked", sealed(news.replace("@paper", "@sub.paper"))],
    [
      "of the domain above the author that was checked",
      sealed(news, { results: "dmarc=pass header.from=a.paper.example" }),
    ],
    ["with a part of its body signed", `${sealed(news, { message: { more: "l=12" } })}Send me your password.\r\n`],
    ["with all of its body signed by a length", sealed(news, { message: { more: `l=${"Nothing new.\r\n".length}` } })],
    ["more than a week later", sealed(news, { seal: { more: atDays(-7.1) } })],
    ["whose message signature is older than a week", sealed(news, { message: { more: atDays(-7.1) } })],
    ["from the future", sealed(news, { seal: { more: atDays(1 / 24) } })],
    ["at no time", sealed(news, { seal: { more: "" } })],
    ["at no time, with a Date that is not signed", sealed(dated, { seal: { more: "" } })],
    ["at a time that is no number", sealed(news, { seal: { more: "t=now" } })],
    ["whose message signature is of somebody else", sealed(news, { message: { d: "evil.example" } })],
    ["whose message signature is of a subdomain", sealed(news, { message: { d: "sub.list.example" } })],
    [
      "whose forwarder is a subdomain",
      sealed(news, { message: { d: "sub.list.example" }, seal: { d: "sub.list.example" } }),
    ],
    ["that failed there", sealed(news, { results: "dmarc=fail header.from=paper.example" })],
    [
      "with two DMARC results",
      sealed(news, { results: "dmarc=fail header.from=bank.example; dmarc=pass header.from=paper.example" }),
    ],
    [
      "with two authors in its DMARC result",
      sealed(news, { results: "dmarc=pass header.from=bank.example header.from=paper.example" }),
    ],
  ])("%s", async (_, text) => {
    expect(await replyTo(text)).toMatch(/^550 5\.7\.(?:26 |1 From has no readable address)/);
    expect(mx.messages).toEqual([]);
  });

  test("without an author, sent in the name of one", async () => {
    const text = sealed(news.replace("News <news@paper.example>", "News:;"));
    expect(await replyTo(text, "news@paper.example")).toMatch(/^550 5\.7\.26 /);
  });
});

describe("control: it is accepted", () => {
  test.each<[string, string]>([
    ["as it is", sealed(news)],
    ["after six days", sealed(news, { seal: { more: atDays(-6) }, message: { more: atDays(-6) } })],
    ["with a clock that is a minute ahead", sealed(news, { seal: { more: atDays(1 / 1440) } })],
    ["with the time in a signed Date only", sealed(dated, { seal: { more: "" }, message: { h: "from:date" } })],
    ["with the time in its message signature only", sealed(news, { seal: { more: "" }, message: { more: atDays(0) } })],
    [
      "with an author whose domain is written otherwise",
      sealed(news, { results: "dmarc=pass header.from=Paper.Example" }),
    ],
    ["with fields on top of it that are not signed", `X-Loop: list.example\r\n${sealed(news)}`],
  ])("%s", async (_, text) => {
    expect(await replyTo(text)).toMatch(/^250 /);
    expect(String(mx.messages[0]?.bytes)).toMatch(/^From: =?.*Unverified/m);
  });
});
