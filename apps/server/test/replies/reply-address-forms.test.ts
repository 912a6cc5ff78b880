/**
 * Reply addresses in all spellings that programs and people may use, and aliases whose names look like reply addresses
 * because they are older than that form.
 */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { signedInTalk } from "@kauke/testkit/smtp-talk";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "inbox.example": spf, "sender.example": spf });
const { mx, system, person } = await setUpForwarding({ dns });

beforeEach(() => mx.reset());

/** Forwards a message from Ann. @returns her reply address as written in the header that the owner sees */
async function receiveOnce(): Promise<string> {
  const { alias } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const to = `${alias}@kauke.test`;
  const message = `From: Ann <ann@sender.example>\r\nTo: ${to}\r\nSubject: plans\r\n\r\nhello\r\n`;
  await sendMail({ port: system.mxPort, from: "ann@sender.example", to, message });
  const [mail] = await mx.waitForMessages(1);
  mx.messages.length = 0;
  return /^From: [^]*?<(r-[^>]*)>\r\n/m.exec(String(mail?.bytes))?.[1] as string;
}

async function answer(to: string): Promise<string> {
  const message = `From: jonas@inbox.example\r\nTo: ${to}\r\nSubject: Re: plans\r\n\r\nmy answer\r\n`;
  return (await sendMail({ port: system.mxPort, from: "jonas@inbox.example", to, message })).last;
}

test("a reply address consists of four groups of five characters", async () => {
  expect(await receiveOnce()).toMatch(/^r(?:-[a-z2-7]{5}){4}@kauke\.test$/);
});

test("every spelling reaches the correspondent: other case, no or other hyphens, the form of the first version", async () => {
  const [local = ""] = (await receiveOnce()).split("@");
  const token = local.slice(2).replaceAll("-", "");
  const locals = [local.toUpperCase(), `r-${token}`, `R-${token.replace(/./, "$&--")}`, `r.${token}`, `R.${token}`];
  for (const [index, spelling] of locals.entries()) {
    expect(await answer(`${spelling}@kauke.test`), spelling).toMatch(/^250 /);
    const mail = (await mx.waitForMessages(index + 1)).at(-1);
    expect(mail?.rcptTo).toEqual(["ann@sender.example"]);
    expect(String(mail?.bytes), spelling).toContain("To: Ann <ann@sender.example>\r\n");
  }
});

test("without its prefix, or with a hyphen at an end, it is an unknown alias", async () => {
  const [local = ""] = (await receiveOnce()).split("@");
  for (const spelling of [local.slice(2), `r${local.slice(2)}`, `r.${local.slice(2)}`, `${local}-`, `r-${local}`]) {
    expect(await answer(`${spelling}@kauke.test`), spelling).toBe("550 5.1.1 No such address here");
  }
});

test("nobody can create an alias with such a name, in any spelling", async () => {
  const names = ["r-abcde-fghij-klmno-p2345", "r-abcdefghijklmnop2345", "R-Abcde-fghij-klmno-p2345"];
  const body = { domain: "kauke.test", forwardTo: "jonas@inbox.example" };
  for (const alias of [...names, "r.abcdefghijklmnop2345"]) {
    const { status, body: answered } = await person.call("POST", `/api/aliases/${person.user.id}`, { ...body, alias });
    expect([status, (answered as { code: string }).code], alias).toEqual([400, "alias_reserved"]);
  }
});

describe("an alias that had such a name before", () => {
  const older = "r-smith-consulting-group@kauke.test";
  let aliasId: string;

  beforeAll(async () => {
    const { id } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
    await system.server.store.aliases.update(person.user.id, id, () => ({ name: "r-smith-consulting-group" }));
    aliasId = id;
  });

  async function signedIn() {
    const { id } = await person.createAlias({ forwardTo: "other@inbox.example" });
    const login = await person.createSmtpCredential(id);
    return { from: login.username, talk: await signedInTalk(system.submissionPort, login) };
  }

  async function submit(to: string): Promise<string> {
    const { from, talk } = await signedIn();
    await talk.ask(`MAIL FROM:<${from}>`);
    await talk.ask(`RCPT TO:<${to}>`);
    await talk.ask("DATA");
    const answered = await talk.ask(`From: ${from}\r\nTo: ${to}\r\nSubject: hi\r\n\r\nthe text\r\n.`);
    talk.close();
    return answered;
  }

  test("gets its mail", async () => {
    const message = "From: ann@sender.example\r\nSubject: hi\r\n\r\nfor the older alias\r\n";
    const { last } = await sendMail({ port: system.mxPort, from: "ann@sender.example", to: older, message });
    expect(last).toMatch(/^250 /);
    expect((await mx.waitForMessages(1))[0]?.rcptTo).toEqual(["jonas@inbox.example"]);
  });

  test("can still be written to by other aliases, and edited", async () => {
    expect(await submit(older)).toBe("250 2.0.0 Queued");
    expect((await mx.waitForMessages(1))[0]?.rcptTo).toEqual(["jonas@inbox.example"]);
    const change = await person.call("PUT", `/api/aliases/${aliasId}`, { notes: "kept" });
    expect(change.status).toBe(200);
  });

  test("a correspondent with such a name at another domain can be written to; one at ours that is no reply address can't", async () => {
    expect(await submit(older.replace("kauke.test", "outside.example"))).toBe("250 2.0.0 Queued");
    expect((await mx.waitForMessages(1))[0]?.rcptTo).toEqual(["r-smith-consulting-group@outside.example"]);
    expect(await submit("r-abcde-fghij-klmno-p2345@kauke.test")).toMatch(/^550 /);
  });
});
