/** Proof of mail in both directions, with the mail host of the operator's own mailbox played by the test. */
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { MailProbeWire } from "@kauke/contract";
import { newProbe, withArrival } from "@kauke/server/core/probe/probe";
import { systemClock, systemRandom } from "@kauke/server/runtime/ports";
import { anAlias } from "@kauke/server/store/rows.testing";
import { dkimRecordOf } from "@kauke/testkit/dkim-record";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { registerPerson } from "@kauke/testkit/person";
import {
  attaching,
  HOME_CLIENT,
  homeSigner,
  homeZone,
  judgedAtHome,
  type Letter,
  startHomeMx,
  withHomeMailbox,
  writeFromHome,
} from "@kauke/testkit/probe-mailbox";
import { byMailauth } from "@kauke/testkit/programs/verify-dkim";
import { sendMail } from "@kauke/testkit/send-mail";
import { greetedTalk } from "@kauke/testkit/smtp-talk";
import { relayTo, startSystem, type TestSystem } from "@kauke/testkit/system";
import { mailHostIssuer } from "@kauke/testkit/test-certificate";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

const dns = createFakeDns(homeZone);
let home: FakeMx;
let system: TestSystem;
let settings: Awaited<ReturnType<typeof withHomeMailbox>>;
const roots = getCACertificates("default");

beforeAll(async () => {
  setDefaultCACertificates([...roots, mailHostIssuer]);
  home = await startHomeMx();
  settings = await withHomeMailbox();
  system = await startSystem({
    env: settings.env,
    overrides: { resolver: dns, direct: { port: home.port }, store: { dkimDomains: ["kauke.test"] } },
  });
});
afterAll(async () => {
  setDefaultCACertificates(roots);
  await system.close();
  await home.close();
  await settings.remove();
});
beforeEach(() => {
  dns.zone = { ...homeZone };
  home.reset();
});

const control = () => system.server.control;
const stateOf = async ({ id }: MailProbeWire) => (await control()["probe-state"]({ id })) as MailProbeWire;
const write = (to: string, letter?: Letter) => writeFromHome(system.mxPort, to, letter);

/** A probe whose answer has arrived at the mailbox. */
async function answered(letter: Letter = {}) {
  const probe = await control()["probe-start"]({});
  expect(await write(probe.address, letter)).toMatch(/^250 /);
  const answer = (await home.waitForMessages(1))[0]?.bytes.toString() ?? "";
  await vi.waitFor(async () => expect((await stateOf(probe)).answer).toBe("taken"));
  const id = /^Message-ID: (.*)\r$/im.exec(answer)?.[1] ?? "";
  return { probe, answer, id };
}

const allPass = { spf: "pass", dkim: "pass", dmarc: "pass" };

