import { isAliasName, limits } from "@kauke/contract";
import * as z from "zod";
import type { Alias } from "../../../core/alias/alias.ts";
import { type BulkChange, changeAliases, replaceMailboxes } from "../../../core/alias/change-aliases.ts";
import { createAlias } from "../../../core/alias/create-alias.ts";
import { generateAlias } from "../../../core/alias/generate-alias.ts";
import { deleteAlias, updateAlias } from "../../../core/alias/update-alias.ts";
import { AppError, notFound } from "../../../core/app-error.ts";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { exactMailbox } from "../../../core/destination/same-mailbox.ts";
import { aliasMailboxes, mailboxDestinations, readAccountDefaults } from "../../../core/mailbox/account-defaults.ts";
import { takeLimit } from "../../../core/take-limit.ts";
import { parseBody } from "../../request/parse-body.ts";
import { cutNote, readDisplayName } from "../client-responses.ts";
import { pageOf, selectAliases } from "./alias-list.ts";
import { type AliasQuery, readAliasQuery } from "./alias-query.ts";
import { type AddyCall, idOf, listUrl, type Mount } from "./call.ts";
import { aliasToAddy, generatedFormats } from "./wire.ts";

const BY = "key";

export function addyAliasRoutes(mount: Mount, deps: CoreDeps): void {
  const one = async (alias: Alias) => ({
    data: aliasToAddy(alias, await aliasMailboxes(deps, alias.userId, [alias])),
  });

  mount("GET /aliases", "aliases:read", ({ userId, request }) => listAliases(deps, userId, request));
  mount("GET /aliases/:id", "aliases:read", async ({ userId, request }) =>
    one(await findAlias(deps, userId, idOf(request))),
  );
  mount("POST /aliases", "aliases:create", async ({ userId, request, reply }) => {
    const alias = await create(deps, userId, parseBody(createBody, request.body));
    void reply.code(201);
    return one(alias);
  });

  const update = async ({ userId, request }: AddyCall) => {
    const { description, from_name: fromName } = parseBody(updateBody, request.body);
    const aliasId = idOf(request);
    const change = {
      ...(description === undefined ? {} : { notes: cutNote(description) }),
      ...(fromName === undefined ? {} : { displayName: readDisplayName(fromName) }),
    };
    if (Object.keys(change).length === 0) return one(await findAlias(deps, userId, aliasId));
    return one(await updateAlias(deps, { userId, aliasId }, change, BY));
  };
  mount("PATCH /aliases/:id", "aliases:write", update);
  // The Android app's HTTP library (Fuel 2.3.1) sends PATCH as POST with the header field `X-HTTP-Method-Override`.
  mount("POST /aliases/:id", "aliases:write", (call) => {
    if (call.request.headers["x-http-method-override"] !== "PATCH") throw new AppError("not_found");
    return update(call);
  });

  const remove = async ({ userId, request }: AddyCall) => deleteAlias(deps, { userId, aliasId: idOf(request) });
  mount("DELETE /aliases/:id", "aliases:write", remove);
  // Kauke does not store deleted aliases, so forgetting an alias deletes it, and a deleted one cannot be restored.
  mount("DELETE /aliases/:id/forget", "aliases:write", remove);

  mount("POST /active-aliases", "aliases:write", async ({ userId, request }) => {
    const { id: aliasId } = parseBody(idBody, request.body);
    return one(await updateAlias(deps, { userId, aliasId }, { active: true }));
  });
  mount("DELETE /active-aliases/:id", "aliases:write", async ({ userId, request }) => {
    await updateAlias(deps, { userId, aliasId: idOf(request) }, { active: false });
  });
  mount("POST /pinned-aliases", "aliases:write", async ({ userId, request }) => {
    const { id: aliasId } = parseBody(idBody, request.body);
    return one(await updateAlias(deps, { userId, aliasId }, { pinned: true }, BY));
  });
  mount("DELETE /pinned-aliases/:id", "aliases:write", async ({ userId, request }) => {
    await updateAlias(deps, { userId, aliasId: idOf(request) }, { pinned: false }, BY);
  });
  mount("POST /alias-recipients", "aliases:write", async ({ userId, request }) => {
    const { alias_id: aliasId, recipient_ids: mailboxIds } = parseBody(recipientsBody, request.body);
    const { failed } = await replaceMailboxes(deps, { userId, aliasIds: [aliasId], mailboxIds });
    const code = failed.get(aliasId);
    if (code !== undefined) throw new AppError(code);
    return one(await findAlias(deps, userId, aliasId));
  });
}

async function findAlias({ aliases }: CoreDeps, userId: string, aliasId: string): Promise<Alias> {
  const alias = await aliases.find(userId, aliasId);
  if (alias === null) throw notFound("Alias not found");
  return alias;
}

async function listAliases(deps: CoreDeps, userId: string, request: AddyCall["request"]) {
  const query = readAliasQuery(request.query as Record<string, unknown>);
  await takeLimit(deps, "client_list", { userId });
  const selected = await selectAliases(
    await deps.aliases.listForUser(userId),
    query,
    await recipientCheck(deps, userId, query),
  );
  const { number, size } = query.page;
  const mailboxes = await aliasMailboxes(deps, userId, selected.slice((number - 1) * size, number * size));
  const url = listUrl(request, deps.ownMail.origin);
  return pageOf(selected, query.page, { url, toWire: (alias) => aliasToAddy(alias, mailboxes) });
}

