/** Checks this machine: host names, file modes, disk space, clock, messages in flight, and the relay. */

import { existsSync } from "node:fs";
import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { reverseName } from "@kauke/mail-rfc";
import type { FailureCode } from "../../core/delivery/delivery.ts";
import type { SmtpStage } from "../../mail/classify-reply.ts";
import type { Resolver } from "../../mail/dns/resolver.ts";
import { isPublicAddress } from "../../mail/transport/address-guard.ts";
import type { RelayState } from "../../mail/transport/relay-transport.ts";
import type { ServerFacts } from "../control/control-protocol.ts";
import type { DnsPlan } from "../dns-plan.ts";
import { type CheckResult, checking } from "./check-result.ts";

export interface HostCheckDeps {
  resolver: Resolver;
  plan: DnsPlan;
  delivery: "relay" | "direct" | "provider";
}

export interface HostFindings {
  results: CheckResult[];
  addresses: readonly string[];
}

export async function checkMailHost(deps: HostCheckDeps): Promise<HostFindings> {
  const { plan, resolver } = deps;
  const addresses = await addressesOf(plan.mailHost, resolver);
  const reverse = await Promise.all((addresses ?? []).map((address) => checkReverseName(address, deps)));
  const results = [checkAddresses(plan.mailHost, addresses), ...reverse, ...(await checkSmtpHost(addresses, deps))];
  return { results, addresses: addresses ?? [] };
}

async function addressesOf(host: string, resolver: Resolver): Promise<string[] | null> {
  const results = await Promise.all([resolver.resolve4(host), resolver.resolve6(host)]);
  if (results.some((one) => one.kind === "failed")) return null;
  return results.flatMap((one) => (one.kind === "found" ? one.records : []));
}

function checkAddresses(mailHost: string, addresses: readonly string[] | null): CheckResult {
  const { ok, warn, fix } = checking("address", mailHost);
  if (addresses === null) return fix("DNS gave no answer: check its name servers, and KAUKE_DNS_SERVERS.");
  if (addresses.length === 0) return fix("The mail host has no address, so no mail arrives: publish its A record.");
  if (!addresses.every(isPublicAddress))
    return warn(`Not every address is public (${addresses.join(", ")}): other hosts can't reach those.`);
  return ok(`Its addresses are ${addresses.join(" and ")}.`);
}

async function checkReverseName(address: string, { resolver, plan, delivery }: HostCheckDeps): Promise<CheckResult> {
  const { ok, warn, fix } = checking("reverse-name", address);
  const result = await resolver.resolvePtr(reverseName(address));
  if (result.kind === "failed") return warn("DNS gave no answer about the reverse name: run this again later.");
  const names = result.kind === "found" ? result.records.map((one) => one.toLowerCase().replace(/\.$/, "")) : [];
  if (names.includes(plan.mailHost)) return ok(`Its reverse name is ${plan.mailHost}.`);
  const advice = `Its reverse name is not ${plan.mailHost}: set it at the provider of the address (the hosting company).`;
  return delivery === "relay" ? warn(`${advice} With a relay that matters little.`) : fix(advice);
}

async function checkSmtpHost(
  expected: readonly string[] | null,
  { resolver, plan }: HostCheckDeps,
): Promise<CheckResult[]> {
  if (plan.smtpHost === plan.mailHost) return [];
  const { ok, fix } = checking("address", plan.smtpHost);
  const found = await addressesOf(plan.smtpHost, resolver);
  if (found === null) return [fix("DNS gave no answer: check its name servers, and KAUKE_DNS_SERVERS.")];
  const isSame = found.length > 0 && found.every((one) => expected?.includes(one));
  return [
    isSame
      ? ok("The host name for mail programs resolves to the mail host.")
      : fix("Mail programs use this name, and it does not resolve to the mail host: publish its CNAME."),
  ];
}

export interface MachineFolders {
  dataDir: string;
  folder: string;
  now: Date;
  database: ServerFacts["database"];
}

const GIB = 1024 ** 3;
/** Free disk space below which the check fails, and below which it warns. */
const NEEDED_BYTES = GIB / 4;
const WANTED_BYTES = 2 * GIB;
/** Tolerated milliseconds by which the clock is behind the newest file. */
const TOLERATED_MS = 60_000;

export async function checkMachine(folders: MachineFolders): Promise<CheckResult[]> {
  const parts = [checkModes(folders), checkDiskSpace(folders.dataDir), checkClock(folders), checkInFlight(folders)];
  return (await Promise.all(parts)).flat();
}

async function checkModes({ dataDir, folder }: MachineFolders): Promise<CheckResult[]> {
  if (process.platform === "win32" || !existsSync(dataDir)) return [];
  const privatePaths = [
    { name: "data directory", path: dataDir, mode: "700" },
    ...["secret.key", "self-signed.pem", "kauke.sock"].map((name) => ({
      name,
      path: join(dataDir, name),
      mode: "600",
    })),
    { name: ".env", path: join(folder, ".env"), mode: "600" },
  ];
  const open: CheckResult[] = [];
  for (const { name, path, mode } of privatePaths) {
    const found = await stat(path).catch(() => null);
    if (found === null || (found.mode & 0o077) === 0) continue;
    open.push(checking("permissions", name).fix(`Other users of this machine have access: chmod ${mode} ${path}`));
  }
  return open.length > 0 ? open : [checking("permissions", "data directory").ok("Only its owner can read the data.")];
}

