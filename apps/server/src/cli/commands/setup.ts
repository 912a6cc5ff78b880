import { chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { forwardingOf } from "../../app-forwarding.ts";
import { limitNames } from "../../limits/named-limits.ts";
import { createResolver, type Resolver } from "../../mail/dns/resolver.ts";
import type { Config } from "../../settings/config.ts";
import { environmentWith, parseDotEnv, SettingProblem, settingsFile } from "../../settings/env.ts";
import { letsEncrypt, readConfig } from "../../settings/read-config.ts";
import { domainName, mailbox } from "../../settings/values.ts";
import { openAccess } from "../control/operator-access.ts";
import { type CheckResult, mustMend, resultLine } from "../doctor/check-result.ts";
import { offerAccount } from "../setup/account.ts";
import type { DnsProvider } from "../setup/dns/provider.ts";
import { textKind } from "../setup/dns/text-kinds.ts";
import { dnsChoices, dnsProviderOf } from "../setup/dns-choice.ts";
import { lookAround, ownAddresses } from "../setup/look.ts";
import { forwardingChoices, forwardingOption, providerChoice, terminal } from "../setup/provider-choice.ts";
import { publishRecords } from "../setup/publish.ts";
import { countAliases } from "../setup/server-steps.ts";
import { isRunning, serviceManager } from "../setup/service-manager.ts";
import { setUp } from "../setup/set-up.ts";
import type { ProviderDeps, SetupDeps } from "../setup/setup-deps.ts";
import { type Command, type CommandCall, jsonText, print, refuse, type Values } from "./command.ts";

export const setup: Command = {
  usage: "setup <domain> <mailbox>",
  about: "makes this machine a mail server for the domain; the mailbox elsewhere is the operator's. Safe to repeat",
  options: {
    yes: "does not ask before it changes something",
    "dry-run": "only looks, and says what would be written",
    "take-over": "goes on although another mail host has the domain's mail today",
    "take-over-web": "also replaces the addresses of the website at the domain",
    "address list": "public addresses that lead here, with commas, when this machine does not have them itself",
    "greet list": "mail hosts to try outgoing mail with, in place of those of the mailbox",
    "no-block-lists": "does not ask block lists about the addresses",
    "forwarding how": `who takes and forwards the mail: ${forwardingChoices}; by default as it is set, else engine`,
    "provider-key-file file":
      "file with the API key of the account at the provider, `-` for standard input; without it the key is asked for",
    "provider-url url": "address of the provider's API, when it is a self-hosted copy",
    "dns how": `${dnsChoices}; by default the records are printed to be pasted`,
    "credential file": "file with the DNS provider's one credential, `-` for standard input; it is stored nowhere",
    "minutes n": "how long to wait for DNS and for certificates (30)",
  },
  async run(call) {
    const { args, values } = call;
    const [domain, operator] = [args[0] ?? "", args[1] ?? ""];
    const problem = problemWith(domain, operator);
    if (problem !== null) return refuse(problem);
    const forwarding = forwardingOption(values.forwarding);
    if (typeof forwarding === "string") return refuse(forwarding);
    if (values.credential === "-" && values["provider-key-file"] === "-")
      return refuse("Only one of --credential and --provider-key-file can be read from standard input.");
    const provider = dnsProviderOf(wordIn(values.dns, "paste"), secretIn(values.credential) ?? "");
    if (typeof provider === "string") return refuse(provider);
    const results: CheckResult[] = [];
    const addresses = listOf(values.address);
    const options = {
      domain: domainName(domain),
      mailbox: mailbox(operator),
      addresses: addresses.length > 0 ? addresses : ownAddresses(),
      forwarding: forwarding.kind,
      isDryRun: values["dry-run"] === true,
    };
    for await (const result of setUp(options, depsOf(call, provider))) {
      results.push(result);
      if (values.json !== true) print(`${resultLine(result)}\n`);
    }
    const code = mustMend(results) ? 1 : 0;
    return values.json === true ? print(jsonText({ steps: results, isDone: code === 0 }), code) : code;
  },
};

function problemWith(domain: string, operator: string): string | null {
  try {
    const own = domainName(domain);
    const theirs = mailbox(operator).split("@").at(-1) ?? "";
    const isOwn = theirs === own || theirs.endsWith(`.${own}`);
    return isOwn ? "The mailbox must be elsewhere: it gets the mail that this server can't handle by itself." : null;
  } catch (thrown) {
    if (!(thrown instanceof SettingProblem)) throw thrown;
    return "The first argument is a domain, such as kauke.example; the second an address, such as you@elsewhere.example.";
  }
}

const listOf = (value: string | boolean | undefined): string[] =>
  typeof value === "string" ? value.split(",").flatMap((one) => one.trim() || []) : [];

const wordIn = (value: string | boolean | undefined, otherwise: string) =>
  typeof value === "string" ? value : otherwise;

function secretIn(file: string | boolean | undefined): string | null {
  if (typeof file !== "string") return null;
  return readFileSync(file === "-" ? 0 : file, "utf8").trim();
}

function depsOf({ values }: CommandCall, dns: DnsProvider | null): SetupDeps {
  const file = settingsFile(process.cwd());
  const read = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
  const config = (): Config => {
    // The file overrides the environment: setup may have written it after this process started.
    return readConfig(environmentWith(parseDotEnv(read())), process.cwd(), limitNames).config;
  };
  const resolver = createResolver({ servers: config().dnsServers });
  const waitMs = minutesOf(values) * 60_000;
  const takeOver = values["take-over"] === true;
  // Standard output carries the JSON, so text for people goes to standard error.
  const show = (text: string) => void (values.json === true ? process.stderr : process.stdout).write(text);
  return {
    settings: {
      file,
      read,
      write: (text) => writeSettings(file, text),
      parse: parseDotEnv,
      isOpenToOthers: () => process.platform !== "win32" && (statSync(file).mode & 0o004) !== 0,
    },
    look: async (wanted) =>
      lookAround(wanted, {
        resolver,
        isRunning: await isRunning(config()),
        takeOver,
        checkBlockLists: values["no-block-lists"] !== true,
        greetedBy: listOf(values.greet),
        smtpPort: 25,
        issuerTime: () => timeAt(parseDotEnv(read()).KAUKE_ACME_DIRECTORY ?? letsEncrypt),
        now: () => new Date(),
      }),
    confirm: () => confirm(values),
    service: serviceManager(config),
    publish: (records, formerMailHosts) =>
      publishRecords(records, {
        provider: dns,
        takeOver,
        formerMailHosts,
        takeOverWeb: values["take-over-web"] === true,
        confirm: () => confirm(values),
        verify: { resolvers: config().dnsServers, deadlineMs: waitMs },
        show,
      }),
    account: (access, operator) => offerAccount(access, operator, show),
    provider: providerDeps(values, { config, resolver, waitMs }),
    certificateWait: { limitMs: waitMs, pauseMs: 2000 },
  };
}

interface Around {
  config(): Config;
  resolver: Resolver;
  waitMs: number;
}

function providerDeps(values: Values, { config, resolver, waitMs }: Around): ProviderDeps {
  const canAsk = values.yes !== true && process.stdin.isTTY;
  // Read once, because it may come from standard input.
  const key = secretIn(values["provider-key-file"]);
  return {
    offer: async () => canAsk && (await isYes(`${providerOffer} [y/N] `)),
    choose: (present) =>
      providerChoice({
        key,
        url: typeof values["provider-url"] === "string" ? values["provider-url"] : null,
        present: environmentWith(present),
        asking: canAsk ? terminal : null,
      }),
    account: (choice) => {
      const { account } = forwardingOf({ ...config(), forwarding: { kind: "forward-email", ...choice } }, { resolver });
      if (account === null) throw new Error("a forwarding provider has an account");
      return account;
    },
    countAliases: async () => {
      if (!(await isRunning(config()))) return 0;
      const access = await openAccess(config());
      try {
        return await countAliases(access);
      } finally {
        await access.close();
      }
    },
    withPolicy: async (domains) => {
      const found = await Promise.all(domains.map((domain) => hasOwnPolicy(domain, resolver)));
      return domains.filter((_, at) => found[at]);
    },
    wait: { limitMs: waitMs, pauseMs: 20_000 },
  };
}

/** A policy of others, which names their mail hosts, is theirs to end. */
async function hasOwnPolicy(domain: string, resolver: Resolver): Promise<boolean> {
  const name = `_mta-sts.${domain}`;
  const found = await resolver.resolveTxt(name);
  return found.kind === "found" && found.records.some((text) => textKind({ type: "TXT", name, text })?.isOurs(text));
}

const providerOffer =
  "Port 25 is blocked here. Forward Email, a provider with a paid plan, can take and send the mail instead. Use it?";

const DEFAULT_MINUTES = 30;

function minutesOf({ minutes }: Values): number {
  return typeof minutes === "string" && /^\d{1,4}$/.test(minutes) ? Number(minutes) : DEFAULT_MINUTES;
}

async function confirm({ yes }: Values): Promise<boolean> {
  if (yes === true) return true;
  if (!process.stdin.isTTY) return refuse("Add --yes to go on without a question.") === 0;
  return await isYes("Go on? [y/N] ");
}

const isYes = async (question: string): Promise<boolean> => /^y(?:es)?$/i.test((await terminal.line(question)).trim());

/** Replaces the settings file in one step, with its owner and mode; only the owner can read a new one. */
function writeSettings(file: string, text: string): void {
  const before = statSync(file, { throwIfNoEntry: false });
  writeFileSync(`${file}.new`, text, { mode: (before?.mode ?? 0o600) & 0o777 });
  if (before !== undefined && process.getuid?.() === 0) chownSync(`${file}.new`, before.uid, before.gid);
  renameSync(`${file}.new`, file);
}

const TIME_MS = 10_000;

/** Time of an https host from its Date field; `null` without one. */
function timeAt(url: string): Promise<Date | null> {
  return new Promise((resolve) => {
    const call = request(url, { method: "HEAD", agent: false, signal: AbortSignal.timeout(TIME_MS) }, (response) => {
      response.destroy();
      const time = new Date(response.headers.date ?? "");
      resolve(Number.isNaN(time.getTime()) ? null : time);
    });
    call.on("error", () => resolve(null));
    call.end();
  });
}
