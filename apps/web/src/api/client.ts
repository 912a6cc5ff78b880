/** `call` is typed by the contract's route table; responses are checked against its schemas in development only. */
import type { Body, EndpointName, endpoints, PageEvent, Params, Query, ResponseOf } from "@kauke/contract";
import { fillPath, firstRoutes, type Route } from "@kauke/contract/first-routes";
import { ApiError, toApiError, unreachable } from "./api-error.ts";
import { markReached, markUnreachable } from "./connection.ts";
import { dropAhead, keepAhead, takeAhead } from "./session/asked-ahead.ts";
import { markSignedOut, readCookieVersion } from "./session/lost-session.ts";
import { tellTabs } from "./session/session-tabs.ts";

const known: Partial<Record<EndpointName, Route>> = { ...firstRoutes };

/** Pages other than the public ones add the routes that they call: public pages don't carry them. */
export function addRoutes(more: Partial<Record<EndpointName, Route>>): void {
  Object.assign(known, more);
}

function routeOf(name: EndpointName): Route {
  const route = known[name];
  if (route === undefined) throw new Error(`The route ${name} is not loaded`);
  return route;
}

async function send(method: string, path: string, body?: unknown, keepalive = false): Promise<Response> {
  const init: RequestInit = { method, credentials: "same-origin", keepalive };
  if (body instanceof Blob) {
    init.headers = { "Content-Type": "application/octet-stream" };
    init.body = body;
  } else if (body !== undefined) {
    init.headers = { "Content-Type": "application/json" };
    init.body = JSON.stringify(body);
  }
  try {
    const response = await fetch(path, init);
    markReached();
    return response;
  } catch (cause) {
    markUnreachable();
    throw new ApiError({ status: 0, message: unreachable }, { cause });
  }
}

/** The logout request has no `keepalive`, because Chromium does not abort such requests. @throws any failure */
export async function requestLogout(signal: AbortSignal): Promise<void> {
  const { method, path } = firstRoutes.logout;
  const { ok, status } = await fetch(path, { method, credentials: "same-origin", signal });
  if (!ok) throw new Error(`The logout got status ${status}`);
}

/** @throws ApiError for any status but 2xx, and without a response */
export async function request(method: string, path: string, body?: unknown, keepalive = false): Promise<Response> {
  const response = await send(method, path, body, keepalive);
  if (!response.ok) throw toApiError(response.status, response.statusText, await response.text());
  return response;
}

async function checkBody(name: EndpointName, body: unknown): Promise<void> {
  const { endpoints } = await import("@kauke/contract");
  endpoints[name].response.parse(body);
}

type Given<N extends EndpointName> = (Params<N> extends Record<string, never> ? unknown : { params: Params<N> }) &
  (Body<N> extends undefined ? unknown : { body: Body<N> }) &
  (Query<N> extends Record<string, never> ? unknown : { query: Query<N> }) &
  ((typeof endpoints)[N] extends { bytesBody: true } ? { bytes: Blob } : unknown);

type Rest<N extends EndpointName> = unknown extends Given<N> ? [] : [Given<N>];

/** @example call("toggleAlias", { params: { aliasId }, body: { active: false } }) */
export async function call<N extends EndpointName>(name: N, ...given: Rest<N>): Promise<ResponseOf<N>> {
  const response = await callUnread(name, ...given);
  const body = (await response.json()) as ResponseOf<N>;
  if (import.meta.env.DEV) await checkBody(name, body);
  return body;
}

/** Returns a response with its body unread, for callers that need the headers or content type. */
export function callUnread<N extends EndpointName>(name: N, ...[given]: Rest<N>): Promise<Response> {
  return callWith(name, given, false);
}

/** Sends a request that outlives the page; browsers allow 64 KiB for all such bodies in flight. */
export async function callKept<N extends EndpointName>(name: N, ...[given]: Rest<N>): Promise<ResponseOf<N>> {
  return (await (await callWith(name, given, true)).json()) as ResponseOf<N>;
}

async function callWith(name: EndpointName, given: unknown, keepalive: boolean): Promise<Response> {
  const { method, path, body } = requestOf(name, given);
  const sentWith = readCookieVersion();
  try {
    const ahead = method === "GET" ? takeAhead(path) : undefined;
    const response = await (ahead ?? request(method, path, body, keepalive));
    if (method !== "GET" && !changesNothing.has(name)) tellChanged();
    return response;
  } catch (error) {
    if (error instanceof ApiError && isSessionOver(error) && needsSession(name)) markSignedOut(sentWith);
    throw error;
  }
}

/** Starts a GET request early; the next call of the same endpoint and parameters gets its response. */
export function callAhead<N extends EndpointName>(name: N, ...[given]: Rest<N>): void {
  const { method, path } = requestOf(name, given);
  keepAhead(path, () => request(method, path));
}

/** As `callAhead`, by the path of the document's preload: documents are the same for all users, and say `me`. */
export function takePreloaded(name: "listAliases" | "listAliasesWithSmtp", userId: string): void {
  const { path } = routeOf(name);
  keepAhead(fillPath(path, { userId }), () => request("GET", fillPath(path, { userId: "me" })));
}

function requestOf(name: EndpointName, given: unknown): { method: string; path: string; body: unknown } {
  const { params, query = {}, bytes, body } = (given ?? {}) as GivenParts;
  const { method, path } = routeOf(name);
  const search = new URLSearchParams(Object.entries(query).flatMap(([key, value]) => valueIn(key, value)));
  const end = search.size === 0 ? "" : `?${search}`;
  return { method, path: `${fillPath(path, params)}${end}`, body: bytes ?? body };
}

interface GivenParts {
  params?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  bytes?: Blob;
  body?: unknown;
}

const valueIn = (key: string, value: string | number | undefined): [string, string][] =>
  value === undefined ? [] : [[key, String(value)]];

function tellChanged(): void {
  dropAhead();
  tellTabs({ kind: "changed" });
}

/** Whether a call needs a session. `getSession` doesn't: visitors without a session call it too. */
const needsSession = (name: EndpointName) => routeOf(name).access === "user" && name !== "getSession";

/** A wallet's invalid proof gets 401 too, but the user stays signed in. */
const isSessionOver = ({ status, code }: ApiError): boolean => status === 401 && code !== "wallet_unproven";

/** Writes after which other tabs need not reload; they learn of sign-ins and sign-outs from session-tabs.ts. */
const changesNothing: ReadonlySet<EndpointName> = new Set([
  "register",
  "login",
  "walletSignIn",
  "logout",
  "askPasswordReset",
  "readPasswordReset",
  "askSignInLink",
  "readSignInLink",
  "signInByLink",
  "signInByGoogle",
  "proveByPassword",
  "proveByWallet",
  "proveByGoogle",
  "askWalletChallenge",
  "linkGoogle",
  "askEmailChange",
  "readEmailChange",
  "readConfirmation",
  "countEvent",
  "generateName",
  // The stream of events tells of what it found.
  "checkAccountDomain",
  "decryptAuto",
  "decryptManual",
]);

/** Counts a page view without cookie, id or page address. Never throws. */
export function countEvent(event: PageEvent): void {
  const { method, path } = firstRoutes.countEvent;
  const headers = { "Content-Type": "application/json" };
  // keepalive lets the request finish after the page is closed.
  const init: RequestInit = { method, headers, body: JSON.stringify({ event }), credentials: "omit", keepalive: true };
  // The body is read to its end: an unread response keeps its request open.
  void fetch(path, init)
    .then((response) => response.arrayBuffer())
    .catch(() => {});
}
