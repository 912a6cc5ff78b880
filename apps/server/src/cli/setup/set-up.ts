/**
 * `kauke setup`: from a bare server to one that takes and sends mail, by itself or through a forwarding provider. Every
 * step looks first and changes only what is missing, so that it can be repeated; it ends at the first thing that only
 * the operator can mend.
 */
import type { ProviderAccount } from "../../core/forwarding/provider-account.ts";
import { forwardEmail } from "../../settings/read-config.ts";
import { type CheckResult, checking } from "../doctor/check-result.ts";
import { providerMailHosts } from "../provider-records.ts";
import { isPort25Blocked, type Wanted } from "./look.ts";
import { addDomains, handOver, lookAtProvider } from "./provider-steps.ts";
import { succeed, withServer } from "./server-steps.ts";
import { type ProviderChoice, type SettingsChange, settingsChange } from "./settings-change.ts";
import { withoutSettings, withSettings } from "./settings-file.ts";
import type { Running, SetupDeps, SetupOptions } from "./setup-deps.ts";
import { withProvider } from "./with-provider.ts";

export async function* setUp(options: SetupOptions, deps: SetupDeps): AsyncGenerator<CheckResult> {
  const { domain } = options;
  const text = deps.settings.read();
  const present = deps.settings.parse(text);
  const otherDomain = servesOthers(present, domain);
  if (otherDomain !== null) return void (yield otherDomain);
  const { ok, fix } = checking("setup", domain);
  const provider = await providerFor(options, present, deps);
  if (typeof provider === "string") return void (yield fix(provider));
  const change = settingsChange(options, present, provider);
  const chosen: Chosen = { options, deps, text, present, provider, change };
  const found = await deps.look(wantedOf(chosen));
  yield* found;
  if (isPort25Blocked(found) && options.forwarding === null && !options.isDryRun && (await deps.provider.offer()))
    return void (yield* setUp({ ...options, forwarding: "forward-email" }, deps));
  const isWell = (yield* succeed(lookThere(chosen))) && found.every(({ state }) => state !== "fix");
  if (!isWell) return void (yield fix("Nothing was changed: mend this first."));
  if (options.isDryRun) return void (yield ok(wouldWrite(change, deps.settings.file)));
  if (!(await deps.confirm())) return void (yield fix("Nothing was changed."));
  yield* carryOut(chosen);
}

interface Chosen {
  options: SetupOptions;
  deps: SetupDeps;
  /** The file of settings, and what it sets. */
  text: string;
  present: Settings;
  provider: ChosenProvider | null;
  change: SettingsChange;
}

interface ChosenProvider extends ProviderChoice {
  account: ProviderAccount;
}

/** @returns `null`: this server takes and forwards the mail by itself; a sentence when the choice is not complete */
async function providerFor(
  { forwarding }: SetupOptions,
  present: Settings,
  { provider }: SetupDeps,
): Promise<ChosenProvider | string | null> {
  if ((forwarding ?? present.KAUKE_FORWARDING ?? "engine") !== "forward-email") return null;
  const choice = await provider.choose(present);
  return typeof choice === "string" ? choice : { ...choice, account: provider.account(choice) };
}

async function* lookThere({ options, deps, present, provider }: Chosen): AsyncGenerator<CheckResult> {
  if (provider === null) return;
  const isSelfHosted = providerMailHosts(provider.url) === null;
  yield* await lookAtProvider(provider.account, { domains: domainsIn(present, options.domain), isSelfHosted });
  if (present.KAUKE_FORWARDING !== "forward-email") yield* handOver(await deps.provider.countAliases(), isSelfHosted);
}

