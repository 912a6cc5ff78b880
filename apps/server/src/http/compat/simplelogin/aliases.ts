/** Calls compatible with SimpleLogin on existing aliases: list, search, read, pause, change, delete. */
import { aliasMessages, formatForwardTo, limits } from "@kauke/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Alias, type Destination, mailboxesOf } from "../../../core/alias/alias.ts";
import { type AliasUpdateInput, deleteAlias, updateAlias } from "../../../core/alias/update-alias.ts";
import { AppError } from "../../../core/app-error.ts";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { exactMailbox } from "../../../core/destination/same-mailbox.ts";
import { aliasMailboxes } from "../../../core/mailbox/account-defaults.ts";
import { listMailboxes, readStates } from "../../../core/mailbox/list-mailboxes.ts";
import type { ListedMailbox } from "../../../core/mailbox/mailbox.ts";
import { takeLimit } from "../../../core/take-limit.ts";
import { filterInSlices } from "../../../runtime/fair-queue/slices.ts";
import { byKey, callerOf } from "../../request/key-caller.ts";
import { onlyWithAuthentication } from "../client-requests.ts";
import { cutNote, readDisplayName } from "../client-responses.ts";
import {
  type Fields,
  fieldsOf,
  flagOf,
  hasQuery,
  nullableText,
  numberInPath,
  numbersOf,
  pageNumberOf,
  requiredFields,
} from "./input.ts";
import { type AliasView, aliasToSimpleLogin } from "./wire.ts";

const PAGE_SIZE = 20;

export function simpleLoginAliasRoutes(app: FastifyInstance, deps: CoreDeps): void {
  const toRead = { ...onlyWithAuthentication, onRequest: byKey(deps, "aliases:read") };
  const toWrite = { ...onlyWithAuthentication, onRequest: byKey(deps, "aliases:write") };
  const list = (request: FastifyRequest) => listPage(deps, request);
  app.route({ method: ["GET", "POST"], url: "/api/v2/aliases", onRequest: toRead.onRequest, handler: list });
  app.get("/api/aliases/:number", toRead, async (request) => {
    return aliasToSimpleLogin(await aliasView(deps, await aliasOf(deps, request)));
  });
  app.get("/api/aliases/:number/activities", toRead, async (request) => {
    await takeLimit(deps, "client_activities", callerOf(request));
    pageNumberOf(request.query);
    await aliasOf(deps, request);
    return { activities: [] };
  });
  app.get("/api/aliases/:number/contacts", toRead, async (request) => {
    pageNumberOf(request.query);
    await aliasOf(deps, request);
    return { contacts: [] };
  });
  app.post("/api/aliases/:number/toggle", toWrite, (request) => toggle(deps, request));
  app.route({
    ...toWrite,
    method: ["PUT", "PATCH"],
    url: "/api/aliases/:number",
    handler: (request) => change(deps, request),
  });
  app.delete("/api/aliases/:number", toWrite, async (request) => {
    const { id, userId } = await aliasOf(deps, request);
    await deleteAlias(deps, { userId, aliasId: id });
    return { deleted: true };
  });
}

const aliasOf = (deps: CoreDeps, request: FastifyRequest): Promise<Alias> =>
  aliasInPath(deps, callerOf(request).userId, request.params);

async function listPage(deps: CoreDeps, request: FastifyRequest) {
  const { userId } = callerOf(request);
  await takeLimit(deps, "client_list", { userId });
  const page = pageNumberOf(request.query);
  const { query } = fieldsOf(request.body);
  const searched = typeof query === "string" ? query.trim().toLowerCase() : "";
  const all = await deps.aliases.listForUser(userId);
  const found = await filterInSlices(all, (alias) => isChosen(alias, request.query) && isFound(alias, searched));
  // The list is newest first; sorting is stable, so only pinned aliases move.
  const shown = found
    .sort((a, b) => Number(b.pinned) - Number(a.pinned))
    .slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
  return { aliases: (await aliasViews(deps, userId, shown)).map(aliasToSimpleLogin) };
}

function isChosen({ routing, pinned }: Alias, query: unknown): boolean {
  if (hasQuery(query, "pinned")) return pinned;
  if (hasQuery(query, "disabled")) return routing.state === "paused";
  return !hasQuery(query, "enabled") || routing.state === "active";
}

function isFound({ name, domain, notes }: Alias, searched: string): boolean {
  return `${name}@${domain}`.toLowerCase().includes(searched) || (notes ?? "").toLowerCase().includes(searched);
}

async function toggle(deps: CoreDeps, request: FastifyRequest) {
  const alias = await aliasOf(deps, request);
  const { id, userId, routing } = alias;
  await takeLimit(deps, "client_toggle", { userId });
  const changed = await updateAlias(deps, { userId, aliasId: id }, { active: routing.state === "paused" });
  return { enabled: changed.routing.state === "active" };
}

/** Other requests may change the alias at the same time. */
const TRIES = 3;

async function change(deps: CoreDeps, request: FastifyRequest) {
  const fields = requiredFields(request.body);
  for (let tries = 1; ; tries++) {
    const alias = await aliasOf(deps, request);
    const input = await changeOf(deps, alias, fields);
    // Sender names and PGP exist only at SimpleLogin: a request that changes nothing else succeeds without effect.
    if (Object.keys(input).length === 0) return { ok: true };
    try {
      await updateAlias(deps, { userId: alias.userId, aliasId: alias.id }, input, "key");
      return { ok: true };
    } catch (thrown) {
      if (!(thrown instanceof AppError && thrown.code === "alias_changed") || tries === TRIES) throw thrown;
    }
  }
}

