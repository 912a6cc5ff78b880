/** Mounts the contract's routes: authentication, validation of path ids and body, then the handler. */

import { Readable } from "node:stream";
import { type Endpoint, type EndpointName, endpoints, limits } from "@kauke/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { AppError, asAppError } from "../core/app-error.ts";
import type { CoreDeps } from "../core/core-deps.ts";
import { checkLoginSession } from "../core/login-session.ts";
import { clientBlock } from "../limits/party.ts";
import { onlyWithoutKey } from "./compat/client-requests.ts";
import type { BrowserCookie, SessionCookie } from "./cookies.ts";
import type { Call, Handler, Handlers } from "./handler.ts";
import type { AccountCalls } from "./request/account-calls.ts";
import { clientAddress, deviceName } from "./request/client.ts";
import { hasKeyField, keyCaller } from "./request/key-caller.ts";
import { LargeBodies } from "./request/large-bodies.ts";
import { parseBody } from "./request/parse-body.ts";
import { isCrossSiteRequest } from "./request/same-site.ts";
import { CompressedTexts } from "./response/compressed-text.ts";
import { Downloads } from "./response/downloads.ts";
import { jsonChunks, withLongListAsText } from "./response/json-chunks.ts";
import { allowSlowBody } from "./socket-guard.ts";

declare module "fastify" {
  interface FastifyRequest {
    signedInUserId: string | null;
  }
  interface FastifyContextConfig {
    /** Whether responses, errors included, have a `success` property, as the contract defines. */
    hasSuccessField?: boolean;
    isInTable?: boolean;
    hasBytesBody?: boolean;
  }
}

interface MountOptions {
  deps: CoreDeps;
  cookie: SessionCookie;
  browserCookie: BrowserCookie;
  calls: readonly MountedCall[];
  accountCalls: AccountCalls;
  asCaller?: AsCaller | undefined;
  originOf(request: FastifyRequest): string;
}

/** Calls served by a worker with its own fair queue; they do not count against the account's concurrent calls. */
const workerCalls: ReadonlySet<EndpointName> = new Set<EndpointName>([
  "createEncryptionKey",
  "downloadEncryptionKey",
  "decryptAuto",
  "decryptManual",
  "createEmailJob",
  // Its client may send slowly; the large bodies in progress have a share of their own.
  "uploadEmailAttachment",
]);

/**
 * Runs `work` so that its database statements wait for this caller's turn.
 * @param turn `party`: the client's network block (IPv4 /24, IPv6 /48); `account` and `isKnown`: of a signed-in user
 */
export type AsCaller = <T>(turn: { party: string; account: string | undefined; isKnown: boolean }, work: () => T) => T;

export const callerTurn = (request: FastifyRequest) => ({
  party: clientBlock(clientAddress(request)),
  account: request.signedInUserId ?? undefined,
  isKnown: request.signedInUserId !== null,
});

type AnyHandler = (call: Call<never>) => Promise<unknown>;

/** A call of the contract and what serves it. */
export interface MountedCall {
  endpoint: Endpoint;
  handler: AnyHandler;
  isOfWorker: boolean;
}

export function contractCalls(handlers: Handlers): MountedCall[] {
  return (Object.keys(endpoints) as EndpointName[]).map((name) => ({
    endpoint: endpoints[name],
    handler: handlers[name] as Handler<never> as AnyHandler,
    isOfWorker: workerCalls.has(name),
  }));
}

