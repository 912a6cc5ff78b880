import { formatForwardTo } from "@kauke/contract";
import type { CallerKind } from "../api-key.ts";
import { AppError, notFound } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { MailboxDeps } from "../mailbox/list-mailboxes.ts";
import { takeLimit } from "../take-limit.ts";
import {
  type Alias,
  type AliasChange,
  type AliasStore,
  type Destination,
  destinationsOf,
  type EncryptionChoice,
  withDestinations,
} from "./alias.ts";
import {
  confirmedAmong,
  loopErrors,
  nextRouting,
  type RoutingInput,
  refuseBlocked,
  refuseFieldErrors,
  refuseReservedName,
  refuseUnconfirmed,
} from "./alias-rules.ts";
import { refuseRevealingName } from "./display-name.ts";

export interface AliasUpdateInput extends RoutingInput {
  name?: string;
  notes?: string | null;
  sealTo?: EncryptionChoice;
  labels?: readonly string[];
  pinned?: boolean;
  writeByAddress?: boolean;
  madeByMail?: null;
  displayName?: string | null;
  /** The alias as the client last read it; the update fails if it has changed since. */
  before?: { alias: string; forwardTo: string; notes: string | null };
}

/**
 * @param by an API key may add only confirmed mailboxes, and neither change `sealTo` nor allow writing by address
 * @throws AppError `invalid`, `alias_reserved`, `alias_taken`, `alias_released`, `alias_changed`, `rate_limited`,
 * `not_found`, `key_scope`
 */
export async function updateAlias(
  deps: MailboxDeps & Pick<CoreDeps, "clock" | "rateLimits" | "limitRules">,
  { userId, aliasId, clientAddress }: { userId: string; aliasId: string; clientAddress?: string },
  input: AliasUpdateInput,
  by: CallerKind = "session",
): Promise<Alias> {
  if (by === "key" && input.sealTo !== undefined)
    throw new AppError("key_scope", { message: "An API key can't change what forwarded mail is encrypted to." });
  if (by === "key" && input.writeByAddress === true)
    throw new AppError("key_scope", { message: "An API key can't allow writing by address." });
  refuseFieldErrors({
    ...loopErrors("forwardTo", input.destinations, deps.mailDomains),
    ...loopErrors("lastForwardTo", input.lastDestinations, deps.mailDomains),
  });
  await takeLimit(deps, "alias_change", { userId });
  await refuseRevealingName(deps, { userId, name: input.displayName });
  await countRename(deps, { userId, aliasId }, input.name);
  await refuseBlocked(deps, "forwardTo", input.destinations);
  await refuseBlocked(deps, "lastForwardTo", input.lastDestinations);
  const wanted = [...(input.destinations ?? []), ...(input.lastDestinations ?? [])];
  const confirmed = by === "key" ? await confirmedAmong(deps, userId, wanted) : null;
  const changed = await deps.aliases.update(
    userId,
    aliasId,
    (alias) => {
      if (confirmed !== null) refuseForKey(alias, input, confirmed);
      return decideChange(alias, input, deps.mailDomains);
    },
    clientAddress,
  );
  if (changed === null) throw notFound("Alias not found");
  return changed;
}

function refuseForKey(alias: Alias, input: AliasUpdateInput, confirmed: ReadonlySet<string>): void {
  const before = destinationsOf(alias);
  refuseUnconfirmed("forwardTo", { wanted: input.destinations, before, confirmed });
  refuseUnconfirmed("lastForwardTo", { wanted: input.lastDestinations, before, confirmed });
}

/** Renaming reserves the old address for 30 days, so it counts against the limit for new aliases. */
async function countRename(
  deps: Pick<CoreDeps, "aliases" | "clock" | "rateLimits" | "limitRules">,
  { userId, aliasId }: { userId: string; aliasId: string },
  name: string | undefined,
): Promise<void> {
  const alias = name === undefined ? null : await deps.aliases.find(userId, aliasId);
  if (alias === null || alias.name.toLowerCase() === name?.toLowerCase()) return;
  await takeLimit(deps, "alias_create", { userId });
}