describe("green both ways", () => {
  test("a message, our answer, and a reply with our answer attached", async () => {
    const { probe, answer } = await answered();
    expect(await stateOf(probe)).toMatchObject({
      arrived: { tlsVersion: "TLSv1.3", cipher: expect.stringMatching(/^TLS_/), certificate: "valid", theirs: allPass },
      answer: "taken",
      returned: false,
      ours: null,
    });
    expect(home.messages[0]).toMatchObject({ envelopeFrom: probe.address, rcptTo: ["me@home.example"] });
    expect(answer).toContain(`From: Kauke <${probe.address}>`);
    expect(answer).toContain("Auto-Submitted: auto-generated");
    expect(await byMailauth(Buffer.from(answer), dkimRecordOf(system))).toBe("pass");

    expect(await write(probe.address, attaching(judgedAtHome(answer)))).toMatch(/^250 /);
    expect(await stateOf(probe)).toMatchObject({ returned: true, ours: allPass, answerProblem: null, inSpam: null });
    expect(home.messages).toHaveLength(1);
  });

  test("with the header alone attached, and a mark of spam", async () => {
    const { probe, answer } = await answered();
    const header = judgedAtHome(`X-Spam-Flag: YES\r\n${answer}`).split("\r\n\r\n", 1)[0] ?? "";
    await write(probe.address, attaching(header, "text/rfc822-headers"));
    expect(await stateOf(probe)).toMatchObject({ returned: true, ours: allPass, inSpam: true });
  });

  test("with the header pasted into the reply, as text or as HTML that a mail program made", async () => {
    for (const type of ["plain", "html"]) {
      home.reset();
      const { probe, answer, id } = await answered();
      const header = judgedAtHome(answer).split("\r\n\r\n", 1)[0] ?? "";
      const html = header
        .replaceAll("<", "&lt;")
        .split("\r\n")
        .map((line) => `<div>${line}</div>\r\n`)
        .join("");
      const body =
        type === "plain" ? `See below.\r\n\r\n> ${header.replaceAll("\r\n", "\r\n> ")}\r\n` : `<p>See</p>${html}`;
      await write(probe.address, { fields: [`In-Reply-To: ${id}`, `Content-Type: text/${type}`], body });
      expect(await stateOf(probe), type).toMatchObject({ returned: true, ours: allPass });
    }
  });

  test("a reply without the header proves the way back; the header can be pasted afterwards", async () => {
    const { probe, answer, id } = await answered();
    await write(probe.address, { fields: [`References: <x@y> ${id}`] });
    expect(await stateOf(probe)).toMatchObject({ returned: true, ours: null });
    const results = "dkim=fail header.d=kauke.test; spf=softfail; dmarc=fail";
    const ask = { id: probe.id, headers: judgedAtHome(answer, results), inSpam: null };
    expect(await control()["probe-judge"](ask)).toMatchObject({ ours: { spf: "fail", dkim: "fail", dmarc: "fail" } });
    expect(await control()["probe-judge"]({ ...ask, headers: null, inSpam: false })).toMatchObject({
      ours: { spf: "fail" },
      inSpam: false,
    });
    expect(await control()["probe-judge"]({ ...ask, id: "x" })).toBeNull();
  });
});

describe("no answer goes to", () => {
  test.each<[string, Letter, string]>([
    ["a forged sender", { from: "x@forged.example", isSigned: false }, "Neither SPF nor DKIM nor DMARC"],
    ["a forged envelope of a signed message", { from: "x@forged.example" }, "Neither SPF nor DKIM nor DMARC"],
    ["a program", { fields: ["Auto-Submitted: auto-generated"] }, "A program"],
    ["a mailing list", { fields: ["List-Id: <list.home.example>"] }, "A program"],
    ["bulk mail", { fields: ["Precedence: bulk"] }, "A program"],
    ["a domain of this server", { from: "me@kauke.test", isSigned: false }, "a domain of this server"],
  ])("%s", async (_, letter, why) => {
    const probe = await control()["probe-start"]({});
    expect(await write(probe.address, letter)).toMatch(/^250 /);
    const state = await stateOf(probe);
    expect(state).toMatchObject({ arrived: {}, answer: "not_sent" });
    expect(state.answerProblem).toContain(why);
    expect(await system.server.store.deliveries.count()).toBe(0);
  });

  test("the null sender, and the probe still waits for its first message", async () => {
    const probe = await control()["probe-start"]({});
    expect(await write(probe.address, { from: "", isSigned: false })).toMatch(/^250 /);
    expect(await stateOf(probe)).toMatchObject({ arrived: null, answer: null });
  });
});

test("DMARC that rejects is shown in the probe, where other mail is refused", async () => {
  dns.zone = { ...homeZone, "home.example": { txt: ["v=spf1 -all"] } };
  const probe = await control()["probe-start"]({});
  expect(await write(probe.address, { isSigned: false })).toMatch(/^250 /);
  expect(await stateOf(probe)).toMatchObject({
    arrived: { theirs: { spf: "fail", dkim: "none", dmarc: "fail" } },
    answer: "not_sent",
  });
});

test("together with an alias it is refused as other mail, and proves nothing", async () => {
  const person = await registerPerson(system.url);
  const { alias: name, domain } = await person.createAlias({ forwardTo: "me@home.example" });
  const alias = `${name}@${domain}`;
  dns.zone = { ...homeZone, "home.example": { txt: ["v=spf1 -all"], mx: [[10, "mx.home.example"]] } };
  const probe = await control()["probe-start"]({});
  for (const to of [
    [probe.address, alias],
    [alias, probe.address],
  ]) {
    const message = "From: me@home.example\r\n\r\nhi\r\n";
    expect((await sendMail({ port: system.mxPort, from: "me@home.example", to, message })).last).toContain(" 5.7.26 ");
  }
  expect(await stateOf(probe)).toMatchObject({ arrived: null });
  expect(home.messages).toHaveLength(0);
});

