/** Which settings setup writes and removes, given those that are there. What the operator has set otherwise stays. */
import { forwardEmail } from "../../settings/read-config.ts";

export type ForwardingKind = "engine" | "forward-email";

/** A forwarding provider's address and the API key of the account there. */
export interface ProviderChoice {
  url: URL;
  key: string;
}

export interface SettingsChange {
  set: Readonly<Record<string, string>>;
  remove: readonly string[];
}

interface Named {
  domain: string;
  mailbox: string;
}

type Settings = Readonly<Record<string, string>>;

/** @param provider `null`: this server takes and forwards the mail by itself */
export function settingsChange(named: Named, present: Settings, provider: ProviderChoice | null): SettingsChange {
  const isByProvider = present.KAUKE_FORWARDING === "forward-email";
  const remove = (
    provider === null ? leavingProvider(present) : joiningProvider(present, isByProvider, provider)
  ).filter((name) => present[name] !== undefined);
  const stays = Object.fromEntries(Object.entries(present).filter(([name]) => !remove.includes(name)));
  const missing = Object.entries(missingSettings(named, stays, provider)).filter(([name]) => stays[name] === undefined);
  const chosen = Object.entries(providerSettings(provider)).filter(([name, value]) => stays[name] !== value);
  return { set: { ...Object.fromEntries(missing), ...Object.fromEntries(chosen) }, remove };
}

function leavingProvider(present: Settings): string[] {
  if (present.KAUKE_FORWARDING === undefined || present.KAUKE_FORWARDING === "engine") return [];
  const ofProvider = ["KAUKE_FORWARDING", "KAUKE_PROVIDER_KEY", "KAUKE_PROVIDER_URL"];
  return present.KAUKE_DELIVERY === "provider" ? [...ofProvider, "KAUKE_DELIVERY"] : ofProvider;
}

function joiningProvider({ KAUKE_DELIVERY }: Settings, isByProvider: boolean, { url }: ProviderChoice): string[] {
  // An earlier setup wrote `direct`; without port 25 it delivers nothing. The provider's own way is the default.
  const delivery = !isByProvider && (KAUKE_DELIVERY === "direct" || KAUKE_DELIVERY === "preview");
  return [...(delivery ? ["KAUKE_DELIVERY"] : []), ...(url.origin === forwardEmail ? ["KAUKE_PROVIDER_URL"] : [])];
}

function providerSettings(provider: ProviderChoice | null): Record<string, string> {
  if (provider === null) return {};
  const { url, key } = provider;
  const settings = { KAUKE_FORWARDING: "forward-email", KAUKE_PROVIDER_KEY: key };
  return url.origin === forwardEmail ? settings : { ...settings, KAUKE_PROVIDER_URL: url.origin };
}

/** Settings of a server on the internet, if the operator has not set them already. */
export function missingSettings(
  { domain, mailbox }: Named,
  { KAUKE_RELAY_URL: relay }: Settings,
  provider: ProviderChoice | null,
): Record<string, string> {
  return {
    NODE_ENV: "production",
    KAUKE_DOMAINS: domain,
    KAUKE_PUBLIC_URL: `https://${domain}`,
    KAUKE_HOST: "::",
    KAUKE_HTTP_PORT: "80",
    KAUKE_HTTPS: "on",
    KAUKE_HTTPS_PORT: "443",
    ...(provider === null ? mailSettings(relay !== undefined) : {}),
    KAUKE_TLS: "acme",
    KAUKE_ACME_EMAIL: mailbox,
    KAUKE_POSTMASTER: mailbox,
    KAUKE_REGISTRATION: "invite",
  };
}

function mailSettings(hasRelay: boolean): Record<string, string> {
  return {
    KAUKE_MX_PORT: "25",
    KAUKE_SUBMISSION_PORT: "587",
    KAUKE_SUBMISSIONS_PORT: "465",
    KAUKE_POP3S_PORT: "995",
    KAUKE_DELIVERY: hasRelay ? "relay" : "direct",
  };
}