function decideChange(alias: Alias, input: AliasUpdateInput, mailDomains: CoreDeps["mailDomains"]): AliasChange {
  if (input.before !== undefined && !isUnchanged(alias, input.before)) throw new AppError("alias_changed");
  // An existing name that became reserved later may stay, and its letter case may change.
  if (input.name !== undefined && input.name.toLowerCase() !== alias.name.toLowerCase())
    refuseReservedName({ name: input.name, domain: alias.domain }, mailDomains);
  const {
    active,
    destinations,
    lastDestinations,
    name,
    notes,
    sealTo,
    labels,
    pinned,
    writeByAddress,
    madeByMail,
    displayName,
  } = input;
  const isRouted = active !== undefined || destinations !== undefined || lastDestinations !== undefined;
  return {
    ...(isRouted && { routing: nextRouting(alias.routing, input) }),
    ...(name !== undefined && { name }),
    ...(notes !== undefined && { notes }),
    ...(sealTo !== undefined && { sealTo }),
    ...(labels !== undefined && { labels }),
    ...(pinned !== undefined && { pinned }),
    ...(writeByAddress !== undefined && { writeByAddress }),
    ...(madeByMail !== undefined && { madeByMail }),
    ...(displayName !== undefined && { displayName }),
  };
}

/** Whether the alias is as the client last read it; pausing is no change. */
function isUnchanged(alias: Alias, before: NonNullable<AliasUpdateInput["before"]>): boolean {
  const forwardTo = formatForwardTo(destinationsOf(alias));
  return alias.name === before.alias && alias.notes === before.notes && forwardTo === before.forwardTo;
}

/** Deletes an alias, reserving its address. @throws AppError `not_found`; `rate_limited` for too many reserved ones */
export async function deleteAlias(
  deps: Pick<CoreDeps, "aliases">,
  { userId, aliasId, clientAddress = null }: { userId: string; aliasId: string; clientAddress?: string | null },
): Promise<void> {
  if (!(await deps.aliases.delete(userId, aliasId, clientAddress))) throw notFound("Alias not found");
}

const SECRET_BYTES = 32;

interface OwnAlias {
  userId: string;
  aliasId: string;
}

/** The secret in the text form of Standard Webhooks: `whsec_` and base64. @throws AppError `not_found` */
export async function readWebhookSecret(
  deps: Pick<CoreDeps, "aliases">,
  { userId, aliasId }: OwnAlias,
): Promise<string> {
  const route = await deps.aliases.findRouteById(aliasId);
  if (route === null || route.userId !== userId) throw aliasNotFound();
  return asText(route.webhookSecret);
}

/** Replaces the webhook secret, also for queued calls. @throws AppError `not_found`, `rate_limited` */
export async function renewWebhookSecret(
  deps: Pick<CoreDeps, "aliases" | "random" | "clock" | "rateLimits" | "limitRules">,
  { userId, aliasId }: OwnAlias,
): Promise<string> {
  await takeLimit(deps, "secret_change", { userId });
  const webhookSecret = deps.random.bytes(SECRET_BYTES);
  if ((await deps.aliases.update(userId, aliasId, () => ({ webhookSecret }))) === null) throw aliasNotFound();
  return asText(webhookSecret);
}

const asText = (secret: Buffer): string => `whsec_${secret.toString("base64")}`;
const aliasNotFound = (): AppError => notFound("Alias not found");

export interface GoneWebhook {
  userId: string;
  aliasId: string;
  url: string;
  at: Date;
}

/** Pauses a webhook that responded with 410 (Gone) until the alias' destinations are saved again. */
export async function pauseWebhook(
  { aliases }: { aliases: Pick<AliasStore, "update"> },
  { userId, aliasId, url, at }: GoneWebhook,
): Promise<void> {
  await aliases.update(userId, aliasId, (alias) => {
    const now = destinationsOf(alias);
    if (!now.some((one) => isCalled(one, url))) return {};
    const next = now.map((one) => (isCalled(one, url) ? { ...one, pausedAt: at.toISOString() } : one));
    return { routing: withDestinations(alias.routing, next) };
  });
}

function isCalled(destination: Destination, url: string): boolean {
  return destination.kind === "webhook" && destination.url === url && destination.pausedAt === undefined;
}