test("DNS that fails is named as the reason why nothing proves the sender", async () => {
  dns.zone = { ...homeZone, "home.example": { fails: true } };
  const probe = await control()["probe-start"]({});
  expect(await write(probe.address, { isSigned: false })).toMatch(/^250 /);
  expect(await stateOf(probe)).toMatchObject({
    arrived: { theirs: { spf: "unknown" } },
    answer: "not_sent",
    answerProblem: expect.stringMatching(/^DNS did not say/),
  });
});

test("a signed message of the author's own domain gets an answer without SPF", async () => {
  dns.zone = { ...homeZone, "home.example": { mx: [[10, "mx.home.example"]] } };
  const { probe } = await answered();
  expect(await stateOf(probe)).toMatchObject({ arrived: { theirs: { spf: "none", dkim: "pass", dmarc: "pass" } } });
});

test("unencrypted mail says so", async () => {
  const probe = await control()["probe-start"]({});
  const message = homeSigner.sign(`From: me@home.example\r\nTo: ${probe.address}\r\n\r\nhi\r\n`);
  await sendMail({ port: system.mxPort, from: "me@home.example", to: probe.address, message });
  expect((await stateOf(probe)).arrived).toMatchObject({ tlsVersion: null, cipher: null, certificate: "valid" });
  await home.waitForMessages(1);
});

describe("only the first message counts", () => {
  test("a second one gets no answer and changes nothing", async () => {
    const { probe } = await answered();
    const before = await stateOf(probe);
    expect(await write(probe.address)).toMatch(/^250 /);
    expect(
      await write(probe.address, { fields: ["Subject: Re: Kauke got your message", "Auto-Submitted: auto-replied"] }),
    ).toMatch(/^250 /);
    expect(await stateOf(probe)).toEqual(before);
    expect(home.messages).toHaveLength(1);
  });

  test("of several at once one is answered", async () => {
    const probe = await control()["probe-start"]({});
    await Promise.all([write(probe.address), write(probe.address), write(probe.address)]);
    await vi.waitFor(async () => expect((await stateOf(probe)).answer).toBe("taken"));
    expect(home.messages).toHaveLength(1);
  });

  test("named twice in one message, the probe answers once", async () => {
    const probe = await control()["probe-start"]({});
    const message = homeSigner.sign(`From: me@home.example\r\nTo: ${probe.address}\r\n\r\nhi\r\n`);
    await sendMail({ port: system.mxPort, from: "me@home.example", to: [probe.address, probe.address], message });
    await vi.waitFor(async () => expect((await stateOf(probe)).answer).toBe("taken"));
    expect(home.messages).toHaveLength(1);
  });
});

describe("an answer that was not enqueued is enqueued when their host sends the message again:", () => {
  test("the queue failed", async () => {
    const probe = await control()["probe-start"]({});
    vi.spyOn(system.server.store.deliveries, "enqueue").mockRejectedValueOnce(new Error("no space"));
    expect(await write(probe.address)).toMatch(/^451 /);
    expect(await stateOf(probe)).toMatchObject({ arrived: null, answer: null });
    expect(await write(probe.address)).toMatch(/^250 /);
    expect(await home.waitForMessages(1)).toHaveLength(1);
  });

  test("the server was killed", async () => {
    const { mailProbes } = system.server.store;
    const startedAt = new Date(Date.now() - 300_000);
    const probe = { ...newProbe({ clock: systemClock, random: systemRandom }, "kauke.test"), startedAt };
    await mailProbes.start(probe);
    const theirs = { spf: "pass", dkim: "pass", dmarc: "pass" } as const;
    const found = { tlsVersion: null, cipher: null, certificate: "valid" as const, theirs, refusal: null };
    await mailProbes.change(probe, (before) => withArrival(before, { receivedAt: startedAt, ...found }));
    expect(await write(probe.address)).toMatch(/^250 /);
    expect(await home.waitForMessages(1)).toHaveLength(1);
    await vi.waitFor(async () => expect((await mailProbes.find(probe.id))?.answer).toBe("taken"));
    expect(await write(probe.address)).toMatch(/^250 /);
    expect(home.messages).toHaveLength(1);
  });
});

