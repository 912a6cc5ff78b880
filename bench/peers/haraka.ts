/**
 * Runs Haraka, a peer, from the npm registry, with `queue/smtp_forward`, its DKIM plugin (RSA-2048) and a small plugin
 * for the alias and SRS. It is one process and relays a message within the sender's transaction, like cut-through.
 */
import { execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
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
import { openMeter } from "../cpu-meter.ts";
import { destination, type ForwardSystem } from "../forward/forward-system.ts";
import { freePort } from "../free-port.ts";
import { untilListening } from "../mail-load.ts";
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

export async function startHaraka({ sinkPort }: { sinkPort: number }): Promise<ForwardSystem> {
  const directory = mkdtempSync(join(tmpdir(), "kauke-haraka-"));
  const port = await freePort();
  const rcptTo = "alias@in.test";
  const files = harakaFiles({ port, sinkPort, rcptTo, destination });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(join(directory, "config/dkim.private.key"), privateKey.export({ type: "pkcs1", format: "pem" }));
  mkdirSync(join(directory, "queue"));
  symlinkSync(join(home, "node_modules"), join(directory, "node_modules"));
  copyFileSync(join(installed, "config/connection.ini"), join(directory, "config/connection.ini"));
  const meter = openMeter("haraka");
  const child = spawn(process.execPath, [join(installed, "bin/haraka"), "-c", directory], { stdio: "ignore" });
  meter.join(child.pid!);
  const ended = new Promise((resolve) => child.once("close", resolve));
  const kill = () => child.kill("SIGKILL");
  process.prependOnceListener("exit", kill);
  await untilListening(port);
  return {
    name: "haraka",
    variant: "peer",
    port,
    rcptTo,
    meter,
    warmUp: 500,
    async close() {
      process.removeListener("exit", kill);
      kill();
      await ended;
      meter.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