async function* carryOut(chosen: Chosen): AsyncGenerator<CheckResult> {
  const { options, deps, text, present, provider, change } = chosen;
  const { fix } = checking("setup", options.domain);
  if (provider !== null && !(yield* succeed(addDomains(provider.account, domainsIn(present, options.domain)))))
    return void (yield fix("No setting was changed: mend this first."));
  const isChanged = Object.keys(change.set).length + change.remove.length > 0;
  if (isChanged) deps.settings.write(withSettings(withoutSettings(text, change.remove), change.set));
  yield settingsResult(chosen, isChanged);
  const started = await deps.service.ensure({ isChanged });
  yield started;
  if (started.state === "fix") return;
  const access = await deps.service.access();
  if (access === null) return void (yield fix("The server does not start: its log says why (`journalctl -u kauke`)."));
  const isLeaving = provider === null && present.KAUKE_FORWARDING === "forward-email";
  const running: Running = { access, options, deps, isLeaving, mailHosts: wantedOf(chosen).mailHosts ?? [] };
  try {
    yield* provider === null ? withServer(running) : withProvider(running, provider);
  } finally {
    await access.close();
  }
}

function settingsResult({ deps: { settings }, provider }: Chosen, isChanged: boolean): CheckResult {
  const { ok, warn } = checking("settings", settings.file);
  const says = isChanged ? "Written." : "As they were.";
  if (provider === null || !settings.isOpenToOthers()) return ok(says);
  return warn(`${says} Other users of this machine can read it, and the API key in it: take that right from them.`);
}

/** Domains that the server is set up for. */
function domainsIn({ KAUKE_DOMAINS: domains }: Readonly<Record<string, string>>, domain: string): string[] {
  return domains === undefined ? [domain] : domains.split(",").map((one) => one.trim());
}

function servesOthers({ KAUKE_DOMAINS: domains }: Record<string, string>, domain: string): CheckResult | null {
  if (domains === undefined || domains.split(",").some((one) => one.trim() === domain)) return null;
  return checking("setup", domain).fix(
    `This server is set up for ${domains}: to add ${domain}, write it into KAUKE_DOMAINS yourself.`,
  );
}

type Settings = Readonly<Record<string, string>>;

function changed(present: Settings, { set, remove }: SettingsChange): Settings {
  const stays = Object.entries(present).filter(([name]) => !remove.includes(name));
  return { ...Object.fromEntries(stays), ...set };
}

function wantedOf({ options, present, provider, change }: Chosen): Wanted {
  const { domain, mailbox, addresses } = options;
  const settings = changed(present, change);
  const port = (name: string) => Number(settings[name]);
  const mailHost = settings.KAUKE_MAIL_HOST ?? `mail.${domain}`;
  const mailPorts = {
    mx: port("KAUKE_MX_PORT"),
    submissions: port("KAUKE_SUBMISSIONS_PORT"),
    submission: port("KAUKE_SUBMISSION_PORT"),
  };
  return {
    domain,
    mailbox,
    addresses,
    mailHost,
    mailHosts: mailHostsOf(mailHost, present, provider),
    isDirect: settings.KAUKE_DELIVERY === "direct",
    host: settings.KAUKE_HOST ?? "::",
    ports: {
      http: port("KAUKE_HTTP_PORT"),
      https: port("KAUKE_HTTPS_PORT"),
      ...(provider === null ? mailPorts : {}),
    },
  };
}

/** The own host also belongs to them while the provider takes the mail, and the provider's after it did. */
function mailHostsOf(mailHost: string, present: Settings, provider: ProviderChoice | null): readonly string[] | null {
  if (provider === null) return [mailHost, ...formerHosts(present)];
  const hosts = providerMailHosts(provider.url);
  return hosts === null ? null : [...hosts, mailHost];
}

function formerHosts({ KAUKE_FORWARDING, KAUKE_PROVIDER_URL }: Settings): readonly string[] {
  if (KAUKE_FORWARDING !== "forward-email") return [];
  return providerMailHosts(new URL(KAUKE_PROVIDER_URL ?? forwardEmail)) ?? [];
}

const secrets: readonly string[] = ["KAUKE_PROVIDER_KEY"];

function wouldWrite({ set, remove }: SettingsChange, file: string): string {
  const lines = Object.entries(set).map(([name, value]) => `${name}=${secrets.includes(name) ? "…" : value}`);
  if (lines.length + remove.length === 0) return "A dry run: nothing is missing in the settings.";
  const gone = remove.length === 0 ? "" : `, without ${remove.join(", ")}`;
  return `A dry run: ${file} would get ${lines.length === 0 ? "nothing new" : lines.join(", ")}${gone}.`;
}
