/**
 * `kauke setup`: from a bare server to one that takes and sends mail. Every step looks first and changes only what is
 * missing, so that it can be repeated; it ends at the first thing that only the operator can mend.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { DnsRecord } from "@kauke/mail-rfc";
import type { ServerFacts } from "../control/control-protocol.ts";
import type { OperatorAccess } from "../control/operator-access.ts";
import { dnsPlan } from "../dns-plan.ts";
import { checkIssued } from "../doctor/certificate-checks.ts";
import { type CheckResult, checking } from "../doctor/check-result.ts";
import { offerProbe } from "../probe-results.ts";
import type { Wanted } from "./look.ts";
import { withSettings } from "./settings-file.ts";

export interface SetupOptions {
  domain: string;
  /** The operator's own mailbox, elsewhere. */
  mailbox: string;
  /** Public addresses of this machine. */
  addresses: readonly string[];
  isDryRun: boolean;
}

export interface SetupDeps {
  settings: { file: string; read(): string; write(text: string): void; parse(text: string): Record<string, string> };
  look(wanted: Wanted): Promise<CheckResult[]>;
  /** Asks the operator whether to go on; true at once with `--yes`. */
  confirm(): Promise<boolean>;
  service: ServiceManager;
  /** Publishes records as the operator chose, then reads them until they are right. */
  publish(records: readonly DnsRecord[]): AsyncIterable<CheckResult>;
  account(access: OperatorAccess, mailbox: string): Promise<CheckResult>;
  /** Milliseconds: how long certificates are waited for, and between two looks at them. */
  certificateWait: { limitMs: number; pauseMs: number };
}

/** What runs the server on this machine. */
export interface ServiceManager {
  /** Starts the server, or restarts it when its settings changed. */
  ensure(change: { isChanged: boolean }): Promise<CheckResult>;
  /** The running server; `null` when it does not come up in time. */
  access(): Promise<OperatorAccess | null>;
}

export async function* setUp(options: SetupOptions, deps: SetupDeps): AsyncGenerator<CheckResult> {
  const { domain } = options;
  const text = deps.settings.read();
  const present = deps.settings.parse(text);
  const otherDomain = servesOthers(present, domain);
  if (otherDomain !== null) return void (yield otherDomain);
  const wanted = missingSettings(options);
  const missing = Object.fromEntries(Object.entries(wanted).filter(([name]) => present[name] === undefined));
  const found = await deps.look(wantedOf(options, { ...wanted, ...present }));
  yield* found;
  const { ok, fix } = checking("setup", domain);
  if (found.some(({ state }) => state === "fix")) return void (yield fix("Nothing was changed: mend this first."));
  if (options.isDryRun) return void (yield ok(wouldWrite(missing, deps.settings.file)));
  if (!(await deps.confirm())) return void (yield fix("Nothing was changed."));

  const isChanged = Object.keys(missing).length > 0;
  if (isChanged) deps.settings.write(withSettings(text, missing));
  yield checking("settings", deps.settings.file).ok(isChanged ? "Written." : "As they were.");
  const started = await deps.service.ensure({ isChanged });
  yield started;
  if (started.state === "fix") return;
  const access = await deps.service.access();
  if (access === null) return void (yield fix("The server does not start: its log says why (`journalctl -u kauke`)."));
  try {
    yield* withServer(access, options, deps);
  } finally {
    await access.close();
  }
}

async function* withServer(
  access: OperatorAccess,
  { domain, mailbox, addresses }: SetupOptions,
  deps: SetupDeps,
): AsyncGenerator<CheckResult> {
  const facts = await access.facts({});
  let isPublished = true;
  for await (const result of deps.publish(recordsFor(facts, addresses))) {
    if (result.state === "fix") isPublished = false;
    yield result;
  }
  const { ok, fix } = checking("setup", domain);
  if (!isPublished)
    return void (yield fix("Publish what is missing, then run this command again: it goes on from here."));
  yield* certificates(access, deps);
  yield await deps.account(access, mailbox);
  yield await offerProbe(access, mailbox);
  yield ok(`${facts.publicUrl} is yours. Ask \`kauke doctor\` whenever something seems wrong.`);
}