export function mountEndpoints(app: FastifyInstance, options: MountOptions): void {
  const { deps, accountCalls, asCaller = (_, work) => work() } = options;
  const largeBodies = new LargeBodies();
  const downloads = new Downloads();
  const compressedTexts = new CompressedTexts();
  for (const { endpoint, handler, isOfWorker } of options.calls) {
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      ...(endpoint.access === "admin" ? onlyWithoutKey : {}),
      config: {
        hasSuccessField: endpoint.hasSuccessField === true,
        isInTable: true,
        hasBytesBody: endpoint.bytesBody === true,
      },
      bodyLimit: endpoint.bodyMaxBytes ?? limits.smallBodyMaxBytes,
      // The session is checked before the body is read, so that clients without one cannot make the server read a body.
      onRequest: async (request, reply) => {
        const isByKey = hasKeyField(request.headers);
        if (isFile(endpoint) && !isByKey && isCrossSiteRequest(request.headers)) throw new AppError("cross_site");
        await authorize(options, endpoint, request);
        if (endpoint.bytesBody === true) refuseOtherTypes(request);
        if (endpoint === endpoints.uploadEmailAttachment) allowSlowBody(request.raw);
        const { signedInUserId } = request;
        if (endpoint.bodyMaxBytes !== undefined && signedInUserId !== null && deps.limitRules !== null)
          largeBodies.enter(request, reply, signedInUserId);
      },
      async handler(request, reply) {
        const call = callOf(endpoint, options, request, reply) as Call<never>;
        const { signedInUserId } = request;
        const caller = { access: endpoint.access, userId: signedInUserId };
        const work = async () => {
          // The session or the right may have ended while the body arrived, or while the call waited for its turn.
          if (endpoint.access === "admin") await requireAdmin(options, request);
          const response = await handler(call).catch((thrown) => rethrow(deps, caller, thrown));
          return isFile(endpoint) ? response : await withLongListAsText(response);
        };
        const turn = callerTurn(request);
        const inTurn = () => asCaller(turn, work);
        const isUnlimited = signedInUserId === null || isOfWorker;
        const response = await (isUnlimited ? inTurn() : accountCalls.run(signedInUserId, inTurn));
        if (!isFile(endpoint) || signedInUserId === null) {
          if (typeof response !== "string") return reply.code(endpoint.status).send(response);
          const { headers, apiKey } = request;
          reply.code(endpoint.status).type("application/json; charset=utf-8").header("vary", "Accept-Encoding");
          const compressed = await compressedTexts.compress(response, headers, apiKey !== null);
          return compressed === null ? reply.send(response) : reply.header("content-encoding", "gzip").send(compressed);
        }
        const userId = signedInUserId;
        const chunks = endpoint.savedAs === undefined ? (response as AsyncIterable<string>) : jsonChunks(response);
        const file = downloads.begin(chunks, { request, reply, userId, inTurn: (read) => asCaller(turn, read) });
        nameFile(reply, fileOf(endpoint, request), deps.clock.now());
        return reply.code(endpoint.status).send(file);
      },
    });
  }
}

/** JSON in place of a file would be read as a whole, up to the maximum size of a file, and parsed at once. */
function refuseOtherTypes({ headers }: FastifyRequest): void {
  const [type = ""] = (headers["content-type"] ?? "").split(";", 1);
  if (type.trim().toLowerCase() !== "application/octet-stream")
    throw new AppError("not_json", { message: "The body must be the file, as application/octet-stream." });
}

const isFile = ({ savedAs, fileTypes }: Endpoint): boolean => savedAs !== undefined || fileTypes !== undefined;

interface FileName {
  type: string;
  name: string;
  ending: string;
}

function fileOf({ savedAs, fileTypes }: Endpoint, request: FastifyRequest): FileName {
  if (savedAs !== undefined) return { type: "application/json", name: savedAs, ending: "json" };
  const { format = "" } = request.params as Record<string, string>;
  const type = fileTypes?.[format] ?? "text/plain";
  return { type, name: `kauke-${format}`, ending: type === "text/csv" ? "csv" : "txt" };
}

function nameFile(reply: FastifyReply, { type, name, ending }: FileName, now: Date): void {
  reply.type(`${type}; charset=utf-8`);
  reply.header("content-disposition", `attachment; filename="${name}-${now.toISOString().slice(0, 10)}.${ending}"`);
}

type SessionParts = Pick<MountOptions, "deps" | "cookie">;

async function authorize(parts: SessionParts, { access, scope }: Endpoint, request: FastifyRequest): Promise<void> {
  if (access === "anyone") return;
  if (access === "admin") return await requireAdmin(parts, request);
  if (hasKeyField(request.headers)) return void (await keyCaller(parts.deps, request, scope));
  const userId = await sessionOwner(parts, request);
  if (userId === null) throw new AppError("not_signed_in");
  request.signedInUserId = userId;
}