test("an answer that the mailbox refuses, delays or returns is shown as such", async () => {
  home.options = { ...home.options, answer: ({ stage }) => (stage === "rcpt" ? "550 5.1.1 secret text" : undefined) };
  const refused = await control()["probe-start"]({});
  await write(refused.address);
  await vi.waitFor(async () => expect((await stateOf(refused)).answer).toBe("refused"));
  expect((await stateOf(refused)).answerProblem).toBe("The mailbox did not get it: there is no such mailbox (5.1.1).");

  let attempts = 0;
  home.options = {
    ...home.options,
    answer: ({ stage }) => (stage === "rcpt" && attempts++ === 0 ? "451 4.7.1 later" : undefined),
  };
  const delayed = await control()["probe-start"]({});
  await write(delayed.address);
  await vi.waitFor(async () => expect((await stateOf(delayed)).answerProblem).toContain("waits for another attempt"));
  await vi.waitFor(async () => expect((await stateOf(delayed)).answer).toBe("taken"), { timeout: 10_000 });
  expect((await stateOf(delayed)).answerProblem).toBeNull();

  const report = 'multipart/report; report-type=delivery-status; boundary="=b"';
  const status = "Reporting-MTA: dns; mx.home.example\r\n\r\nAction: failed\r\nStatus: 5.2.2\r\n";
  const body = `--=b\r\nContent-Type: message/delivery-status\r\n\r\n${status}--=b--\r\n`;
  await write(delayed.address, { from: "", fields: [`Content-Type: ${report}`], body, isSigned: false });
  expect(await stateOf(delayed)).toMatchObject({ answer: "refused", answerProblem: expect.stringContaining("5.2.2") });
});

describe("an address that is no open probe is refused like any unknown one", () => {
  async function refusalOf(to: string): Promise<string> {
    const talk = await greetedTalk(system.mxPort);
    await talk.ask("MAIL FROM:<ann@example.org>");
    const reply = await talk.ask(`RCPT TO:<${to}>`);
    talk.close();
    return reply;
  }

  test("unknown, mistyped, and after twenty messages", async () => {
    const unknown = await refusalOf("nobody-here@kauke.test");
    expect(unknown).toMatch(/^550 5\.1\.1 /);
    expect(await refusalOf("probe-aaaa-bbbb-cccc@kauke.test")).toBe(unknown);
    const probe = await control()["probe-start"]({});
    expect(await refusalOf(probe.address.replace("@", "x@"))).toBe(unknown);
    expect(await refusalOf(probe.address.toUpperCase().replace("KAUKE.TEST", "Kauke.test"))).toMatch(/^250 /);
    for (let count = 0; count < 20; count += 1) await write(probe.address, { from: "", isSigned: false });
    expect(await refusalOf(probe.address)).toBe(unknown);
    expect((await stateOf(probe)).arrived).toBeNull();
  });

  test("no alias can get such a name; an older alias that has one keeps its mail", async () => {
    const { store } = system.server;
    const person = await registerPerson(system.url);
    await expect(person.createAlias({ alias: "probe-abcd-efgh-ijkl", forwardTo: "me@home.example" })).rejects.toThrow(
      "reserved",
    );
    const user = await store.users.findByEmail(person.email);
    const routing = {
      state: "active" as const,
      destinations: [{ kind: "mailbox" as const, address: "me@home.example" }],
    };
    await store.aliases.insert(
      anAlias(user?.id ?? "", { name: "probe-abcd-efgh-ijkl", domain: "kauke.test", routing }),
    );
    expect(await write("probe-abcd-efgh-ijkl@kauke.test")).toMatch(/^250 /);
    expect((await home.waitForMessages(1))[0]?.bytes.toString()).toContain("Subject: a test");
  });

  test("the sixth probe ends the oldest", async () => {
    const probes: MailProbeWire[] = [];
    for (let count = 0; count < 6; count += 1) probes.push(await control()["probe-start"]({}));
    expect(await control()["probe-state"]({ id: probes[0]?.id ?? "" })).toBeNull();
    expect(await refusalOf(probes[0]?.address ?? "")).toMatch(/^550 5\.1\.1 /);
    expect(await refusalOf(probes[1]?.address ?? "")).toMatch(/^250 /);
    expect(await control()["probe-state"]({ id: "" })).toEqual(probes[5]);
  });
});