async function* certificates(access: OperatorAccess, { certificateWait }: SetupDeps): AsyncGenerator<CheckResult> {
  await access["certificates-order"]({});
  const { limitMs, pauseMs } = certificateWait;
  const giveUpAt = Date.now() + limitMs;
  for (;;) {
    const { certificates } = await access.facts({});
    const results = checkIssued({ certificates });
    // An issuer with a rate limit may name a time that is days away.
    const isAwaited = results.some(
      ({ state }, at) => state === "warn" && Date.parse(certificates?.[at]?.nextOrderAt ?? "") < giveUpAt,
    );
    if (!isAwaited || Date.now() > giveUpAt) {
      yield* results;
      return;
    }
    await pause(pauseMs);
  }
}

/** Records of the plan, and the addresses of this machine. */
function recordsFor(facts: ServerFacts, addresses: readonly string[]): DnsRecord[] {
  const plan = dnsPlan(facts);
  const hosts = [...new Set([new URL(facts.publicUrl).hostname, facts.mailHost])];
  const ofHosts = hosts.flatMap((name) =>
    addresses.map((address): DnsRecord => ({ type: address.includes(":") ? "AAAA" : "A", name, address })),
  );
  return [...ofHosts, ...plan.mailHostRecords, ...plan.domains.flatMap(({ records }) => records), ...plan.aliases];
}

function servesOthers({ KAUKE_DOMAINS: domains }: Record<string, string>, domain: string): CheckResult | null {
  if (domains === undefined || domains.split(",").some((one) => one.trim() === domain)) return null;
  return checking("setup", domain).fix(
    `This server is set up for ${domains}: to add ${domain}, write it into KAUKE_DOMAINS yourself.`,
  );
}

/** Settings of a server on the internet; those that the operator has set already win. */
export function missingSettings({ domain, mailbox }: SetupOptions): Record<string, string> {
  return {
    NODE_ENV: "production",
    KAUKE_DOMAINS: domain,
    KAUKE_PUBLIC_URL: `https://${domain}`,
    KAUKE_HOST: "::",
    KAUKE_HTTP_PORT: "80",
    KAUKE_HTTPS: "on",
    KAUKE_HTTPS_PORT: "443",
    KAUKE_MX_PORT: "25",
    KAUKE_SUBMISSION_PORT: "587",
    KAUKE_SUBMISSIONS_PORT: "465",
    KAUKE_DELIVERY: "direct",
    KAUKE_TLS: "acme",
    KAUKE_ACME_EMAIL: mailbox,
    KAUKE_POSTMASTER: mailbox,
    KAUKE_REGISTRATION: "invite",
  };
}

function wantedOf({ domain, mailbox, addresses }: SetupOptions, settings: Record<string, string>) {
  const port = (name: string) => Number(settings[name]);
  return {
    domain,
    mailbox,
    addresses,
    mailHost: settings.KAUKE_MAIL_HOST ?? `mail.${domain}`,
    host: settings.KAUKE_HOST ?? "::",
    ports: {
      mx: port("KAUKE_MX_PORT"),
      http: port("KAUKE_HTTP_PORT"),
      https: port("KAUKE_HTTPS_PORT"),
      submissions: port("KAUKE_SUBMISSIONS_PORT"),
      submission: port("KAUKE_SUBMISSION_PORT"),
    },
  };
}

function wouldWrite(missing: Record<string, string>, file: string): string {
  const lines = Object.entries(missing).map(([name, value]) => `${name}=${value}`);
  if (lines.length === 0) return "A dry run: nothing is missing in the settings.";
  return `A dry run: ${file} would get ${lines.join(", ")}.`;
}