async function recipientCheck({ mailboxes }: CoreDeps, userId: string, { recipient }: AliasQuery) {
  const rows = recipient === undefined ? [] : await mailboxes.list(userId);
  const address = rows.find(({ id }) => id === recipient)?.address;
  const exact = address === undefined ? null : exactMailbox(address);
  return (other: string) => exactMailbox(other) === exact;
}

/** Creates an alias; fields that the client omits, e.g. recipients, get the account's defaults. */
async function create(deps: CoreDeps, userId: string, body: CreateBody): Promise<Alias> {
  const { format, local_part: name, recipient_ids: mailboxIds } = body;
  const domain = body.domain ?? undefined;
  const notes = cutNote(body.description ?? null);
  if (format !== "custom") {
    const ours = format ? generatedFormats[format] : undefined;
    return generateAlias(deps, { userId, domain, format: ours, mailboxIds, notes }, BY);
  }
  const destinations = await mailboxDestinations(deps, { userId, mailboxIds });
  const chosen = domain ?? (await readAccountDefaults(deps, userId)).domain;
  return createAlias(deps, { userId, name: name ?? "", domain: chosen, destinations, notes }, BY);
}

const CUSTOM_NAME_MAX = 50;
const BULK_MAX = 25;

const aliasId = z.uuid("This must be the id of an alias").toLowerCase();
const RECIPIENTS = `This must be a list of up to ${limits.destinationsMax} ids of confirmed mailboxes`;
const recipientIds = z
  .array(z.uuid(RECIPIENTS).toLowerCase(), RECIPIENTS)
  .max(limits.destinationsMax, RECIPIENTS)
  .nullish()
  .transform((ids) => [...new Set(ids ?? [])]);

/** Too long descriptions are cut, not refused, because some clients write descriptions themselves. */
const description = z.string("This must be a text").nullish();

const formats = [...(Object.keys(generatedFormats) as (keyof typeof generatedFormats)[]), "custom"] as const;
const NAME = "A name has letters, digits, hyphens, underscores and single dots inside";

export const createBody = z
  .object({
    domain: z.string("Please choose a domain").trim().toLowerCase().min(1, "Please choose a domain").nullish(),
    format: z.enum(formats, `This must be one of ${formats.join(", ")}`).nullish(),
    local_part: z.string("This must be a text").nullish(),
    description,
    recipient_ids: recipientIds,
  })
  .superRefine(({ format, local_part: name }, ctx) => {
    if (format !== "custom") return;
    const path = ["local_part"];
    if (!name) ctx.addIssue({ code: "custom", path, message: "Please enter a name" });
    else if (name.length > CUSTOM_NAME_MAX)
      ctx.addIssue({ code: "custom", path, message: `A name has ${CUSTOM_NAME_MAX} characters at most` });
    else if (!isAliasName(name)) ctx.addIssue({ code: "custom", path, message: NAME });
  });
export type CreateBody = z.infer<typeof createBody>;

export const updateBody = z.object({ description, from_name: z.string("This must be a text").nullish() });

export const idBody = z.object({ id: aliasId });

export const recipientsBody = z.object({ alias_id: aliasId, recipient_ids: recipientIds });

const IDS = `This must be a list of 1 to ${BULK_MAX} ids of aliases`;
export const bulkBody = z.object({ ids: z.array(aliasId, IDS).min(1, IDS).max(BULK_MAX, IDS) });
export const bulkRecipientsBody = bulkBody.extend({ recipient_ids: recipientIds });

const changes: Readonly<Record<string, BulkChange>> = {
  activate: { kind: "active", active: true },
  deactivate: { kind: "active", active: false },
  pin: { kind: "pinned", pinned: true },
  unpin: { kind: "pinned", pinned: false },
  delete: { kind: "deletion" },
  forget: { kind: "deletion" },
};

export function bulkRoutes(mount: Mount, deps: CoreDeps): void {
  for (const [name, change] of Object.entries(changes)) {
    mount(`POST /aliases/${name}/bulk`, "aliases:write", async ({ userId, request }) => {
      const { ids } = parseBody(bulkBody, request.body);
      await takeLimit(deps, "client_bulk", { userId });
      return changedToWire(ids, await changeAliases(deps, { userId, aliasIds: ids, change, by: "key" }));
    });
  }
  mount("POST /aliases/recipients/bulk", "aliases:write", async ({ userId, request }) => {
    const { ids, recipient_ids: mailboxIds } = parseBody(bulkRecipientsBody, request.body);
    await takeLimit(deps, "client_bulk", { userId });
    return changedToWire(ids, await replaceMailboxes(deps, { userId, aliasIds: ids, mailboxIds }));
  });
  mount("POST /aliases/get/bulk", "aliases:read", async ({ userId, request }) => {
    const { ids } = parseBody(bulkBody, request.body);
    await takeLimit(deps, "client_bulk", { userId });
    const aliases = await deps.aliases.findMany(userId, ids);
    if (aliases.length === 0) throw notFound(NONE_FOUND);
    const mailboxes = await aliasMailboxes(deps, userId, aliases);
    return { data: aliases.map((alias) => aliasToAddy(alias, mailboxes)) };
  });
}

const NONE_FOUND = "No aliases found";

/** @throws AppError `not_found` if none of the aliases belongs to the user */
function changedToWire(asked: readonly string[], { failed }: { failed: ReadonlyMap<string, unknown> }) {
  const ids = [...new Set(asked)].filter((id) => !failed.has(id));
  if (ids.length === 0) throw notFound(NONE_FOUND);
  return { message: ids.length === 1 ? "1 alias changed" : `${ids.length} aliases changed`, ids };
}