test("hostile replies cost little and break nothing", { timeout: 60_000 }, async () => {
  const { probe, answer } = await answered();
  const deep = Array.from(
    { length: 200 },
    (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`,
  ).join("");
  const parts = (part: string, count: number) => `${`--=b\r\n${part}\r\n`.repeat(count)}--=b--\r\n`;
  const mixed = { fields: ["Subject: Re: Kauke got your message", 'Content-Type: multipart/mixed; boundary="=b"'] };
  const bombs: Letter[] = [
    {
      fields: ["Subject: Re: Kauke got your message", 'Content-Type: multipart/mixed; boundary="b"'],
      body: `--b\r\n${deep}`,
    },
    { ...mixed, body: parts("Content-Type: message/rfc822\r\n\r\nFrom: x\r\n", 5000) },
    {
      ...mixed,
      body: parts(`Content-Type: message/rfc822\r\n\r\n${"Authentication-Results: a; spf=pass\r\n".repeat(20_000)}`, 3),
    },
    { ...mixed, body: parts(`Content-Type: text/html\r\n\r\n${`${"<".repeat(900)}\r\n`.repeat(3000)}`, 3) },
    {
      ...mixed,
      body: parts(
        `Content-Type: text/plain\r\n\r\nAuthentication-Results: mx; ${`${"(".repeat(900)}\r\n `.repeat(3000)}`,
        2,
      ),
    },
  ];
  for (const bomb of bombs) {
    const startedAt = performance.now();
    expect(await write(probe.address, { ...bomb, isSigned: false })).toMatch(/^250 /);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  }
  await write(probe.address, attaching(judgedAtHome(answer)));
  expect(await stateOf(probe)).toMatchObject({ returned: true, ours: allPass });
});

test("nothing of the messages is stored", async () => {
  const { probe, answer } = await answered();
  await write(probe.address, attaching(judgedAtHome(answer)));
  const { store } = system.server;
  expect(JSON.stringify(await store.mailProbes.find(probe.id))).not.toContain("home.example");
});

describe("in other modes of delivery", () => {
  const local = { "home.example": { txt: [`v=spf1 ip4:${HOME_CLIENT} -all`] } };
  const message = (to: string, more = "") => `From: me@home.example\r\nTo: ${to}\r\n${more}\r\nhi\r\n`;

  test("through a relay that replaces the Message-ID", async () => {
    await using relay = await FakeMx.start();
    dns.zone = local;
    const env = { ...relayTo(relay), KAUKE_AUTHENTICATION: "on" };
    const other = await startSystem({ env, overrides: { resolver: dns } });
    try {
      const probe = await other.server.control["probe-start"]({});
      const mail = { port: other.mxPort, from: "me@home.example", to: probe.address };
      await sendMail({ ...mail, message: message(probe.address) });
      await relay.waitForMessages(1);
      await sendMail({ ...mail, message: message(probe.address, "Subject: AW: Kauke got your message\r\n") });
      expect(await other.server.control["probe-state"]({ id: probe.id })).toMatchObject({
        arrived: { certificate: "self_signed", theirs: { spf: "pass" } },
        answer: "taken",
        returned: true,
      });
    } finally {
      await other.close();
    }
  });

  test("in the preview inbox, where the operator can reply", async () => {
    dns.zone = local;
    const preview = await startSystem({ env: { KAUKE_AUTHENTICATION: "on" }, overrides: { resolver: dns } });
    try {
      const { preview: inbox, control: calls } = preview.server;
      const probe = await calls["probe-start"]({});
      await sendMail({
        port: preview.mxPort,
        from: "me@home.example",
        to: probe.address,
        message: message(probe.address),
      });
      const sent = await vi.waitFor(async () => {
        const [first] = (await inbox?.list()) ?? [];
        if (first === undefined) throw new Error("no answer yet");
        return first;
      });
      const reply = await fetch(`${preview.url}/preview/api/messages/${sent.id}/reply`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-preview-token": preview.previewToken ?? "",
          origin: preview.url,
        },
        body: JSON.stringify({ text: "here", all: false }),
      });
      expect(reply.status).toBe(200);
      expect(await calls["probe-state"]({ id: probe.id })).toMatchObject({ answer: "taken", returned: true });
    } finally {
      await preview.close();
    }
  });
});