async function checkDiskSpace(dataDir: string): Promise<CheckResult[]> {
  const { ok, warn, fix } = checking("disk", "data directory");
  const found = await statfs(dataDir).catch(() => null);
  if (found === null) return [warn("The free disk space can't be read.")];
  const bytes = found.bavail * found.bsize;
  const left = `${(bytes / GIB).toFixed(1)} GiB are free`;
  if (bytes < NEEDED_BYTES)
    return [fix(`Only ${left}: free some space, or mail that must be queued is soon refused with 452.`)];
  return [
    bytes < WANTED_BYTES
      ? warn(`Only ${left}: free some space before mail that must be queued is refused with 452.`)
      : ok(`${left}.`),
  ];
}

/** Finds a clock behind the newest file of the data directory; without network time, other errors stay unnoticed. */
async function checkClock({ dataDir, now }: MachineFolders): Promise<CheckResult[]> {
  const { ok, fix } = checking("clock", "this machine");
  const newest = await newestChange(dataDir);
  if (newest > now.getTime() + TOLERATED_MS)
    return [fix("It is behind the times of files in the data directory: set it, and keep it synchronised (NTP).")];
  return [ok("It is not behind the times of files in the data directory; more can't be checked from here.")];
}

async function newestChange(dataDir: string): Promise<number> {
  const names = await readdir(dataDir).catch(() => []);
  const times = await Promise.all(
    [...names.map((name) => join(dataDir, name)), join(dataDir, "db", "global", "pg_control")].map((path) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(0, ...times);
}

const leftByMove =
  "They are damaged, so that `kauke move` could not read them. They are lost unless a backup has them; `kauke move drop-old --yes` deletes them with the old data.";

/** An attempt during the SMTP session ends within minutes, in delivery or in the queue. */
const IN_FLIGHT_MS = 15 * 60_000;

/** Checks for old files of messages in flight. With PostgreSQL there are only those that a move could not read. */
async function checkInFlight({ dataDir, now, database }: MachineFolders): Promise<CheckResult[]> {
  const folder = join(dataDir, "underway");
  const names = await readdir(folder).catch(() => null);
  if (names === null) return [];
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
  // A file deleted during the check belongs to a message that was delivered or moved into the queue.
  const times = found.flatMap((one) => (one === null ? [] : [one.mtimeMs]));
  const { ok, warn } = checking("underway", `${times.length} messages`);
  if (database === "postgres") return times.length === 0 ? [] : [warn(leftByMove)];
  if (times.length === 0) return [ok("No delivery attempt is in progress while its sender waits.")];
  const oldestAt = Math.min(...times);
  const says = `Delivery attempts are in progress while the sender waits, the oldest since ${new Date(oldestAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  if (now.getTime() - oldestAt < IN_FLIGHT_MS) return [ok(`${says}.`)];
  return [
    warn(
      `${says}: restart the server, which moves them into the queue and logs those it can't read (in_flight_unreadable).`,
    ),
  ];
}

const SETTING = "KAUKE_RELAY_URL";

/** @param state `null` if mail is not sent through a relay */
export function checkRelay(state: RelayState | null): CheckResult[] {
  if (state === null) return [];
  const { ok, fix } = checking("relay", "connection");
  if (state.kind === "ready")
    return [ok(`It accepts our login and our sender (reply ${state.replyCode}). No message was sent.`)];
  const said = state.replyCode === null ? "" : ` (reply ${state.replyCode})`;
  return [fix(`${sentenceFor(state)}${said}, so no mail leaves: ${adviceFor(state)}`)];
}

type Failed = Extract<RelayState, { kind: "failed" }>;

const lost: Partial<Record<FailureCode, string>> = {
  dns_failed: "DNS gave no answer about its name",
  unreachable: "It can't be reached",
  timed_out: "It did not answer in time",
  tls_failed: "No secure connection to it could be made",
  connection_lost: "It ended the connection",
};

const refused: Partial<Record<SmtpStage, string>> = {
  auth: "It refused the login",
  mail: "It refused our sender",
};

function sentenceFor({ stage, code, replyCode }: Failed): string {
  if (stage === "auth" && replyCode === null) return "It offers neither AUTH PLAIN nor AUTH LOGIN";
  if (replyCode === null) return lost[code] ?? "It does not speak SMTP";
  return (stage === "connect" ? undefined : refused[stage]) ?? "It refused the connection";
}

function adviceFor({ stage, code }: Failed): string {
  if (stage === "auth") return `correct user and password in ${SETTING}, and restart.`;
  if (stage === "mail") return "ask its operator which sender domains it accepts.";
  if (code === "dns_failed" || code === "unreachable")
    return `check host and port in ${SETTING}, KAUKE_DNS_SERVERS, and the firewall.`;
  if (code === "tls_failed") return `check scheme and port in ${SETTING}, and the relay's certificate.`;
  return "ask its operator why.";
}