async function changeOf(deps: CoreDeps, alias: Alias, fields: Fields): Promise<AliasUpdateInput> {
  const input: AliasUpdateInput = {};
  if (Object.hasOwn(fields, "note")) input.notes = cutNote(nullableText(fields, "note"));
  if (Object.hasOwn(fields, "name")) input.displayName = readDisplayName(nullableText(fields, "name"));
  if (Object.hasOwn(fields, "pinned")) input.pinned = flagOf(fields, "pinned");
  if (!Object.hasOwn(fields, "mailbox_ids")) return input;
  const chosen = await mailboxesWithNumbers(deps, alias.userId, numbersOf(fields, "mailbox_ids"));
  const before = destinationsOf(alias);
  const stateOf = await readStates(deps, alias.userId, mailboxesOf(alias));
  const isHidden = (destination: Destination) =>
    destination.kind === "webhook" || stateOf(destination.address) !== "confirmed";
  input.destinations = withMailboxes(
    before,
    chosen.map(({ address }) => address),
    isHidden,
  );
  if (input.destinations.length > limits.destinationsMax)
    throw new AppError("invalid", { message: aliasMessages.forwardToTooMany });
  input.before = { alias: alias.name, forwardTo: formatForwardTo(before), notes: alias.notes };
  return input;
}

function destinationsOf({ routing }: Alias): Destination[] {
  return routing.state === "active" ? routing.destinations : routing.lastDestinations;
}

/** Mailboxes keep their spelling. @param isHidden webhooks and unconfirmed mailboxes, which clients can't see, stay */
function withMailboxes(
  before: readonly Destination[],
  addresses: readonly string[],
  isHidden: (destination: Destination) => boolean,
): Destination[] {
  const known = new Map(
    before.flatMap((one) => (one.kind === "mailbox" ? [[exactMailbox(one.address), one] as const] : [])),
  );
  const mailboxes = addresses.map((address): Destination => {
    return known.get(exactMailbox(address)) ?? { kind: "mailbox", address };
  });
  return [...mailboxes, ...before.filter((one) => isHidden(one) && !mailboxes.includes(one))];
}

export async function aliasViews(deps: CoreDeps, userId: string, aliases: readonly Alias[]): Promise<AliasView[]> {
  if (aliases.length === 0) return [];
  const known = await aliasMailboxes(deps, userId, aliases);
  const ids = aliases.map((alias) => alias.id);
  const mailboxIds = [...known.values()].map((mailbox) => mailbox.id);
  const aliasNumbers = await deps.clientNumbers.numbersOf(userId, "alias", ids);
  const mailboxNumbers = await deps.clientNumbers.numbersOf(userId, "mailbox", mailboxIds);
  return aliases.flatMap((alias) => {
    const number = aliasNumbers.get(alias.id);
    if (number === undefined) return [];
    const mailboxes = mailboxesOf(alias).flatMap((email) => {
      const id = mailboxNumbers.get(known.get(exactMailbox(email))?.id ?? "");
      return id === undefined ? [] : [{ id, email }];
    });
    return [{ alias, number, mailboxes }];
  });
}

/** @throws AppError `forbidden` when the alias was deleted meanwhile */
export async function aliasView(deps: CoreDeps, alias: Alias): Promise<AliasView> {
  const [view] = await aliasViews(deps, alias.userId, [alias]);
  if (view === undefined) throw new AppError("forbidden", { message: "Forbidden" });
  return view;
}

/** @throws AppError `forbidden` when the account has no alias with the client number in the path */
export async function aliasInPath(deps: CoreDeps, userId: string, params: unknown): Promise<Alias> {
  const number = numberInPath(params);
  const id = number === null ? null : await deps.clientNumbers.idOf(userId, "alias", number);
  const alias = id === null ? null : await deps.aliases.find(userId, id);
  if (alias === null) throw new AppError("forbidden", { message: "Forbidden" });
  return alias;
}

export interface NumberedMailbox {
  mailbox: ListedMailbox;
  number: number;
}

export async function numberedMailboxes(deps: CoreDeps, userId: string): Promise<NumberedMailbox[]> {
  const mailboxes = await listMailboxes(deps, userId);
  const ids = mailboxes.map(({ id }) => id);
  const numbers = await deps.clientNumbers.numbersOf(userId, "mailbox", ids);
  const numbered = mailboxes.flatMap((mailbox) => {
    const number = numbers.get(mailbox.id);
    return number === undefined ? [] : [{ mailbox, number }];
  });
  return numbered.sort((a, b) => Number(b.mailbox.isDefault) - Number(a.mailbox.isDefault));
}

/** @throws AppError `invalid` when the account has no mailbox with one of the numbers */
export async function mailboxesWithNumbers(
  deps: CoreDeps,
  userId: string,
  numbers: readonly number[],
): Promise<ListedMailbox[]> {
  const known = new Map((await numberedMailboxes(deps, userId)).map(({ mailbox, number }) => [number, mailbox]));
  return numbers.map((number) => {
    const mailbox = known.get(number);
    if (mailbox === undefined) throw new AppError("invalid", { message: "Errors with Mailbox" });
    return mailbox;
  });
}
