/** Debian's `knotd`: an authoritative name server that takes updates signed with one key (RFC 2136). */
import { execFile, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../free-port.ts";

export interface Knot {
  port: number;
  /** May change every zone. */
  key: { name: string; secret: string };
  /** A key that the server knows and that may change nothing. */
  powerlessKey: { name: string; secret: string };
  /** What the server says, as `kdig +short` prints it, one line for each record. */
  ask(name: string, type: string): Promise<string[]>;
  /** Runs commands of `nsupdate`, as somebody else would who has the key. */
  update(...commands: string[]): Promise<void>;
  close(): Promise<void>;
}

export const hasKnot = ["knotd", "kdig", "nsupdate"].every((program) => spawnSync("which", [program]).status === 0);

/**
 * @param zones lines of zone files by zone; each zone has a SOA and an NS record besides
 * @param at where it listens; a free port of loopback by default
 */
export async function startKnot(
  zones: Record<string, readonly string[]>,
  { host = "127.0.0.1", port: given }: { host?: string; port?: number } = {},
): Promise<Knot> {
  const folder = await mkdtemp(join(tmpdir(), "kauke-knot-"));
  const port = given ?? (await freePort());
  const [key, powerlessKey] = ["kauke-key", "reader-key"].map((name) => ({
    name,
    secret: randomBytes(32).toString("base64"),
  })) as [Knot["key"], Knot["key"]];
  for (const [zone, lines] of Object.entries(zones)) {
    const head = [
      `$ORIGIN ${zone}.`,
      "$TTL 3600",
      "@ SOA ns hostmaster 1 3600 600 86400 60",
      "@ NS ns",
      `ns A ${host}`,
    ];
    await writeFile(join(folder, `${zone}.zone`), `${[...head, ...lines].join("\n")}\n`);
  }
  const config = join(folder, "knot.conf");
  await writeFile(config, configOf({ folder, host, port, keys: [key, powerlessKey], zones: Object.keys(zones) }));
  const server = spawn("knotd", ["-c", config], { stdio: "ignore" });
  const run = promisify(execFile);
  const ask = async (name: string, type: string) => {
    const at = [`@${host}`, "-p", String(port), "+short", "+tcp", "+retry=0", "+time=5"];
    const { stdout } = await run("kdig", [...at, name, type]);
    return stdout.split("\n").filter((line) => line !== "" && !line.startsWith(";"));
  };
  const [anyZone = ""] = Object.keys(zones);
  for (const giveUpAt = Date.now() + 20_000; (await ask(anyZone, "NS").catch(() => [])).length === 0; ) {
    if (Date.now() > giveUpAt || server.exitCode !== null) throw new Error("knotd does not start");
    await new Promise((done) => setTimeout(done, 50));
  }
  return {
    port,
    key,
    powerlessKey,
    ask,
    update: (...commands) => {
      const lines = [`server ${host} ${port}`, `key hmac-sha256:${key.name} ${key.secret}`, ...commands, "send", ""];
      return runWithInput("nsupdate", lines.join("\n"));
    },
    close: async () => {
      if (server.exitCode === null) {
        const end = new Promise((done) => server.once("exit", done));
        server.kill("SIGKILL");
        await end;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface ConfigParts {
  folder: string;
  host: string;
  port: number;
  keys: readonly Knot["key"][];
  zones: readonly string[];
}

function configOf({ folder, host, port, keys, zones }: ConfigParts): string {
  const [writer] = keys;
  return `server:
  listen: ${host}@${port}
  rundir: ${folder}
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
database:
  storage: ${folder}
  journal-db-max-size: 16M
key:
${keys.map(({ name, secret }) => `  - id: ${name}\n    algorithm: hmac-sha256\n    secret: ${secret}`).join("\n")}
acl:
  - id: writer
    key: ${writer?.name}
    action: update
template:
  - id: default
    storage: ${folder}
    file: "%s.zone"
    acl: writer
    zonefile-sync: -1
    zonefile-load: whole
    journal-content: changes
zone:
${zones.map((zone) => `  - domain: ${zone}`).join("\n")}
`;
}

async function runWithInput(program: string, input: string): Promise<void> {
  const child = spawn(program, { stdio: ["pipe", "ignore", "inherit"] });
  const end = new Promise<number | null>((done) => child.once("exit", done));
  child.stdin.end(input);
  if ((await end) !== 0) throw new Error(`${program} failed`);
}
