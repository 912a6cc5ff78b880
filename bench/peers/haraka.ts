/**
 * Runs Haraka, a peer, from the npm registry, with `queue/smtp_forward`, its DKIM plugin (RSA-2048) and a small plugin
 * for the alias and SRS. It is one process and relays a message within the sender's transaction, like cut-through.
 */
import { execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync, getDiffieHellman } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { openMeter } from "../cpu-meter.ts";
import { destination, type ForwardSystem, senderKeyName, senderKeyRecord } from "../forward/forward-system.ts";
import { freeBenchPort } from "../free-port.ts";
import { mixZone } from "../mix/mix-names.ts";
import { untilListening } from "../until-listening.ts";
import { harakaFiles } from "./haraka-config.ts";

const version = "3.3.4";
const home = join(import.meta.dirname, "../.state", "haraka");
const installed = join(home, "node_modules", "Haraka");

/** Installs Haraka if requested. @returns why there is no Haraka to compare with; `null` when it is installed */
export function missingHaraka({ install }: { install: boolean }): string | null {
  if (install && harakaVersion() === null) installHaraka();
  return harakaVersion() === null ? "Haraka is not installed; --install fetches it from the npm registry." : null;
}

/** @returns the installed version; `null` when Haraka is not installed */
export function harakaVersion(): string | null {
  if (!existsSync(installed)) return null;
  return (JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { version: string }).version;
}

/** Installs Haraka without running install scripts, which build only parts for syslog. */
function installHaraka(): void {
  mkdirSync(home, { recursive: true });
  // The second attempt uses older versions of two libraries, for registries that lag behind.
  for (const overrides of [{}, { libqp: "2.1.1", "encoding-japanese": "2.4.0" }]) {
    writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, overrides }));
    try {
      const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--silent"];
      execFileSync("npm", ["install", ...flags, `Haraka@${version}`], { cwd: home, stdio: "ignore" });
      return;
    } catch {
      // missingHaraka reports the failure.
    }
  }
}

export interface HarakaOptions {
  sinkPort: number;
  /** Name of the meter. */
  name: string;
  /** Whether signatures are checked on arrival. */
  verifies: boolean;
  /** Paths of certificate and key, for STARTTLS on both sides. */
  tls?: { cert: string; key: string };
  /** Aliases with their mailboxes in addition to alias@in.test. */
  aliases?: readonly (readonly [alias: string, mailbox: string])[];
  /** TXT record of the DKIM key with which the senders of the mix sign. */
  senderKey?: string;
}

export async function startHaraka(options: HarakaOptions): Promise<ForwardSystem> {
  const { sinkPort, name, verifies, tls, aliases = [], senderKey = "" } = options;
  const directory = mkdtempSync(join(tmpdir(), "kauke-haraka-"));
  const port = await freeBenchPort();
  const rcptTo = "alias@in.test";
  const files = harakaFiles({
    port,
    sinkPort,
    verifies,
    isSecure: tls !== undefined,
    aliases: [[rcptTo, destination], ...aliases],
  });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(join(directory, "config/dkim.private.key"), privateKey.export({ type: "pkcs1", format: "pem" }));
  mkdirSync(join(directory, "queue"));
  symlinkSync(join(home, "node_modules"), join(directory, "node_modules"));
  copyFileSync(join(installed, "config/connection.ini"), join(directory, "config/connection.ini"));
  if (tls !== undefined) {
    copyFileSync(tls.cert, join(directory, "config/tls_cert.pem"));
    copyFileSync(tls.key, join(directory, "config/tls_key.pem"));
    writeFileSync(join(directory, "config/dhparams.pem"), diffieHellmanGroup());
  }
  const zone = { ...mixZone(senderKey), [senderKeyName]: { txt: [senderKeyRecord()] } };
  const dns = verifies ? await startFakeDnsServer(zone) : null;
  const flags = dns === null ? [] : ["--import", nameServerModule(dns.address)];
  const meter = openMeter(name);
  const child = spawn(process.execPath, [...flags, join(installed, "bin/haraka"), "-c", directory], {
    stdio: "ignore",
  });
  meter.join(child.pid!);
  const ended = new Promise((resolve) => child.once("close", resolve));
  const kill = () => child.kill("SIGKILL");
  process.prependOnceListener("exit", kill);
  await untilListening(port);
  return {
    name: "haraka",
    variant: "peer",
    workers: 1,
    port,
    rcptTo,
    meter,
    warmUp: 1000,
    async close() {
      process.removeListener("exit", kill);
      kill();
      await ended;
      await dns?.close();
      meter.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** @returns the URL of a module that makes Node's default resolver query this server, as Haraka has no setting for it */
function nameServerModule(address: string): string {
  const source = `import { setServers } from "node:dns"; setServers(["${address}"]);`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

/**
 * Encodes a well-known group (RFC 3526 §3) as PEM. Without the file, Haraka computes a group of its own for minutes, in
 * a process that would be measured.
 */
function diffieHellmanGroup(): string {
  const prime = getDiffieHellman("modp14").getPrime();
  const integers = Buffer.concat([Buffer.from("0282010100", "hex"), prime, Buffer.from("020102", "hex")]);
  const der = Buffer.concat([
    Buffer.from("3082", "hex"),
    Buffer.from([integers.length >> 8, integers.length & 255]),
    integers,
  ]);
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN DH PARAMETERS-----", ...lines, "-----END DH PARAMETERS-----", ""].join("\n");
}
