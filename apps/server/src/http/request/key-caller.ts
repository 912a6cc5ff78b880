/**
 * Who makes a call with an API key. A request with an `Authorization` or `Authentication` field, whatever its value, is
 * authorised by API key alone, and its cookies are removed before anything reads them: a page of another site that adds
 * such a field gains nothing from the cookies that the browser sends along.
 */

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { KeyScope } from "@kauke/contract";
import type { FastifyRequest } from "fastify";
import { checkApiKey, type KeyCaller } from "../../core/api-key.ts";
import { AppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";

declare module "fastify" {
  interface FastifyRequest {
    apiKey: KeyCaller | null;
  }
}

/**
 * Call it in the `onRequest` hook of a route: then no body is read without a valid key, and the handler runs within the
 * limits of the account (`in-account-turn.ts`).
 * @param scope that the call needs; `undefined` if no key may make the call
 * @throws AppError `key_invalid` without a valid key, `key_scope` when the key lacks the scope
 */
export async function keyCaller(
  deps: Pick<CoreDeps, "apiKeys" | "clock">,
  request: FastifyRequest,
  scope: KeyScope | undefined,
): Promise<KeyCaller> {
  const secret = credentialsOf(request.headers);
  const caller = secret === null ? null : await checkApiKey(deps, secret);
  if (caller === null) throw new AppError("key_invalid");
  if (scope === undefined) throw new AppError("key_scope", { message: needsSession });
  if (!caller.scopes.includes(scope)) throw new AppError("key_scope");
  request.signedInUserId = caller.userId;
  request.apiKey = caller;
  return caller;
}

const needsSession = "An API key can't do this. Please sign in on the website.";

export function byKey(deps: Pick<CoreDeps, "apiKeys" | "clock">, scope: KeyScope) {
  return async (request: FastifyRequest): Promise<void> => void (await keyCaller(deps, request, scope));
}

/** Accepts any valid API key, whatever its scopes; sets no caller, as such a route does nothing for the account. */
export function byAnyKey(deps: Pick<CoreDeps, "apiKeys" | "clock">) {
  return async ({ headers }: FastifyRequest): Promise<void> => {
    if ((await checkApiKey(deps, credentialsOf(headers) ?? "")) === null) throw new AppError("key_invalid");
  };
}

export function callerOf({ apiKey }: Pick<FastifyRequest, "apiKey">): KeyCaller {
  if (apiKey === null) throw new Error("the route has no hook that checks a key");
  return apiKey;
}

/** Whether the request has a header field for an API key, even with an invalid value. */
export function hasKeyField(headers: IncomingHttpHeaders): boolean {
  return headers.authorization !== undefined || headers.authentication !== undefined;
}

export function dropCookies({ headers }: Pick<IncomingMessage, "headers">): void {
  delete headers.cookie;
}

/** Key in `Authentication` (SimpleLogin's) or `Authorization: Bearer`; `null` without the fields, `""` if malformed. */
export function credentialsOf({ authentication, authorization }: IncomingHttpHeaders): string | null {
  if (authentication !== undefined) return typeof authentication === "string" ? authentication.trim() : "";
  if (authorization === undefined) return null;
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "";
}
