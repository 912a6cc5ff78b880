/**
 * Runs Postfix, the main peer: defaults with its durable queue, in a temporary directory, forwarding alias@in.test to
 * the sink. Optionally with OpenDKIM (RSA-2048) and postsrsd. Needs Debian and root. One CPU meter covers all
 * processes.
 */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import {
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { openMeter } from "../cpu-meter.ts";
import { destination, type ForwardSystem, senderKeyName, senderKeyRecord } from "../forward/forward-system.ts";
import { freeBenchPort } from "../free-port.ts";
import { findProgram } from "../mail-load.ts";
import { senderKeyNames } from "../mix/mix-names.ts";
import { untilListening } from "../until-listening.ts";
import { mainCf, masterCf, openDkimConf, verifierConf } from "./postfix-config.ts";

export interface PostfixOptions {
  sinkPort: number;
  dkim: boolean;
  srs: boolean;
  /** Whether a second OpenDKIM checks signatures on arrival. */
  verifies?: boolean;
  /** Paths of certificate and key, for STARTTLS on both sides. */
  tls?: { cert: string; key: string };
  /** Aliases with their mailboxes in addition to alias@in.test. */
  aliases?: readonly (readonly [alias: string, mailbox: string])[];
  /** TXT record of the DKIM key with which the senders of the mix sign. */
  senderKey?: string;
}

type Wanted = Pick<PostfixOptions, "dkim" | "srs"> & { install: boolean };

/** Installs Postfix if requested. @returns why there is no Postfix to compare with; `null` when it is installed */
export function missingPostfix(wanted: Wanted): string | null {
  const missing = missingPackages(wanted);
  if (missing.length > 0 && wanted.install && process.getuid?.() === 0) installPackages(missing);
  const still = missingPackages(wanted);
  if (still.length > 0)
    return `not installed: ${still.join(", ")}. As root on Debian, --install or KAUKE_BENCH_INSTALL=1 installs it.`;
  return process.getuid?.() === 0 ? null : "Postfix starts as root only.";
}

function missingPackages({ dkim, srs }: Wanted): string[] {
  const hasMap = globSync("/usr/lib/postfix/postfix-lmdb.so*").length > 0;
  return [
    ...(findProgram("postfix") === null ? ["postfix"] : []),
    ...(hasMap ? [] : ["postfix-lmdb"]),
    ...(dkim && findProgram("opendkim") === null ? ["opendkim"] : []),
    ...(srs && findProgram("postsrsd") === null ? ["postsrsd"] : []),
  ];
}

function installPackages(packages: string[]): void {
  execFileSync("debconf-set-selections", { input: "postfix postfix/main_mailer_type select No configuration\n" });
  execFileSync("apt-get", ["install", "-y", "--no-install-recommends", ...packages], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

export async function startPostfix(options: PostfixOptions): Promise<ForwardSystem> {
  const { dkim, srs, verifies = false, aliases = [], senderKey } = options;
  const directory = mkdtempSync(join(tmpdir(), "kauke-postfix-"));
  const meter = openMeter(basename(directory));
  const port = await freeBenchPort();
  const etc = join(directory, "etc");
  const run = (command: string[]) => {
    const [program = "", ...args] = meter.wrap(command);
    execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  };
  const close = () => {
    process.removeListener("exit", close);
    stopAll(directory);
    meter.close();
  };
  // Runs before the meter's own exit handler, which waits for its processes to end.
  process.prependOnceListener("exit", close);
  makeDirectories(directory);
  const srsPorts = srs ? { forward: await freeBenchPort(), reverse: await freeBenchPort() } : null;
  if (srsPorts !== null) startSrs(directory, srsPorts, run);
  if (verifies) startVerifier(directory, run, senderKey);
  if (dkim) startDkim(directory, run);
  const table = [["alias@in.test", destination], ...aliases];
  writeFileSync(join(etc, "virtual"), table.map((entry) => `${entry.join(" ")}\n`).join(""));
  writeFileSync(join(etc, "main.cf"), mainCf({ ...options, directory, temporary: dirname(directory), srsPorts }));
  writeFileSync(join(etc, "master.cf"), masterCf(readFileSync("/usr/share/postfix/master.cf.dist", "utf8"), port));
  execFileSync(program("postmap"), ["-c", etc, `lmdb:${etc}/virtual`]);
  run([program("postfix"), "-c", etc, "start"]);
  await untilListening(port);
  // Without a cgroup, the master process can be added only now that its id is known.
  if (meter.method === "/proc") for (const pid of startedPids(directory)) meter.join(pid);
  const name = [
    "postfix",
    ...(verifies ? ["opendkim (checks)"] : []),
    ...(dkim ? ["opendkim"] : []),
    ...(srs ? ["postsrsd"] : []),
  ].join("+");
  const rcptTo = "alias@in.test";
  return { name, variant: "peer", workers: null, port, rcptTo, meter, warmUp: 200, close: async () => close() };
}

const program = (name: string) => findProgram(name) ?? name;

function makeDirectories(directory: string): void {
  execFileSync("chmod", ["755", directory]);
  for (const name of ["etc", "spool", "data", "run"]) mkdirSync(join(directory, name));
  const owner = Number(execFileSync("id", ["-u", "postfix"], { encoding: "utf8" }));
  chownSync(join(directory, "data"), owner, -1);
  for (const path of globSync(["/etc/postfix/postfix-files", "/etc/postfix/dynamicmaps.cf*"]))
    cpSync(path, join(directory, "etc", path.split("/").at(-1)!), { recursive: true });
}

function startSrs(
  directory: string,
  ports: { forward: number; reverse: number },
  run: (command: string[]) => void,
): void {
  writeFileSync(join(directory, "srs.secret"), randomBytes(18).toString("base64"));
  const own = ["-d", "in.test", "-s", join(directory, "srs.secret"), "-p", join(directory, "srs.pid")];
  const listen = ["-f", String(ports.forward), "-r", String(ports.reverse), "-l", "127.0.0.1", "-u", "nobody", "-D"];
  run([program("postsrsd"), ...listen, ...own]);
}

function startDkim(directory: string, run: (command: string[]) => void): void {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keyFile = join(directory, "dkim.pem");
  writeFileSync(keyFile, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
  writeFileSync(join(directory, "keytable"), `k in.test:s1:${keyFile}\n`);
  writeFileSync(join(directory, "signingtable"), "* k\n");
  writeFileSync(join(directory, "hosts"), "0.0.0.0/0\n");
  writeFileSync(join(directory, "opendkim.conf"), openDkimConf(directory));
  run([program("opendkim"), "-x", join(directory, "opendkim.conf")]);
}

/** Starts OpenDKIM for checks with the senders' keys in a file, so its DNS look-ups are not part of the figures. */
function startVerifier(directory: string, run: (command: string[]) => void, mixKey: string | undefined): void {
  const mixKeys = mixKey === undefined ? [] : senderKeyNames().map((name) => `${name} ${mixKey}`);
  const keys = [`${senderKeyName} ${senderKeyRecord()}`, ...mixKeys];
  writeFileSync(join(directory, "publickeys"), keys.map((line) => `${line}\n`).join(""));
  writeFileSync(join(directory, "verifier.conf"), verifierConf(directory));
  run([program("opendkim"), "-x", join(directory, "verifier.conf")]);
}

function startedPids(directory: string): number[] {
  const files = globSync(["spool/pid/master.pid", "*.pid"], { cwd: directory });
  return files.map((file) => Number(readFileSync(join(directory, file), "utf8")));
}

function stopAll(directory: string): void {
  const etc = join(directory, "etc");
  try {
    if (existsSync(join(etc, "main.cf"))) execFileSync(program("postfix"), ["-c", etc, "stop"], { stdio: "ignore" });
  } catch {
    // Postfix was not running.
  }
  for (const file of globSync("*.pid", { cwd: directory })) {
    try {
      process.kill(Number(readFileSync(join(directory, file), "utf8")));
    } catch {
      // The process has ended.
    }
  }
  rmSync(directory, { recursive: true, force: true });
}
