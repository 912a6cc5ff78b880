/** Own domains of accounts by the operator's command; Knot serves the zone that it prints, and that proves the domain. */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AccountDomainWire } from "@kauke/contract";
import { zoneFile } from "@kauke/contract/zone-file";
import { freePort } from "@kauke/testkit/free-port";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { kaukeInTurns } from "@kauke/testkit/programs/kauke-in-turns";
import { hasKnot, startKnot } from "@kauke/testkit/programs/knot";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, expect, test } from "vitest";

const domain = "canary-owned.example";
let dataDir: string;
let server: ServerProcess;
let dnsPort: number;
let ona: Person;
let jonas: Person;
let added: AccountDomainWire;
const kauke = (...args: string[]) => kaukeInTurns(args, { dataDir, env: { KAUKE_DOMAINS: "kauke.test" } });

async function add(person: Person, name: string): Promise<AccountDomainWire> {
  const { status, body } = await person.call("POST", "/api/account/domains", { domain: name });
  expect(status).toBe(201);
  return body as AccountDomainWire;
}

beforeAll(async () => {
  dataDir = await makeDataDir();
  dnsPort = await freePort();
  const env = { KAUKE_DOMAINS: "kauke.test", KAUKE_DNS_SERVERS: `127.0.0.1:${dnsPort}` };
  server = await startServerProcess({ dataDir, env });
  ona = await registerPerson(server.url, "ona@people.example");
  jonas = await registerPerson(server.url, "jonas@people.example");
  added = await add(ona, domain);
}, 120_000);
afterAll(async () => {
  await server.kill();
  await removeDataDirs();
});

test("own domains are listed without their names, which are shown only on request, as a recorded act", async () => {
  const { code, out, err } = await kauke("domains", "own");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(new RegExp(`^${added.id} {2}${ona.user.id} {2}new .* 0$`, "m"));
  expect(out).not.toContain("canary");
  const listed = JSON.parse((await kauke("domains", "own", "--json")).out) as object[];
  expect(listed).toMatchObject([{ id: added.id, userId: ona.user.id, state: "new", aliases: 0 }]);
  expect((await kauke("acts")).out).not.toContain("domains shown");
  expect((await kauke("domains", "own", "--show-names")).out).toMatch(new RegExp(` ${domain}$`, "m"));
  expect((await kauke("acts")).out).toMatch(/ domains shown$/m);
});

test("the zone of a domain is what its owner's page offers, by its name in any spelling and by its id", async () => {
  const { code, out, err } = await kauke("domains", "zone", `${domain.toUpperCase()}.`);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toBe(`; ${domain}: own domain ${added.id} of account ${ona.user.id}, new\n${zoneFile(added)}`);
  expect((await kauke("domains", "zone", added.id)).out).toBe(out);
  expect((await kauke("acts")).out).toMatch(new RegExp(` domains shown +${added.id}$`, "m"));
  for (const nobody of ["nobody.example", "com", "../etc", "00000000-0000-4000-8000-000000000000"])
    expect((await kauke("domains", "zone", nobody)).code).toBe(1);
});

test("of several accounts that have added a domain, the operator chooses one, until one has proven it", async () => {
  const shared = "canary-shared.example";
  const [first, second] = [await add(ona, shared), await add(jonas, shared)];
  const { code, out, err } = await kauke("domains", "zone", shared);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(`${first.id}  of account ${ona.user.id}`);
  expect(err).toContain(`${second.id}  of account ${jonas.user.id}`);
  expect((await kauke("domains", "zone", second.id)).out).toContain(zoneFile(second));
});

if (!hasKnot) console.log("Left out: knotd, kdig or nsupdate is missing.");

test.runIf(hasKnot)("a name server with the printed zone proves the domain, with every record right", async () => {
  const lines = (await kauke("domains", "zone", domain)).out.split("\n");
  expect(await checkZone(domain, lines)).toBe("");
  const mailHost = ["mail A 192.0.2.1", 'mail TXT "v=spf1 a -all"'];
  const knot = await startKnot({ [domain]: lines, "kauke.test": mailHost }, { port: dnsPort });
  try {
    expect(await knot.ask(domain, "MX")).toEqual(["10 mail.kauke.test."]);
    for (const { host, type, value } of added.records.filter((record) => record.type === "TXT"))
      expect((await knot.ask(host, type)).map((text) => text.replaceAll('" "', ""))).toEqual([`"${value}"`]);
    const { status, body } = await ona.call("POST", `/api/account/domains/${added.id}/check`);
    const { state, records } = body as AccountDomainWire;
    expect([status, state]).toEqual([200, "proven"]);
    expect(records.map((record) => [record.name, record.state])).toEqual(
      added.records.map(({ name }) => [name, "right"]),
    );
  } finally {
    await knot.close();
  }
  const later = await add(jonas, domain);
  expect((await kauke("domains", "zone", domain)).out).toContain(`own domain ${added.id} of account`);
  expect((await kauke("domains", "zone", later.id)).out).toContain(`account ${jonas.user.id}, new\n`);
  expect(server.output()).not.toContain("canary");
});

/** @returns what a program that checks zone files complains of; empty also without such a program */
async function checkZone(zone: string, lines: readonly string[]): Promise<string> {
  const has = (program: string) => spawnSync("which", [program]).status === 0;
  const folder = await mkdtemp(join(tmpdir(), "kauke-zone-"));
  const file = join(folder, "zone");
  const head = [
    `$ORIGIN ${zone}.`,
    "@ 3600 SOA ns hostmaster 1 3600 600 86400 60",
    "@ 3600 NS ns",
    "ns 3600 A 192.0.2.53",
  ];
  await writeFile(file, [...head, ...lines].join("\n"));
  const runs = [
    ...(has("kzonecheck") ? [spawnSync("kzonecheck", ["-o", zone, file])] : []),
    ...(has("named-checkzone") ? [spawnSync("named-checkzone", ["-q", zone, file])] : []),
  ];
  if (runs.length === 0) console.log("The zone file was not checked: kzonecheck and named-checkzone are missing.");
  await rm(folder, { recursive: true });
  return runs.flatMap((run) => (run.status === 0 ? [] : [run.stdout, run.stderr].map(String))).join("\n");
}
