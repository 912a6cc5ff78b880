import { generateKeyPairSync } from "node:crypto";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { type DnsRecord, publicDkimKey } from "@kauke/mail-rfc";
import { hasKnot, type Knot, startKnot } from "@kauke/testkit/programs/knot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Change } from "./provider.ts";
import { changesOf, decideRecords } from "./record-changes.ts";
import { rfc2136Dns } from "./rfc2136.ts";

const zone = "kauke.example";
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const dkim = publicDkimKey({ domain: zone, selector: "k1", algorithm: "rsa-sha256", privateKey }).text;
const text = (name: string, value: string) => ({ type: "TXT" as const, name, text: value });
const wanted: DnsRecord[] = [
  { type: "A", name: `mail.${zone}`, address: "192.0.2.1" },
  { type: "AAAA", name: `mail.${zone}`, address: "2001:db8::1" },
  { type: "MX", name: zone, preference: 10, exchange: `mail.${zone}` },
  text(zone, `v=spf1 a:mail.${zone} -all`),
  text(`k1._domainkey.${zone}`, dkim),
  text(`_mta-sts.${zone}`, "v=STSv1; id=0123456789abcdef0123"),
  { type: "CNAME", name: `smtp.${zone}`, target: `mail.${zone}` },
];
const names = [...new Set(wanted.map(({ name }) => name))];
const change = (parts: Partial<Change>): Change => ({
  name: zone,
  type: "TXT",
  found: [],
  remove: [],
  add: [],
  ...parts,
});
const problems = (left: readonly { problem: string }[]) => left.map(({ problem }) => problem);

if (!hasKnot) console.log("Left out: knotd, kdig or nsupdate is missing.");

describe.runIf(hasKnot)("a name server that takes updates", () => {
  let knot: Knot;
  beforeAll(async () => {
    const others = [
      "@ TXT site-verification=1",
      "sub NS ns.elsewhere.example.",
      "www A 192.0.2.80",
      `_mta-sts TXT "v=STSv1; id=ffffffffffffffffffff"`,
    ];
    knot = await startKnot({ [zone]: others, "deep.kauke.example": ["old CNAME elsewhere.example."] });
  });
  afterAll(() => knot?.close());
  const provider = (key = knot.key) => rfc2136Dns({ host: "127.0.0.1", port: knot.port, key });

  it("has the records afterwards, beside those of others, and a second run changes nothing", async () => {
    const before = await provider().read(names);
    const changes = changesOf(decideRecords(wanted, before), before);
    expect(await provider().apply(changes)).toEqual({ done: changes, left: [] });
    const after = await provider().read(names);
    expect(changesOf(decideRecords(wanted, after), after)).toEqual([]);
    expect(decideRecords(wanted, after).map(({ kind }) => kind)).toEqual(wanted.map(() => "keep"));
    expect((await knot.ask(zone, "TXT")).toSorted()).toEqual(['"site-verification=1"', `"v=spf1 a:mail.${zone} -all"`]);
    expect(await knot.ask(`_mta-sts.${zone}`, "TXT")).toEqual(['"v=STSv1; id=0123456789abcdef0123"']);
    expect(await knot.ask(`mail.${zone}`, "AAAA")).toEqual(["2001:db8::1"]);
    expect(await knot.ask(`smtp.${zone}`, "CNAME")).toEqual([`mail.${zone}.`]);
    expect(await knot.ask(`www.${zone}`, "A")).toEqual(["192.0.2.80"]);
    const [key = ""] = await knot.ask(`k1._domainkey.${zone}`, "TXT");
    expect(key.split('" "').length).toBe(2);
    expect(key.replaceAll('" "', "").slice(1, -1)).toBe(dkim);
  });

  it("finds the closest zone of each name", async () => {
    const added = text(`a.deep.${zone}`, "one");
    const { done } = await provider().apply([change({ name: added.name, add: [added] })]);
    expect(done).toHaveLength(1);
    expect(await knot.ask(added.name, "TXT")).toEqual(['"one"']);
  });

  it.each([
    ["an unknown key", () => ({ ...knot.key, name: "other-key" })],
    ["a wrong secret", () => ({ ...knot.key, secret: Buffer.alloc(32).toString("base64") })],
  ])("%s can neither read nor write", async (_, key) => {
    await expect(provider(key()).read([zone])).rejects.toMatchObject({ code: "unauthorized" });
    const changes = [change({ add: [text(zone, "x")] }), change({ name: `b.${zone}`, add: [text(`b.${zone}`, "x")] })];
    const { done, left } = await provider(key()).apply(changes);
    expect([done, problems(left)]).toEqual([[], ["unauthorized", "unauthorized"]]);
  });

  it("a key without the right to write is told from a missing zone", async () => {
    const added = text(`c.${zone}`, "x");
    const { left } = await provider(knot.powerlessKey).apply([change({ name: added.name, add: [added] })]);
    expect(problems(left)).toEqual(["unauthorized"]);
  });

  it("a wrong clock is told from a wrong key", async () => {
    const late = rfc2136Dns({ host: "127.0.0.1", port: knot.port, key: knot.key, now: () => Date.now() + 3_600_000 });
    await expect(late.read([zone])).rejects.toMatchObject({ code: "clock_wrong" });
  });

  it("a name of another zone is left, the rest is done", async () => {
    for (const unknown of ["mail.elsewhere.example", `mail.sub.${zone}`])
      await expect(provider().read([unknown])).rejects.toMatchObject({ code: "zone_unknown" });
    const foreign = text("elsewhere.example", "x");
    const own = text(`d.${zone}`, "x");
    const { done, left } = await provider().apply([
      change({ name: foreign.name, add: [foreign] }),
      change({ name: own.name, add: [own] }),
    ]);
    expect([done.map(({ name }) => name), problems(left)]).toEqual([[own.name], ["zone_unknown"]]);
  });

  it("a set that somebody changed since it was read stays as they left it", async () => {
    const old = text(`e.${zone}`, "v=STSv1; id=aaaaaaaaaaaaaaaaaaaa");
    const ours = text(old.name, "v=STSv1; id=bbbbbbbbbbbbbbbbbbbb");
    await knot.update(`zone ${zone}`, `add ${old.name} 60 TXT "${old.text}"`);
    const found = (await provider().read([old.name])).flatMap(({ records }) => records);
    await knot.update(`zone ${zone}`, `add ${old.name} 60 TXT theirs`);
    const { left } = await provider().apply([change({ name: old.name, found, remove: found, add: [ours] })]);
    expect(problems(left)).toEqual(["changed"]);
    expect((await knot.ask(old.name, "TXT")).toSorted()).toEqual(['"theirs"', `"${old.text}"`]);
  });

  it("a change between the last look and the update makes the server refuse", async () => {
    const ours = text(`g.${zone}`, "v=STSv1; id=bbbbbbbbbbbbbbbbbbbb");
    const theirs = () => knot.update(`zone ${zone}`, `add ${ours.name} 60 TXT theirs`);
    const { port, close } = await startProxy(knot.port, { beforeUpdate: theirs });
    const late = rfc2136Dns({ host: "127.0.0.1", port, key: knot.key });
    const { left } = await late.apply([change({ name: ours.name, add: [ours] })]);
    close();
    expect(problems(left)).toEqual(["changed"]);
    expect(await knot.ask(ours.name, "TXT")).toEqual(['"theirs"']);
  });

  it("a response that somebody changed on its way is not believed", async () => {
    const { port, close } = await startProxy(knot.port, {
      ofResponse: (bytes) => bytes.map((octet, at) => (at === 4 ? octet ^ 4 : octet)),
    });
    const deceived = rfc2136Dns({ host: "127.0.0.1", port, key: knot.key });
    await expect(deceived.read([zone])).rejects.toMatchObject({ code: "response_invalid" });
    close();
  });

  it("a CNAME is not put beside a record of a type that is not read", async () => {
    await knot.update(`zone ${zone}`, `add f.${zone} 60 SRV 0 0 1 mail.${zone}.`);
    const alias: DnsRecord = { type: "CNAME", name: `f.${zone}`, target: `mail.${zone}` };
    const { left } = await provider().apply([change({ name: alias.name, type: "CNAME", add: [alias] })]);
    expect(problems(left)).toEqual(["changed"]);
    expect(await knot.ask(alias.name, "SRV")).toHaveLength(1);
  });
});

