/** SimpleLogin's calls that create aliases. An offered ending is signed for its account and valid for ten minutes. */

import { timingSafeEqual } from "node:crypto";
import { type AliasFormat, isAliasName } from "@kauke/contract";
import { aliasWords } from "@kauke/contract/alias-words";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Destination } from "../../../core/alias/alias.ts";
import { createAlias } from "../../../core/alias/create-alias.ts";
import { generateAlias, siteName } from "../../../core/alias/generate-alias.ts";
import { AppError } from "../../../core/app-error.ts";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { readAccountDefaults } from "../../../core/mailbox/account-defaults.ts";
import type { Random } from "../../../runtime/ports.ts";
import { byKey, callerOf } from "../../request/key-caller.ts";
import { cutNote } from "../client-responses.ts";
import { aliasView, mailboxesWithNumbers } from "./aliases.ts";
import {
  type Fields,
  fieldsOf,
  hostnameOf,
  nullableText,
  numbersOf,
  queryText,
  requiredFields,
  requiredText,
} from "./input.ts";
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
  const prefix = requiredText(fields, "alias_prefix").toLowerCase().replaceAll(" ", "");
  const signed = requiredText(fields, "signed_suffix");
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
  const { mailbox } = await readAccountDefaults(deps, userId);
  if (mailbox === null) throw new AppError("no_mailbox");
  return [{ kind: "mailbox", address: mailbox.address }];
}

async function chosenDestinations(deps: CoreDeps, userId: string, fields: Fields): Promise<Destination[]> {
  const mailboxes = await mailboxesWithNumbers(deps, userId, numbersOf(fields, "mailbox_ids"));
  return mailboxes.map(({ address }) => ({ kind: "mailbox", address }));
}

async function options(deps: CoreDeps, request: FastifyRequest) {
  const { userId } = callerOf(request);
  const { domain } = await readAccountDefaults(deps, userId);
  const hostname = hostnameOf(request.query) ?? "";
  const own = new Set(deps.mailDomains.ofAccount(userId));
  const owner = { mac: deps.suffixMac, userId, now: deps.clock.now() };
  const suffixes = offeredSuffixes(deps.random, deps.mailDomains.usableBy(userId), domain).map((suffix) => {
    const isCustom = own.has(suffix.slice(suffix.indexOf("@") + 1));
    return { suffix, signed: signSuffix(owner, suffix), isCustom };
  });
  return { prefix: siteName(hostname) ?? "", suffixes };
}

/** HMAC-SHA-256 under a server key that is used for signing alias endings only. */
export type SuffixMac = (data: string) => Buffer;

export interface SuffixOwner {
  mac: SuffixMac;
  userId: string;
  now: Date;
}

const VALID_SECONDS = 600;
const MAC_BYTES = 16;
/** The ending, the time of signing in seconds (base 36), and the MAC (base64url), separated by dots. */
const SIGNED = /^(.{2,400})\.([0-9a-z]{1,9})\.([A-Za-z0-9_-]{22})$/;

/** Endings of the default domain first. A word and two digits leave common names free: `.harbour42@kauke.test`. */
export function offeredSuffixes(random: Random, domains: readonly string[], defaultDomain: string): string[] {
  const ordered = [defaultDomain, ...domains.filter((domain) => domain !== defaultDomain)];
  return ordered.flatMap((domain) => [`.${wordWithDigits(random)}@${domain}`, `@${domain}`]);
}

/** The modulo makes some words minimally more likely, which does not matter for a text that is no secret. */
function wordWithDigits(random: Random): string {
  const word = aliasWords[random.bytes(4).readUInt32BE() % aliasWords.length];
  const digits = random.bytes(4).readUInt32BE() % 100;
  return `${word}${String(digits).padStart(2, "0")}`;
}

export function signSuffix({ mac, userId, now }: SuffixOwner, suffix: string): string {
  const time = Math.floor(now.getTime() / 1000).toString(36);
  return `${suffix}.${time}.${codeOf(mac, { userId, suffix, time }).toString("base64url")}`;
}

export type ReadSuffix = { kind: "valid"; suffix: string } | { kind: "expired" } | { kind: "tampered" };

export function readSuffix({ mac, userId, now }: SuffixOwner, signed: string): ReadSuffix {
  const [, suffix, time, given] = SIGNED.exec(signed) ?? [];
  if (suffix === undefined || time === undefined || given === undefined) return { kind: "tampered" };
  if (!timingSafeEqual(codeOf(mac, { userId, suffix, time }), Buffer.from(given, "base64url")))
    return { kind: "tampered" };
  const age = now.getTime() / 1000 - Number.parseInt(time, 36);
  return age > VALID_SECONDS ? { kind: "expired" } : { kind: "valid", suffix };
}

function codeOf(mac: SuffixMac, { userId, suffix, time }: { userId: string; suffix: string; time: string }): Buffer {
  return mac(JSON.stringify([userId, suffix, time])).subarray(0, MAC_BYTES);
}
