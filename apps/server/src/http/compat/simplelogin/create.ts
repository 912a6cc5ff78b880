/**
 * Calls compatible with SimpleLogin that create aliases: random ones, and those for which the user types the part of
 * the name before an offered ending.
 */
import { type AliasFormat, isAliasName } from "@kauke/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Destination } from "../../../core/alias/alias.ts";
import { createAlias } from "../../../core/alias/create-alias.ts";
import { generateAlias, siteName } from "../../../core/alias/generate-alias.ts";
import { AppError } from "../../../core/app-error.ts";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { accountDefaults } from "../../../core/mailbox/account-defaults.ts";
import { byKey, callerOf } from "../../request/key-caller.ts";
import { cutNote } from "../cut-note.ts";
import { aliasView, mailboxesWithNumbers } from "./alias-views.ts";
import {
  type Fields,
  fieldsOf,
  hostnameOf,
  nullableText,
  numbersOf,
  queryText,
  requiredFields,
  textOf,
} from "./input.ts";
import { offeredSuffixes, readSuffix, signSuffix } from "./suffix.ts";
import { createdToWire, optionsToWireV4, optionsToWireV5 } from "./wire.ts";

export function createRoutes(app: FastifyInstance, deps: CoreDeps): void {
  const onRequest = byKey(deps, "aliases:create");
  app.post("/api/alias/random/new", { onRequest }, (request, reply) => createRandom(deps, request, reply));
  app.post("/api/v2/alias/custom/new", { onRequest }, (request, reply) =>
    createCustom(deps, { request, reply, destinations: defaultDestination }),
  );
  app.post("/api/v3/alias/custom/new", { onRequest }, (request, reply) =>
    createCustom(deps, { request, reply, destinations: chosenDestinations }),
  );
  app.get("/api/v4/alias/options", { onRequest }, async (request) => optionsToWireV4(await options(deps, request)));
  app.get("/api/v5/alias/options", { onRequest }, async (request) => optionsToWireV5(await options(deps, request)));
}

const formats: Readonly<Record<string, AliasFormat>> = { uuid: "uuid", word: "words" };

async function createRandom(deps: CoreDeps, request: FastifyRequest, reply: FastifyReply) {
  const { userId } = callerOf(request);
  const mode = queryText(request.query, "mode") || undefined;
  const format = mode === undefined ? undefined : formats[mode];
  if (mode !== undefined && format === undefined)
    throw new AppError("invalid", { message: "mode must be either word or uuid" });
  // Notes of another type and invalid host names are ignored, because no client could correct them.
  const { note } = fieldsOf(request.body);
  const notes = typeof note === "string" ? cutNote(note) : null;
  const hostname = hostnameOf(request.query);
  const alias = await generateAlias(deps, { userId, format, hostname, notes, cutNotes: true }, "key");
  return reply.code(201).send(createdToWire(await aliasView(deps, alias)));
}

interface CustomCall {
  request: FastifyRequest;
  reply: FastifyReply;
  destinations(deps: CoreDeps, userId: string, fields: Fields): Promise<Destination[]>;
}

async function createCustom(deps: CoreDeps, { request, reply, destinations }: CustomCall) {
  const { userId } = callerOf(request);
  const fields = requiredFields(request.body);
  const prefix = textOf(fields, "alias_prefix").toLowerCase().replaceAll(" ", "");
  const signed = textOf(fields, "signed_suffix");
  const notes = cutNote(nullableText(fields, "note"));
  const read = readSuffix({ mac: deps.suffixMac, userId, now: deps.clock.now() }, signed);
  if (read.kind === "tampered") throw new AppError("invalid", { message: "Tampered suffix" });
  if (read.kind === "expired")
    return reply.code(412).send({ error: "This took longer than ten minutes. Please try again." });
  const [ending = "", domain = ""] = read.suffix.split("@");
  const name = prefix + ending;
  if (!isAliasName(name)) throw new AppError("invalid", { message: "wrong alias prefix or suffix" });
  const input = { userId, name, domain, notes, destinations: await destinations(deps, userId, fields) };
  const alias = await createAlias(deps, input, "key");
  return reply.code(201).send(createdToWire(await aliasView(deps, alias)));
}

async function defaultDestination(deps: CoreDeps, userId: string): Promise<Destination[]> {
  const { mailbox } = await accountDefaults(deps, userId);
  if (mailbox === null) throw new AppError("no_mailbox");
  return [{ kind: "mailbox", address: mailbox.address }];
}

async function chosenDestinations(deps: CoreDeps, userId: string, fields: Fields): Promise<Destination[]> {
  const mailboxes = await mailboxesWithNumbers(deps, userId, numbersOf(fields, "mailbox_ids"));
  return mailboxes.map(({ address }) => ({ kind: "mailbox", address }));
}

async function options(deps: CoreDeps, request: FastifyRequest) {
  const { userId } = callerOf(request);
  const { domain } = await accountDefaults(deps, userId);
  const hostname = hostnameOf(request.query) ?? "";
  const owner = { mac: deps.suffixMac, userId, now: deps.clock.now() };
  const suffixes = offeredSuffixes(deps.random, deps.ownDomains, domain).map((suffix) => {
    return { suffix, signed: signSuffix(owner, suffix) };
  });
  return { prefix: siteName(hostname) ?? "", suffixes };
}
