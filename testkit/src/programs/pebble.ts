/**
 * Debian's `pebble`, a certificate issuer for tests (ACME), with its own DNS server: each name leads to 127.0.0.1
 * unless a test says otherwise. It looks at challenges at once, refuses every twentieth nonce, and reuses no proof.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { testCertificate, testKey } from "../test-certificate.ts";

export interface Pebble {
  directoryUrl: string;
  /** Certificate of the issuer's own web server. */
  ca: string;
  /** Root of the certificates that it issues; a new one with each start. */
  root(): Promise<string>;
  /** Where a name leads from now on. */
  lead(host: string, address: string): Promise<void>;
  /** Requests for new orders so far. */
  orders(): number;
  /** Ends the process, as an issuer that is down; nothing it knew survives. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export const hasPebble = ["pebble", "pebble-challtestsrv"].every(
  (program) => spawnSync("which", [program]).status === 0,
);

export interface PebbleAt {
  /** Address that it listens at. */
  host: string;
  /** A name of that address which `testCertificate` has. */
  name: string;
  /** Finds the hosts of challenges, in place of its own DNS server. */
  dnsServer?: string;
}

/**
 * @param challengePort where the issuer looks for challenges, in place of 80
 * @param tlsPort the same for 443
 */
export async function startPebble(
  challengePort: number,
  tlsPort?: number,
  { host, name, dnsServer }: PebbleAt = { host: "127.0.0.1", name: "localhost" },
): Promise<Pebble> {
  const folder = await mkdtemp(join(tmpdir(), "kauke-pebble-"));
  const [port, managementPort, dnsPort, dnsManagementPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const files = { certificate: join(folder, "cert.pem"), privateKey: join(folder, "key.pem") };
  await writeFile(files.certificate, testCertificate);
  await writeFile(files.privateKey, testKey);
  const pebble = {
    listenAddress: `${host}:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    httpPort: challengePort,
    tlsPort: tlsPort ?? (await freePort()),
    ocspResponderURL: "",
    externalAccountBindingRequired: false,
    ...files,
  };
  await writeFile(join(folder, "pebble.json"), JSON.stringify({ pebble }));
  const off = ["-http01", "", "-https01", "", "-tlsalpn01", ""];
  const dnsAt = ["-dns01", `127.0.0.1:${dnsPort}`, "-management", `127.0.0.1:${dnsManagementPort}`];
  const dns = spawn("pebble-challtestsrv", [...off, ...dnsAt, "-defaultIPv6", ""], { stdio: "ignore" });
  const environment = { ...process.env, PEBBLE_VA_NOSLEEP: "1", PEBBLE_AUTHZREUSE: "0" };
  let issuer: ChildProcess | null = null;
  let orders = 0;
  const start = async () => {
    if (issuer !== null) return;
    const args = ["-config", join(folder, "pebble.json"), "-dnsserver", dnsServer ?? `127.0.0.1:${dnsPort}`];
    const started = spawn("pebble", args, { env: environment, stdio: ["ignore", "pipe", "pipe"] });
    issuer = started;
    started.stdout?.on("data", (chunk: Buffer) => (orders += chunk.toString().split("Added order").length - 1));
    for (const giveUpAt = Date.now() + 20_000; !(await isUp(host, port)); ) {
      if (Date.now() > giveUpAt) throw new Error("pebble does not start");
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  const stop = async () => {
    if (issuer === null) return;
    await ended(issuer);
    issuer = null;
  };
  await start();
  return {
    directoryUrl: `https://${name}:${port}/dir`,
    ca: testCertificate,
    root: async () => (await get("127.0.0.1", managementPort, "/roots/0")).body,
    lead: async (host, address) => {
      const body = JSON.stringify({ host: `${host}.`, addresses: [address] });
      await fetch(`http://127.0.0.1:${dnsManagementPort}/clear-a`, { method: "POST", body });
      await fetch(`http://127.0.0.1:${dnsManagementPort}/add-a`, { method: "POST", body });
    },
    orders: () => orders,
    start,
    stop,
    close: async () => {
      await stop();
      await ended(dns);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await end;
}

const isUp = (host: string, port: number) =>
  get(host, port, "/dir").then(
    () => true,
    () => false,
  );

function get(host: string, port: number, path: string): Promise<{ body: string }> {
  return new Promise((resolve, reject) => {
    const call = request({ host, port, path, rejectUnauthorized: false, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ body: Buffer.concat(chunks).toString() }));
    });
    call.on("error", reject);
    call.end();
  });
}
