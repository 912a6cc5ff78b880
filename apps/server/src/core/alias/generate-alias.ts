/** Aliases with generated names. What the caller leaves out comes from the account's defaults. */
import { type AliasFormat, aliasMessages, limits } from "@kauke/contract";
import { findReservedName } from "@kauke/contract/reserved-names";
import type { CallerKind } from "../api-key/api-key.ts";
import { confirmedAmong, refuseUnconfirmed } from "../api-key/refuse-unconfirmed.ts";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { refuseBlocked } from "../destination/refuse-blocked.ts";
import { type AccountDefaults, accountDefaults } from "../mailbox/account-defaults.ts";
import type { MailboxDeps } from "../mailbox/list-mailboxes.ts";
import { mailboxDestinations } from "../mailbox/mailbox-destinations.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { type Alias, aliasAddress, type Destination } from "./alias.ts";
import { domainErrors, ownDomainErrors, refuseFieldErrors } from "./alias-rules.ts";
import { newAlias } from "./create-alias.ts";
import { generateName } from "./generate-name.ts";
import { siteHost, siteName } from "./site-name.ts";

export interface NameInput {
  userId: string;
  format?: AliasFormat | undefined;
  /** Domain of the alias: one of our own, lower case. */
  domain?: string | undefined;
  /** Host name or URL of the site that the alias is for, in any form that a client sends. */
  hostname?: string | undefined;
}

export interface GenerateInput extends NameInput {
  /** Ids of mailboxes of the account; not together with `destinations`. */
  mailboxIds?: readonly string[] | undefined;
  destinations?: Destination[] | undefined;
  notes?: string | null | undefined;
  /** Ids of labels of the account. */
  labels?: string[] | undefined;
  /** Whether notes that are too long are cut instead of refused, for clients that write them by themselves. */
  cutNotes?: boolean;
}

type GenerateDeps = MailboxDeps & Pick<CoreDeps, "random" | "clock" | "rateLimits" | "limitRules">;

const TRIES = 20;

/**
 * Creates an active alias with a generated name; names that are reserved or taken are replaced by others. It counts
 * once against the rate limit, however many names were tried.
 * @param by an API key may forward only to confirmed mailboxes of the account
 * @throws AppError `invalid`, `no_mailbox` when no destination is given and no mailbox of the account is confirmed,
 * `no_free_name`, `rate_limited`
 */
export async function generateAlias(deps: GenerateDeps, input: GenerateInput, by: CallerKind): Promise<Alias> {
  const { userId, hostname } = input;
  refuseFieldErrors({
    ...domainErrors(input.domain ?? deps.ownDomains[0] ?? "", deps.ownDomains),
    ...ownDomainErrors("forwardTo", input.destinations, deps.ownDomains),
  });
  const host = hostname === undefined ? null : await siteHost(hostname);
  const notes = input.notes ? checkNotes(input.notes, input) : cutNotes(host ?? "");
  const defaults = await accountDefaults(deps, userId);
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
  for (let tries = 0; tries < TRIES; tries++) {
    const alias = newAlias(deps, { userId, name: draw(), domain, destinations, notes, labels: input.labels });
    if (await insertIfFree(deps, alias)) return alias;
  }
  throw new AppError("no_free_name");
}

/**
 * Returns a generated name that is free now, without making an alias or reserving the name.
 * @throws AppError `invalid`, `no_free_name`, `rate_limited`
 */
export async function findFreeName(deps: GenerateDeps, input: NameInput): Promise<{ name: string; domain: string }> {
  const { userId } = input;
  refuseFieldErrors(domainErrors(input.domain ?? deps.ownDomains[0] ?? "", deps.ownDomains));
  await takeLimit(deps, "name_generate", { userId });
  const defaults = await accountDefaults(deps, userId);
  const domain = input.domain ?? defaults.domain;
  const draw = await nameSource(deps, input, defaults);
  for (let tries = 0; tries < TRIES; tries++) {
    const name = draw();
    if (findReservedName(name) === null && (await deps.aliases.isFree(userId, aliasAddress(name, domain))))
      return { name, domain };
  }
  throw new AppError("no_free_name");
}

/**
 * Chooses the format of the names: the one that is asked for, else the account's. The name of a site is used if that is
 * asked for or set in the account, unless it has no character that an alias may have, or makes every name reserved.
 */
async function nameSource(
  { random }: Pick<CoreDeps, "random">,
  { format, hostname }: NameInput,
  defaults: AccountDefaults,
): Promise<() => string> {
  const wantsSite = format === "site" || (format === undefined && defaults.siteInName);
  const site = wantsSite && hostname !== undefined ? await siteName(hostname) : null;
  const drawSite = () => generateName("site", random, site);
  if (site !== null && findReservedName(drawSite()) === null) return drawSite;
  const plain = format === undefined || format === "site" ? defaults.format : format;
  return () => generateName(plain, random);
}

/** @returns false when the name is reserved or taken */
async function insertIfFree({ aliases }: Pick<CoreDeps, "aliases">, alias: Alias): Promise<boolean> {
  if (findReservedName(alias.name) !== null) return false;
  try {
    await aliases.insert(alias);
    return true;
  } catch (thrown) {
    if (thrown instanceof AppError && (thrown.code === "alias_taken" || thrown.code === "alias_released")) return false;
    throw thrown;
  }
}

/** @throws AppError `invalid` for notes that are too long and not to be cut */
function checkNotes(notes: string, { cutNotes: mayCut }: GenerateInput): string | null {
  if (notes.length > limits.notesMax && !mayCut) throw fieldError("notes", aliasMessages.notesLength);
  return cutNotes(notes);
}

function cutNotes(notes: string): string | null {
  const clean = notes.replaceAll("\u0000", "");
  const cut = clean.slice(0, limits.notesMax);
  // The first half of a character beyond the basic plane is not left alone at the end.
  return (clean.length > cut.length ? cut.replace(/[\ud800-\udbff]$/, "") : cut) || null;
}
