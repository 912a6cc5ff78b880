/** The operator's command as it is used: a process of its own beside a real server, with DNS from a table. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type FakeDnsName, type FakeDnsServer, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { kaukeInTurns } from "@kauke/testkit/programs/kauke-in-turns";
import { runKauke } from "@kauke/testkit/programs/run-kauke";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const launcher = fileURLToPath(new URL("../../../../scripts/kauke.mjs", import.meta.url));
const domain = "kauke.example";
const address = "9.18.27.36";

let dns: FakeDnsServer;
let dataDir: string;
let server: ServerProcess;
let settings: Record<string, string>;

beforeAll(async () => {
  dns = await startFakeDnsServer();
  dataDir = await makeDataDir();
  settings = {
    KAUKE_DOMAINS: domain,
    KAUKE_DELIVERY: "direct",
    KAUKE_DNS_SERVERS: dns.address,
    KAUKE_DKIM_ED25519: "on",
    KAUKE_PUBLIC_URL: "https://www.kauke.example",
  };
  server = await startServerProcess({ dataDir, env: settings });
}, 120_000);
afterAll(async () => {
  await server.kill();
  await dns.close();
  await removeDataDirs();
});

function kauke(args: readonly string[], { file, env = {} }: { file?: string; env?: Record<string, string> } = {}) {
  return runKauke(args, { dataDir, file, env: { ...settings, ...env } });
}

/** Publishes a zone file as a name server would: every line must be a record or a comment. */
function publish(zoneFile: string): void {
  const zone: Record<string, FakeDnsName> = {};
  for (const line of zoneFile.split("\n").filter((it) => it !== "" && !it.startsWith(";"))) {
    const [, name = "", type = "", data = ""] = /^(\S+)\. 3600 IN (\S+) (.+)$/.exec(line) ?? [];
    const entry = (zone[name] ??= {});
    const text = [...data.matchAll(/"([^"]*)"/g)].map(([, part]) => part).join("");
    if (type === "MX") zone[name] = { ...entry, mx: [[10, data.slice(3, -1)]] };
    else if (type === "TXT") zone[name] = { ...entry, txt: [...(entry.txt ?? []), text] };
    else if (type === "CNAME") zone[name] = { a: [address] };
    else throw new Error(`neither a record nor a comment: ${line}`);
  }
  zone[`mail.${domain}`] = { ...zone[`mail.${domain}`], a: [address] };
  zone["36.27.18.9.in-addr.arpa"] = { ptr: [`mail.${domain}`] };
  for (const name of Object.keys(dns.zone)) delete dns.zone[name];
  Object.assign(dns.zone, zone);
}

interface Report {
  mustMend: boolean;
  checks: { state: string; check: string; subject: string }[];
  mail?: { subject: string; text: string; from: string; to: string }[];
}

async function doctor(...args: string[]): Promise<Report & { code: number | null }> {
  const { code, out, err } = await kaukeInTurns(["doctor", "--json", ...args], { dataDir, env: settings });
  try {
    return { ...(JSON.parse(out) as Report), code };
  } catch {
    throw new Error(`not JSON: ${out}${err}`);
  }
}

const namesOf = (report: Report, state: string) =>
  report.checks.filter((it) => it.state === state).map((it) => it.check);

