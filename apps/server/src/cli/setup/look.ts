/** The facts that `kauke setup` reads before it changes anything: this machine, its network, and the domain's DNS. */
import { createServer } from "node:net";
import { networkInterfaces, totalmem } from "node:os";
import { domainOf, reverseName } from "@kauke/mail-rfc";
import type { Resolver } from "../../mail/dns/resolver.ts";
import { isPublicAddress } from "../../mail/transport/address-guard.ts";
import { type CheckResult, checking } from "../doctor/check-result.ts";
import { readGreeting } from "./greeting.ts";

export interface Wanted {
  domain: string;
  mailbox: string;
  mailHost: string;
  /** Hosts that take the domain's mail, and those that did by an earlier setup; `null`: a provider's, not known. */
  mailHosts: readonly string[] | null;
  /** How mail leaves: nothing else is asked of port 25 and of this machine's reputation. */
  isDirect: boolean;
  addresses: readonly string[];
  /** Ports that the server listens on, by purpose. */
  ports: Readonly<Record<string, number>>;
  /** Address that all listeners bind. */
  host: string;
}

export interface LookDeps {
  resolver: Resolver;
  isRunning: boolean;
  takeOver: boolean;
  checkBlockLists: boolean;
  /** Hosts whose greeting proves that port 25 is open; by default those of the operator's mailbox. */
  greetedBy: readonly string[];
  /** Port of other mail hosts; not 25 in tests only. */
  smtpPort: number;
  /** Time at the certificate issuer, to check the clock; `null`: no response. */
  issuerTime(): Promise<Date | null>;
  now(): Date;
}

export async function lookAround(wanted: Wanted, deps: LookDeps): Promise<CheckResult[]> {
  const results = await Promise.all([
    ...(wanted.isDirect ? wanted.addresses.map((address) => checkReverse(address, wanted, deps)) : []),
    ...(deps.isRunning ? [] : Object.entries(wanted.ports).map((one) => checkFree(one, wanted.host))),
    ...(wanted.isDirect ? [checkWayOut(wanted, deps)] : []),
    checkClock(deps),
    ...(wanted.isDirect && deps.checkBlockLists ? wanted.addresses.map((address) => checkLists(address, deps)) : []),
    ...(wanted.mailHosts === null ? [] : [checkTakeOver(wanted, wanted.mailHosts, deps)]),
  ]);
  return [checkAddresses(wanted), checkMemory(), ...results];
}

/** Public addresses of this machine's network interfaces; empty behind network address translation. */
export function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return all.filter((one) => !one.internal && isPublicAddress(one.address)).map((one) => one.address);
}

function checkAddresses({ addresses }: Wanted): CheckResult {
  const { ok, fix } = checking("address", "this machine");
  if (addresses.length > 0) return ok(`Its public address is ${addresses.join(" and ")}.`);
  return fix("It has no public address of its own: name the one that leads here, with --address.");
}

async function checkReverse(address: string, { mailHost }: Wanted, { resolver }: LookDeps): Promise<CheckResult> {
  const { ok, warn } = checking("reverse-name", address);
  const found = await resolver.resolvePtr(reverseName(address));
  if (found.kind === "failed") return warn("DNS gave no answer about the reverse name: run this again later.");
  const names = found.kind === "found" ? found.records.map((one) => one.toLowerCase().replace(/\.$/, "")) : [];
  if (names.includes(mailHost)) return ok(`Its reverse name is ${mailHost}.`);
  const now = names.length === 0 ? "It has no reverse name" : `Its reverse name is ${names.join(", ")}`;
  return warn(`${now}: set it to ${mailHost} at the hosting company, or large providers refuse mail from here.`);
}

async function checkFree([what, port]: [string, number], host: string): Promise<CheckResult> {
  const { ok, fix } = checking("port", `${what} ${port}`);
  const error = await listenOnce(port, host);
  if (error === null) return ok("It is free.");
  if (error === "EADDRINUSE") return fix("Another program listens there: stop it (`ss -ltnp` names it).");
  if (error === "EACCES") return fix("This user may not listen there: run this command as root.");
  return fix("This machine can't listen there: check the addresses in KAUKE_HOST.");
}

/** @returns the error code; `null` when the port is free */
function listenOnce(port: number, host: string): Promise<string | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

const WAY_OUT = "outgoing 25";

