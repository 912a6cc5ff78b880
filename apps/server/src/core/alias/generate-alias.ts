import { domainToUnicode } from "node:url";
import { type AliasFormat, aliasMessages, generatedNames, limits } from "@kauke/contract";
import { aliasWords } from "@kauke/contract/alias-words";
import { findReservedName } from "@kauke/contract/reserved-names";
import { readDnsName } from "@kauke/mail-rfc";
import { getHostname } from "tldts";
import { registrableDomain } from "../../limits/party.ts";
import { bounds } from "../../limits/table.ts";
import { type Random, randomBelow, randomText } from "../../runtime/ports.ts";
import type { CallerKind } from "../api-key.ts";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { type AccountDefaults, mailboxDestinations, readAccountDefaults } from "../mailbox/account-defaults.ts";
import type { MailboxDeps } from "../mailbox/list-mailboxes.ts";
import { takeLimit } from "../take-limit.ts";
import { type Alias, type AliasToInsert, aliasAddress, type Destination } from "./alias.ts";
import {
  confirmedAmong,
  cutText,
  domainErrors,
  loopErrors,
  refuseBlocked,
  refuseFieldErrors,
  refuseUnconfirmed,
  reservedNameOf,
} from "./alias-rules.ts";
import { newAlias } from "./create-alias.ts";

/** @returns e.g. `kq7mhx2vcbt9rf`, `river.candle.mango.42`, a UUID or `shop.k7wnb`, possibly reserved or taken */
export function generateName(format: AliasFormat, random: Random, site: string | null = null): string {
  if (format === "uuid") return random.uuid().toLowerCase();
  if (format === "words") return randomWords(random);
  if (format === "characters" || site === null) return randomCharacters(random, generatedNames.characters.length);
  const { separator, suffixLength } = generatedNames.site;
  return `${site}${separator}${randomCharacters(random, suffixLength)}`;
}

function randomWords(random: Random): string {
  const { words, digits, separator } = generatedNames.words;
  const chosen = Array.from({ length: words }, () => aliasWords[randomBelow(random, aliasWords.length)]);
  const number = randomBelow(random, 10 ** digits);
  return [...chosen, String(number).padStart(digits, "0")].join(separator);
}

function randomCharacters(random: Random, length: number): string {
  return randomText(random, generatedNames.characters.alphabet, length);
}

/** @returns in lower case, e.g. `www.shop.example`; `null` if the text is neither a host name nor a URL */
export function siteHost(hostname: string): string | null {
  return hostname.length > limits.webhookUrlMax ? null : getHostname(hostname) || null;
}

/** @example siteName("https://www.Café-Noir.co.uk/menu") // "cafe-noir"; `null` without a public suffix */
export function siteName(hostname: string): string | null {
  const host = readDnsName(siteHost(hostname) ?? "");
  const [label = ""] = (host === null ? null : registrableDomain(host))?.split(".") ?? [];
  const plain = domainToUnicode(label).normalize("NFKD").toLowerCase();
  const cut = plain.replaceAll(/[^a-z0-9-]/g, "").slice(0, generatedNames.site.nameMax);
  return cut.replaceAll(/^-+|-+$/g, "") || null;
}

export interface NameInput {
  userId: string;
  format?: AliasFormat | undefined;
  domain?: string | undefined;
  hostname?: string | undefined;
}

export interface GenerateInput extends NameInput {
  mailboxIds?: readonly string[] | undefined;
  destinations?: Destination[] | undefined;
  notes?: string | null | undefined;
  labels?: string[] | undefined;
  /** Cuts too long notes instead of refusing them, for clients that write notes themselves. */
  cutNotes?: boolean;
}

type GenerateDeps = MailboxDeps & Pick<CoreDeps, "random" | "clock" | "rateLimits" | "limitRules">;

/** Counts once for all names drawn. @throws AppError `invalid`, `no_mailbox`, `no_free_name`, `rate_limited` */
export async function generateAlias(deps: GenerateDeps, input: GenerateInput, by: CallerKind): Promise<Alias> {
  const { userId, hostname } = input;
  refuseFieldErrors({
    ...domainErrors(input, deps.mailDomains),
    ...loopErrors("forwardTo", input.destinations, deps.mailDomains),
  });
  const host = hostname === undefined ? null : siteHost(hostname);
  const notes = input.notes ? checkNotes(input.notes, input) : cutNotes(host ?? "");
  const defaults = await readAccountDefaults(deps, userId);
  const destinations = input.destinations ?? (await mailboxDestinations(deps, input, async () => defaults));
  if (by === "key")
    refuseUnconfirmed("forwardTo", {
      wanted: destinations,
      confirmed: await confirmedAmong(deps, userId, destinations),
    });
  await takeLimit(deps, "alias_create", { userId });
  await refuseBlocked(deps, "forwardTo", destinations);
  const domain = input.domain ?? defaults.domain;
  const draw = await nameSource(deps, input, defaults);
  for (let tries = 0; tries < bounds.generatedNames.tries; tries++) {
    const alias = newAlias(deps, { userId, name: draw(), domain, destinations, notes, labels: input.labels });
    if (await insertIfFree(deps, alias)) return alias;
  }
  throw new AppError("no_free_name");
}

/** A free name, which is not reserved. @throws AppError `invalid`, `no_free_name`, `rate_limited` */
export async function findFreeName(deps: GenerateDeps, input: NameInput): Promise<{ name: string; domain: string }> {
  const { userId } = input;
  refuseFieldErrors(domainErrors(input, deps.mailDomains));
  await takeLimit(deps, "name_generate", { userId });
  const defaults = await readAccountDefaults(deps, userId);
  const domain = input.domain ?? defaults.domain;
  const draw = await nameSource(deps, input, defaults);
  for (let tries = 0; tries < bounds.generatedNames.tries; tries++) {
    const name = draw();
    if (
      reservedNameOf({ name, domain }, deps.mailDomains) === null &&
      (await deps.aliases.isFree(userId, aliasAddress(name, domain)))
    )
      return { name, domain };
  }
  throw new AppError("no_free_name");
}

/** Draws names that begin with the site's name if wanted, unless that would make every name reserved. */
async function nameSource(
  { random }: Pick<CoreDeps, "random">,
  { format, hostname }: NameInput,
  defaults: AccountDefaults,
): Promise<() => string> {
  const wantsSite = format === "site" || (format === undefined && defaults.siteInName);
  const site = wantsSite && hostname !== undefined ? siteName(hostname) : null;
  const drawSite = () => generateName("site", random, site);
  if (site !== null && findReservedName(drawSite()) === null) return drawSite;
  const plain = format === undefined || format === "site" ? defaults.format : format;
  return () => generateName(plain, random);
}

/** @returns false when the name is reserved or taken */
async function insertIfFree(
  { aliases, mailDomains }: Pick<CoreDeps, "aliases" | "mailDomains">,
  alias: AliasToInsert,
): Promise<boolean> {
  if (reservedNameOf(alias, mailDomains) !== null) return false;
  try {
    await aliases.insert(alias);
    return true;
  } catch (thrown) {
    if (thrown instanceof AppError && (thrown.code === "alias_taken" || thrown.code === "alias_released")) return false;
    throw thrown;
  }
}

function checkNotes(notes: string, { cutNotes: mayCut }: GenerateInput): string | null {
  if (notes.length > limits.notesMax && !mayCut) throw fieldError("notes", aliasMessages.notesLength);
  return cutNotes(notes);
}

function cutNotes(notes: string): string | null {
  return cutText(notes.replaceAll("\u0000", ""), limits.notesMax) || null;
}