interface ProxyFaults {
  beforeUpdate?: () => Promise<void>;
  ofResponse?: (bytes: Buffer) => Uint8Array;
}

async function startProxy(target: number, { beforeUpdate, ofResponse = (bytes) => bytes }: ProxyFaults) {
  const proxy = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const socket of [client, upstream]) socket.on("error", () => {});
    const pass = async (bytes: Buffer) => {
      const opcode = ((bytes[4] ?? 0) >> 3) & 15;
      if (opcode === 5) await beforeUpdate?.();
      upstream.write(bytes);
    };
    client.on("data", (bytes: Buffer) => void pass(bytes));
    client.on("close", () => upstream.destroy());
    upstream.on("data", (bytes: Buffer) => client.write(ofResponse(bytes)));
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  return { port: (proxy.address() as AddressInfo).port, close: () => proxy.close() };
}

describe("a server that is no use", () => {
  const key = { name: "k", secret: Buffer.alloc(32, 7).toString("base64") };
  let server: Server;
  const start = (onData: (write: (bytes: Buffer) => void) => void) =>
    new Promise<number>((done) => {
      server = createServer((socket) => {
        socket.on("error", () => {});
        socket.on("data", () => onData((bytes) => socket.write(bytes)));
      });
      server.listen(0, "127.0.0.1", () => done((server.address() as AddressInfo).port));
    });
  const read = (port: number, signal?: AbortSignal) =>
    rfc2136Dns({ host: "127.0.0.1", port, key, deadlineMs: 200 }).read([zone], signal);

  it("is silent", async () => {
    const port = await start(() => {});
    await expect(read(port)).rejects.toMatchObject({ code: "unreachable" });
    await expect(read(port, AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
    server.close();
  });

  it("is not there", async () => {
    await expect(read(1)).rejects.toMatchObject({ code: "unreachable" });
  });

  it.each([
    ["responds without a signature", Buffer.from("0000840000010000000000000000010001", "hex")],
    ["responds with nonsense", Buffer.from("ff".repeat(40), "hex")],
    ["responds with a name that leads to itself", Buffer.from(`000084000001000000000000${"c00c"}00010001`, "hex")],
  ])("%s", async (_, response) => {
    const length = Buffer.from([response.length >> 8, response.length & 255]);
    const port = await start((write) => write(Buffer.concat([length, response])));
    await expect(read(port)).rejects.toMatchObject({ code: "response_invalid" });
    server.close();
  });
});