async function checkWayOut({ mailbox }: Wanted, { resolver, smtpPort, ...deps }: LookDeps): Promise<CheckResult> {
  const { ok, warn, fix } = checking("port", WAY_OUT);
  const greetedBy = deps.greetedBy.length > 0 ? deps.greetedBy : await mailHostsOf(mailbox, resolver);
  if (greetedBy.length === 0) return warn("No mail host is known to try it with: name one with --greet.");
  const greetings = await Promise.all(greetedBy.map((host) => readGreeting(host, smtpPort)));
  const silent = greetedBy.filter((_, index) => greetings[index] !== true);
  if (silent.length === 0) return ok(`${greetedBy.join(" and ")} greeted us.`);
  if (silent.length < greetedBy.length) return warn(`${silent.join(", ")} did not greet us, but others did.`);
  return fix(`${silent.join(" and ")} did not greet us: the hosting company blocks port 25. ${withoutPort25}`);
}

/** Whether these results say that mail can't leave by port 25. */
export function isPort25Blocked(results: readonly CheckResult[]): boolean {
  return results.some(({ check, subject, state }) => check === "port" && subject === WAY_OUT && state === "fix");
}

const withoutPort25 =
  "Best, let a provider take and send the mail (--forwarding forward-email). Or ask the company to open the port, or send through a relay (KAUKE_RELAY_URL and KAUKE_DELIVERY=relay in the settings).";

async function mailHostsOf(mailbox: string, resolver: Resolver): Promise<string[]> {
  const found = await resolver.resolveMx(domainOf(mailbox));
  if (found.kind !== "found") return [];
  const hosts = found.records.toSorted((a, b) => a.priority - b.priority).map(({ exchange }) => exchange);
  return hosts.filter((host) => host !== "").slice(0, 2);
}

const TOLERATED_MS = 60_000;

async function checkClock({ issuerTime, now }: LookDeps): Promise<CheckResult> {
  const { ok, warn, fix } = checking("clock", "this machine");
  const theirs = await issuerTime();
  if (theirs === null) return warn("The certificate issuer did not answer, so the clock was not compared.");
  const aheadMs = now().getTime() - theirs.getTime();
  if (Math.abs(aheadMs) <= TOLERATED_MS) return ok("It is right.");
  const how = `${Math.round(Math.abs(aheadMs) / 60_000)} minutes ${aheadMs > 0 ? "ahead" : "behind"}`;
  return fix(`It is ${how}: set it, and keep it synchronised (NTP).`);
}

const MIB = 1024 ** 2;
const NEEDED_MIB = 450;
const WANTED_MIB = 900;

function checkMemory(): CheckResult {
  const { ok, warn, fix } = checking("memory", "this machine");
  const mib = Math.round(totalmem() / MIB);
  if (mib < NEEDED_MIB) return fix(`It has ${mib} MiB, too little: 1 GiB is enough.`);
  return mib < WANTED_MIB ? warn(`It has ${mib} MiB; 1 GiB is better.`) : ok(`It has ${mib} MiB.`);
}

const blockLists = ["zen.spamhaus.org", "bl.spamcop.net"] as const;

async function checkLists(address: string, { resolver }: LookDeps): Promise<CheckResult> {
  const { ok, warn } = checking("block-list", address);
  const reversed = reverseName(address).replace(/\.(?:in-addr|ip6)\.arpa$/, "");
  const found = await Promise.all(blockLists.map((list) => resolver.resolve4(`${reversed}.${list}`)));
  // 127.255.255.x means that the blocklist refuses this resolver.
  const listed = blockLists.filter((_, index) => {
    const result = found[index];
    return result?.kind === "found" && result.records.some((one) => one.startsWith("127.0."));
  });
  if (listed.length === 0) return ok("No block list has it.");
  return warn(`It is on ${listed.join(" and ")}, so mail from here is refused: ask there to be taken off.`);
}

async function checkTakeOver(
  { domain, mailHost }: Wanted,
  mailHosts: readonly string[],
  { resolver, takeOver }: LookDeps,
): Promise<CheckResult> {
  const { ok, warn, fix } = checking("mx", domain);
  const found = await resolver.resolveMx(domain);
  if (found.kind === "failed") return warn("DNS gave no answer about where its mail goes today: run this again later.");
  const hosts = found.kind === "found" ? found.records.map((one) => one.exchange.toLowerCase().replace(/\.$/, "")) : [];
  const others = hosts.filter((host) => !mailHosts.includes(host) && host !== "");
  if (others.length === 0) return ok("No other host takes its mail.");
  const where = mailHosts[0] === mailHost ? "come here" : "go to the provider";
  const says = `Its mail goes to ${others.join(", ")} today, and would ${where} instead`;
  return takeOver ? warn(`${says}.`) : fix(`${says}: use another domain, or add --take-over.`);
}