describe("beside a running server", () => {
  it("only the owner can open the socket", async () => {
    const found = await lstat(join(dataDir, "kauke.sock"));
    expect([found.isSocket(), found.mode & 0o777]).toEqual([true, 0o600]);
  });

  it("`domains` prints a zone file, and with it `doctor` finds nothing missing in DNS", async () => {
    const { code, out, err } = await kauke(["domains"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(`${domain}. 3600 IN MX 10 mail.${domain}.`);
    expect(out).toContain(`k2._domainkey.${domain}.`);
    expect(out).toContain(`mail.${domain}. 3600 IN TXT "v=spf1 a -all"`);
    expect(out).toContain(`mta-sts.${domain}. 3600 IN CNAME www.${domain}.`);
    expect(out).not.toContain("PRIVATE");
    publish(out);
    // With the `_mta-sts` record, which is removed here, `kauke doctor` would fetch the MTA-STS policy over the
    // network.
    delete dns.zone[`_mta-sts.${domain}`];
    const report = await doctor();
    expect(namesOf(report, "fix")).toEqual([]);
    // Reasons of the warnings: the certificate is self-signed, the port is not 25, the MTA-STS record is missing; legal
    // links, the retention of logs and registration have their defaults.
    expect(new Set(namesOf(report, "warn"))).toEqual(
      new Set(["port", "certificate", "mta-sts", "links", "logs", "registration"]),
    );
    expect(namesOf(report, "ok").filter((it) => it === "dkim")).toHaveLength(2);
    expect(namesOf(report, "ok")).toEqual(
      expect.arrayContaining(["server", "store", "queue", "permissions", "mx", "spf", "dmarc", "reverse-name"]),
    );
    expect([report.code, report.mustMend]).toEqual([0, false]);
  });

  it("problems are named, and the exit code reports them", async () => {
    const kept = dns.zone[`k1._domainkey.${domain}`];
    dns.zone[`k1._domainkey.${domain}`] = { txt: ["v=DKIM1; k=rsa; p=AAAA"] };
    const { code, out } = await kauke(["doctor"]);
    if (kept !== undefined) dns.zone[`k1._domainkey.${domain}`] = kept;
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`^fix +dkim k1\\._domainkey\\.${domain}`, "m"));
    expect(out.trimEnd()).toMatch(/1 fix: something must be fixed\.$/);
  });

  it("mail to the operator is counted, shown when asked for, and deleted once shown", async () => {
    const message = "From: Ann <ann@example.org>\r\nSubject: Spam from you\r\n\r\nPlease look.\r\n";
    const { last } = await sendMail({ port: server.mxPort, to: `abuse@${domain}`, message });
    expect(last).toMatch(/^250 /);
    const counted = await kauke(["doctor"]);
    expect(counted.out).toMatch(/^warn +operator-mail 1 kept/m);
    expect(counted.out).not.toContain("Please look");

    const shown = await kauke(["doctor", "--mail"]);
    expect(shown.out).toContain("Subject: Spam from you");
    expect(shown.out).toContain("  Please look.");
    const { mail } = await doctor("--mail", "--forget");
    expect(mail).toMatchObject([{ subject: "Spam from you", to: `abuse@${domain}`, from: "Ann <ann@example.org>" }]);
    expect((await doctor("--mail")).mail).toEqual([]);
  });

  it("the launcher runs the command on the pinned Node with the same output", async () => {
    const direct = await kauke(["domains"]);
    const launched = await kauke(["domains"], { file: launcher });
    expect([launched.code, launched.out]).toEqual([0, direct.out]);
  });
});

it("an unknown command prints the help", async () => {
  const unknown = [
    [],
    ["users", "delete", "--yes"],
    ["usres"],
    ["domains", "extra"],
    ["doctor", "--nonsense"],
    ["constructor"],
    ["users", "find"],
    ["backup"],
    ["keys"],
    ["migrate", "--show-addresses"],
  ];
  // In `npm test`, find-command.test.ts reads the others.
  const typed = isLongRun ? unknown : unknown.slice(0, 2);
  for (const { code, out, err } of await Promise.all(typed.map((args) => kauke(args)))) {
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("Usage: npx kauke");
  }
});

it("help is printed for the whole command and for each subcommand, and opens no data", async () => {
  const [whole, one] = await Promise.all([kauke(["--help"]), kauke(["users", "delete", "--help"])]);
  expect([whole.code, one.code, whole.err, one.err]).toEqual([0, 0, "", ""]);
  expect(whole.out).toContain("keys rotate");
  expect(one.out).toMatch(/^Usage: npx kauke users delete <id> \[options\]/);
  expect(one.out).toContain("--yes");
});

it("an invalid setting is reported by its name", async () => {
  const { code, err } = await kauke(["doctor"], { env: { KAUKE_MX_PORT: "x" } });
  expect(code).toBe(1);
  expect(err).toContain("KAUKE_MX_PORT must be");
});

describe("when no server runs", () => {
  it("after a kill the command opens the store itself, with the same keys, and says that no server runs", async () => {
    const before = await kauke(["domains"]);
    await server.kill();
    expect((await lstat(join(dataDir, "kauke.sock"))).isSocket()).toBe(true);
    const after = await kauke(["domains"]);
    expect([after.code, after.out]).toEqual([0, before.out]);
    const report = await doctor();
    expect(namesOf(report, "fix")).toEqual(["server"]);
    expect(namesOf(report, "ok")).toContain("dkim");
    expect(report.code).toBe(1);
  }, 60_000);

  it("the next server replaces the stale socket, and removes its own when it shuts down", async () => {
    server = await startServerProcess({ dataDir, env: settings });
    expect(namesOf(await doctor(), "fix")).toEqual([]);
    expect(await server.stop()).toBe(0);
    await expect(lstat(join(dataDir, "kauke.sock"))).rejects.toThrow("ENOENT");
  }, 60_000);
});
