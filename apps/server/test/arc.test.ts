/**
 * ARC sealing of forwarded mail (`KAUKE_ARC_SEAL=on`): chains over three aliases, verified by mailauth and by Debian's
 * python3-dkim.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dkimRecordOf } from "@kauke/testkit/dkim-record";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { relayTo, startSystem } from "@kauke/testkit/system";
import { authenticate } from "mailauth";
import { describe, expect, test } from "vitest";

const dns = createFakeDns({ "sender.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] } });
const message =
  "From: Ann <ann@sender.example>\r\nSubject: hi\r\nMessage-ID: <1@sender.example>\r\n\r\nbody\r\n.dot\r\n";
const store = { dkimDomains: ["kauke.test"] };
const { mx, system, person } = await setUpForwarding({ dns, env: { KAUKE_ARC_SEAL: "on" }, overrides: { store } });
const record = dkimRecordOf(system);
dns.zone[record.name] = { txt: [record.value] };

/** A mailbox of a provider that uses ARC. */
const usesArc = "jonas@gmail.com";
const usesNone = "jonas@inbox.example";

/** Sends the message through a newly created alias. @returns the forwarded message */
async function forward(bytes: Buffer | string, forwardTo = usesArc): Promise<Buffer> {
  return forwardThrough(system, person, { bytes, forwardTo });
}

async function forwardThrough(
  { mxPort: port }: { mxPort: number },
  owner: typeof person,
  { bytes, forwardTo }: { bytes: Buffer | string; forwardTo: string },
): Promise<Buffer> {
  const alias = await owner.createAlias({ forwardTo });
  mx.messages.length = 0;
  const sent = await sendMail({ port, from: "ann@sender.example", to: `${alias.alias}@kauke.test`, message: bytes });
  expect(sent.last).toMatch(/^250 /);
  return ((await mx.waitForMessages(1))[0] as { bytes: Buffer }).bytes;
}

async function throughThree(): Promise<Buffer> {
  return forward(await forward(await forward(message)));
}

async function byMailauth(bytes: Buffer): Promise<string> {
  const { arc } = await authenticate(bytes, {
    ip: "192.0.2.1",
    helo: "x.example",
    sender: "",
    mta: "judge.example",
    disableDmarc: true,
    disableBimi: true,
    resolver: async (name, type) => {
      if (type === "TXT" && name === record.name) return [[record.value]] as never;
      throw Object.assign(new Error("ENOTFOUND"), { code: "ENOTFOUND" });
    },
  });
  return `${arc ? arc.status.result : "none"} ${arc ? (arc.i ?? 0) : 0}`;
}

const python = "/usr/bin/python3";
const script = `
import sys, dkim
record = sys.argv[1].encode()
cv, results, _ = dkim.arc_verify(sys.stdin.buffer.read(), dnsfunc=lambda name, timeout=5: record)
print(cv.decode(), len(results))
`;
const hasPython = existsSync(python) && spawnSync(python, ["-c", "import dkim"]).status === 0;
if (!hasPython) console.log("python3-dkim is not installed: ARC chains are not verified with it.");

const byPython = async (bytes: Buffer) =>
  execFileSync(python, ["-c", script, record.value], { input: bytes, encoding: "utf8" }).trim();

const judges: [string, (bytes: Buffer) => Promise<string>][] = [["mailauth", byMailauth]];
if (hasPython) judges.push(["python3-dkim", byPython]);

describe.each(judges)("ARC chains as verified by %s", (_, judge) => {
  test("a chain of three ARC sets is valid, and so is each of its beginnings", async () => {
    const once = await forward(message);
    expect(await judge(once)).toBe("pass 1");
    const twice = await forward(once);
    expect(await judge(twice)).toBe("pass 2");
    expect(await judge(await forward(twice))).toBe("pass 3");
  });

  test("a changed body or a changed older set breaks the chain", async () => {
    const text = (await throughThree()).toString("latin1");
    expect(await judge(Buffer.from(text.replace("body", "BODY"), "latin1"))).toMatch(/^fail/);
    const forged = text.replace(/(ARC-Authentication-Results: i=1; )mail\.kauke\.test/, "$1else.kauke.test");
    expect(forged).not.toBe(text);
    expect(await judge(Buffer.from(forged, "latin1"))).toMatch(/^fail/);
  });
});

test("an ARC set states the results of arrival, stands on top of the header, and a message without a chain has cv=none", async () => {
  const once = String(await forward(message));
  expect(once).toMatch(/^ARC-Seal: i=1; cv=none;\r\n\ta=rsa-sha256; d=kauke\.test; s=/);
  expect(once).toMatch(/^ARC-Authentication-Results: i=1; mail\.kauke\.test;[^]*?spf=pass/m);
  expect(String(await forward(once))).toMatch(/^ARC-Seal: i=2; cv=pass;/);
});

test("a chain that broke on the way is sealed as failed, and no further set is added to it", async () => {
  const broken = (await forward(message)).toString("latin1").replace("body", "BODY");
  const failed = await forward(Buffer.from(broken, "latin1"));
  expect(String(failed)).toMatch(/^ARC-Seal: i=2; cv=fail;/);
  expect(String(await forward(failed)).match(/^ARC-Seal:/gm)).toHaveLength(2);
});

test("a message without a chain gets no ARC set unless the mailbox' provider is known to use it", async () => {
  expect(String(await forward(message, usesNone))).toMatch(/^DKIM-Signature:/);
  expect(String(await forward(message, usesNone))).not.toContain("ARC-");
});

test("a chain that arrived is continued for every mailbox", async () => {
  const continued = await forward(await forward(message), usesNone);
  expect(String(continued)).toMatch(/^ARC-Seal: i=2; cv=pass;/);
  expect(await byMailauth(continued)).toBe("pass 2");
});

test("the destinations of one alias get the same message with and without an ARC set", async () => {
  const { alias } = await person.createAlias({ forwardTo: `${usesArc},${usesNone}` });
  mx.messages.length = 0;
  await sendMail({ port: system.mxPort, from: "ann@sender.example", to: `${alias}@kauke.test`, message });
  const sent = new Map((await mx.waitForMessages(2)).map(({ rcptTo, bytes }) => [rcptTo[0], String(bytes)]));
  expect(sent.get(usesArc)).toMatch(/^ARC-Seal: i=1; cv=none;/);
  expect(sent.get(usesNone)).toMatch(/^DKIM-Signature:/);
  expect(sent.get(usesArc)?.endsWith(sent.get(usesNone) ?? "-")).toBe(true);
});

test.each([
  ["off", usesArc, 0],
  ["always", usesNone, 1],
])("with %s, mail to %s gets %i ARC sets", async (setting, forwardTo, sets) => {
  const other = await startSystem({
    env: { ...relayTo(mx), KAUKE_AUTHENTICATION: "on", KAUKE_ARC_SEAL: setting },
    overrides: { resolver: dns, store },
  });
  try {
    const sent = await forwardThrough(other, await registerPerson(other.url), { bytes: message, forwardTo });
    expect(String(sent)).toMatch(/^DKIM-Signature:/m);
    expect(String(sent).match(/^ARC-Seal:/gm) ?? []).toHaveLength(sets);
  } finally {
    await other.close();
  }
});
