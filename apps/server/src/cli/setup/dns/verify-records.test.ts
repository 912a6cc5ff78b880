import type { DnsRecord } from "@kauke/mail-rfc";
import { type FakeDnsServer, type FakeDnsZone, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { expect, it } from "vitest";
import { type RecordState, type VerifyOptions, verifyRecords } from "./verify-records.ts";

const zone = "kauke.example";
const wanted: DnsRecord[] = [
  { type: "A", name: `mail.${zone}`, address: "192.0.2.1" },
  { type: "MX", name: zone, preference: 10, exchange: `mail.${zone}` },
  { type: "TXT", name: zone, text: `v=spf1 a:mail.${zone} -all` },
  { type: "TXT", name: `k1._domainkey.${zone}`, text: `v=DKIM1; k=rsa; p=${"MIIB".repeat(100)}` },
  { type: "CNAME", name: `smtp.${zone}`, target: `mail.${zone}` },
];
const rightZone = (): FakeDnsZone => ({
  [`mail.${zone}`]: { a: ["192.0.2.1"] },
  [zone]: { mx: [[10, `Mail.${zone}`]], txt: ["site-verification=1", `v=spf1 a:mail.${zone} -all`] },
  [`k1._domainkey.${zone}`]: { txt: [`v=DKIM1; k=rsa; p=${"MIIB".repeat(100)}`] },
  [`smtp.${zone}`]: { cname: [`mail.${zone}`], a: ["192.0.2.1"] },
});
const delegation = (...addresses: string[]): FakeDnsZone => ({
  [zone]: { ns: ["ns1.host.example"] },
  "ns1.host.example": { a: addresses },
});
const kinds = (states: readonly RecordState[]) => states.map(({ state }) => state);

async function verify(server: FakeDnsServer, addresses: string[], options: Partial<VerifyOptions> = {}) {
  await using finder = await startFakeDnsServer(delegation(...addresses));
  const port = Number(server.address.split(":")[1]);
  return await verifyRecords(wanted, {
    resolvers: [finder.address],
    port,
    deadlineMs: 20_000,
    pauseMs: 10,
    ...options,
  });
}

it("all records are right where only the name server has them", async () => {
  await using server = await startFakeDnsServer(rightZone());
  expect(kinds(await verify(server, ["127.0.0.1"]))).toEqual(wanted.map(() => "right"));
});

it("waits until the last record is there, and reads no record again that was right", async () => {
  await using server = await startFakeDnsServer({ ...rightZone(), [`smtp.${zone}`]: {} });
  const rounds: string[][] = [];
  const onRound = (states: readonly RecordState[]) => {
    rounds.push(kinds(states));
    if (rounds.length === 1) server.questions.length = 0;
    if (rounds.length === 2) server.zone[`smtp.${zone}`] = { cname: [`mail.${zone}`] };
  };
  const states = await verify(server, ["127.0.0.1"], { onRound });
  expect(kinds(states)).toEqual(wanted.map(() => "right"));
  expect(rounds[0]).toEqual(["right", "right", "right", "right", "missing"]);
  expect(rounds).toHaveLength(3);
  expect(server.questions.every((question) => question.endsWith(` smtp.${zone}`))).toBe(true);
});

it("says what is wrong and what is there", async () => {
  const txt = [`v=spf1 a:mail.${zone} -all`, "v=spf1 include:other.example ~all"];
  const changed: FakeDnsZone = {
    [`mail.${zone}`]: { a: ["192.0.2.1", "192.0.2.9"] },
    [zone]: { mx: [[5, "mx.other.example"]], txt },
    [`smtp.${zone}`]: { cname: ["other.example"] },
  };
  await using server = await startFakeDnsServer({ ...rightZone(), ...changed });
  const onRound = () => stop.abort();
  const stop = new AbortController();
  const states = await verify(server, ["127.0.0.1"], { onRound, signal: stop.signal });
  expect(kinds(states)).toEqual(["wrong", "wrong", "wrong", "right", "wrong"]);
  expect(states[1]).toMatchObject({ found: [{ exchange: "mx.other.example", preference: 5 }] });
  expect(states[2]).toMatchObject({ found: [{ text: txt[0] }, { text: txt[1] }] });
  expect(states[4]).toMatchObject({ found: [{ target: "other.example" }] });
});

it("a record is right when every name server that responds has it", async () => {
  await using server = await startFakeDnsServer(rightZone());
  const port = Number(server.address.split(":")[1]);
  await using behind = await startFakeDnsServer({ ...rightZone(), [zone]: {} }, { host: "127.0.0.2", port });
  const onRound = (states: readonly RecordState[]) => {
    expect(kinds(states).slice(1, 3)).toEqual(
      behind.zone[zone] === server.zone[zone] ? ["right", "right"] : ["missing", "missing"],
    );
    behind.zone[zone] = server.zone[zone] ?? {};
  };
  // Nothing listens on the third address.
  const states = await verify(server, ["127.0.0.1", "127.0.0.2", "127.0.0.3"], { onRound });
  expect(kinds(states)).toEqual(wanted.map(() => "right"));
});

it("at the deadline, records of servers that are silent or unknown are unread", async () => {
  const silent = Object.fromEntries(
    [...new Set(wanted.map(({ name }) => name))].map((name) => [name, { isSilent: true }]),
  );
  await using server = await startFakeDnsServer(silent);
  expect(kinds(await verify(server, ["127.0.0.1"], { deadlineMs: 300 }))).toEqual(wanted.map(() => "unread"));
  expect(kinds(await verify(server, [], { deadlineMs: 300 }))).toEqual(wanted.map(() => "unread"));
});