/** @throws AppError `not_found`, as for an unknown path, unless the request has the login session of an admin */
async function requireAdmin(parts: SessionParts, request: FastifyRequest): Promise<void> {
  const userId = await sessionOwner(parts, request);
  const user = userId === null ? null : await parts.deps.users.find(userId);
  if (user?.isAdmin !== true) throw new AppError("not_found");
  request.signedInUserId = user.id;
}

async function sessionOwner({ deps, cookie }: SessionParts, request: FastifyRequest): Promise<string | null> {
  const token = cookie.read(request);
  const session = token === null ? null : await checkLoginSession(deps, token);
  return session?.userId ?? null;
}

interface Caller {
  access: Endpoint["access"];
  userId: string | null;
}

/** @throws the error itself, or the refusal of a caller whose account was deleted while the call was in progress */
async function rethrow({ users }: CoreDeps, { access, userId }: Caller, thrown: unknown): Promise<never> {
  const isPlanned = asAppError(thrown) !== null || userId === null;
  if (!isPlanned && (await users.find(userId)) === null)
    throw new AppError(access === "admin" ? "not_found" : "not_signed_in", {}, thrown);
  throw thrown;
}

function callOf(endpoint: Endpoint, options: MountOptions, request: FastifyRequest, reply: FastifyReply) {
  const { cookie, browserCookie, originOf } = options;
  const userId = request.signedInUserId ?? undefined;
  return {
    params: checkedParams(endpoint, request.params as Record<string, string>, userId),
    query: endpoint.query === undefined ? {} : parseBody(endpoint.query, request.query),
    body: endpoint.body === undefined ? undefined : parseBody(endpoint.body, request.body),
    bytes: bytesOf(request),
    sizeBytes: lengthOf(request),
    userId,
    key: request.apiKey,
    clientAddress: clientAddress(request),
    device: deviceName(request.headers["user-agent"]),
    cookie: {
      token: cookie.read(request),
      write: (token: string) => cookie.write(reply, token),
      clear: () => cookie.clear(reply),
    },
    browser: {
      value: browserCookie.read(request),
      write: (value: string) => browserCookie.write(reply, value),
    },
    origin: originOf(request),
  };
}

/** A handler may stop reading early; the response is sent nevertheless. */
function bytesOf({ body }: FastifyRequest): AsyncIterable<Uint8Array> | null {
  return body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : null;
}

function lengthOf({ headers }: FastifyRequest): number | null {
  const length = headers["content-length"];
  return length === undefined ? null : Number(length);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const notFoundTexts: Record<string, string> = {
  aliasId: "Alias not found",
  noticeId: "Notice not found",
  jobId: "Email job not found",
  credentialId: "SMTP credentials not found",
  sessionId: "Session not found",
  keyId: "Encryption key not found",
  importId: "Import not found",
  mailboxId: "Mailbox not found",
  labelId: "Label not found",
  accountId: "Account not found",
  inviteId: "Invitation not found",
  probeId: "Proof of mail not found",
  attachmentId: "Attachment not found",
  contactId: "Contact not found",
  domainId: "Domain not found",
};

/** What is said of an id that names nothing. @param name of the path parameter */
export const notFoundText = (name: string): string | undefined => notFoundTexts[name];

/** In place of a user's id: prerendered documents are the same for everybody, and preload the user's data by it. */
const SIGNED_IN_USER = "me";

/** @throws AppError `not_found` for an invalid id, `forbidden` for the id of another user */
function checkedParams(
  { path, params: shapes }: Endpoint,
  params: Record<string, string>,
  userId: string | undefined,
): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, text] of Object.entries(params)) {
    const shape = shapes?.shape[name];
    if (shape instanceof z.ZodEnum) {
      if (!shape.safeParse(text).success) throw new AppError("not_found");
      checked[name] = text;
      continue;
    }
    const id = name === "userId" && text === SIGNED_IN_USER ? userId : text.toLowerCase();
    if (id === undefined || !UUID.test(id))
      throw new AppError("not_found", {
        message: path.startsWith("/api/keys/") ? "API key not found" : notFoundTexts[name],
      });
    if (name === "userId" && id !== userId) throw new AppError("forbidden");
    checked[name] = id;
  }
  return checked;
}
