/** Federated sign-in over the network: OpenID Connect discovery, authorization code with PKCE, state and nonce. */

import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type * as openid from "openid-client";
import type { CustomFetch } from "openid-client";
import {
  type FederatedIssuer,
  type FlowSecrets,
  type IssuerFailure,
  readClaims,
} from "../core/sign-in/federated-issuer.ts";
import { collectStream } from "../runtime/byte-streams.ts";
import { type Clock, steadyMs } from "../runtime/ports.ts";
import type { Config } from "../settings/config.ts";

type GoogleSettings = NonNullable<Config["google"]>;

export interface OpenIdOptions {
  clock: Clock;
  timeoutSeconds?: number;
}

const HOUR_MS = 3_600_000;
const scope = "openid email profile";

export function openIdIssuer(settings: GoogleSettings, { clock, timeoutSeconds = 10 }: OpenIdOptions): FederatedIssuer {
  const discover = discoverer(settings, { clock, timeoutSeconds });
  return {
    issuer: settings.issuer,
    async authorizationUrl({ state, nonce, verifier, redirectUri, settings: forSettings }) {
      try {
        const { client, issuer } = await discover();
        const challenge = {
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
        };
        // Without a prompt, the issuer could link an account in Settings from its own session, with no user action.
        const prompt: Record<string, string> = forSettings === undefined ? {} : { prompt: "select_account" };
        const request = { redirect_uri: redirectUri, scope, state, nonce, ...challenge, ...prompt };
        return client.buildAuthorizationUrl(issuer, request).href;
      } catch {
        return null;
      }
    },
    async redeem(query, secrets) {
      const found = await discover().catch(() => null);
      if (found === null) return "unreachable";
      try {
        const claims = await redeemCode(found, query, secrets);
        return readClaims(settings.issuer, claims) ?? "answer_invalid";
      } catch (thrown) {
        return failureOf(found.client, thrown);
      }
    },
  };
}

interface Discovered {
  client: typeof openid;
  issuer: openid.Configuration;
}

/** Caches the issuer's metadata for an hour; a failure is not cached. */
function discoverer(
  { issuer, clientId, clientSecret }: GoogleSettings,
  { clock, timeoutSeconds }: Required<OpenIdOptions>,
): () => Promise<Discovered> {
  let kept: { found: Promise<Discovered>; until: number } | null = null;
  const ask = async (): Promise<Discovered> => {
    const client = await import("openid-client");
    const url = new URL(issuer);
    // The library checks an ID token's signature only when told to; by default it trusts TLS to the token endpoint.
    const execute = [client.enableNonRepudiationChecks];
    // The settings accept http for loopback addresses only.
    if (url.protocol === "http:") execute.push(client.allowInsecureRequests);
    const options = { timeout: timeoutSeconds, execute, [client.customFetch]: boundedFetch };
    return {
      client,
      issuer: await client.discovery(url, clientId, clientSecret, secretIn(client, clientSecret), options),
    };
  };
  return () => {
    const now = steadyMs(clock);
    if (kept !== null && now < kept.until) return kept.found;
    const asked = { found: ask(), until: now + HOUR_MS };
    kept = asked;
    asked.found.catch(() => {
      if (kept === asked) kept = null;
    });
    return asked.found;
  };
}

/** Client secret in the body, or in the header if the issuer requires that (OpenID Connect Discovery §3). */
function secretIn(client: typeof openid, clientSecret: string): openid.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret)];
  return (server, metadata, body, headers) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const isBasic = taken.includes("client_secret_basic") && !taken.includes("client_secret_post");
    (isBasic ? basic : post)(server, metadata, body, headers);
  };
}

async function redeemCode(
  { client, issuer }: Discovered,
  query: string,
  { state, nonce, verifier, redirectUri }: FlowSecrets,
): Promise<Record<string, unknown>> {
  const cameBackTo = new URL(redirectUri);
  cameBackTo.search = query;
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
  const tokens = await client.authorizationCodeGrant(issuer, cameBackTo, checks);
  const claims = tokens.claims();
  if (claims === undefined) throw new TypeError("the response has no ID token");
  if (claims.email !== undefined || issuer.serverMetadata().userinfo_endpoint === undefined) return { ...claims };
  // Some issuers omit scope claims from the ID token (OpenID Connect Core §5.4).
  return { ...claims, ...(await client.fetchUserInfo(issuer, tokens.access_token, claims.sub)) };
}

function failureOf(client: typeof openid, thrown: unknown): IssuerFailure {
  if (thrown instanceof client.AuthorizationResponseError)
    return thrown.error === "access_denied" ? "denied" : "answer_invalid";
  if (thrown instanceof client.ResponseBodyError) return "code_refused";
  if (thrown instanceof client.ClientError) return thrown.code === "OAUTH_TIMEOUT" ? "unreachable" : "answer_invalid";
  return thrown instanceof NoResponse ? "unreachable" : "answer_invalid";
}

const RESPONSE_MAX_BYTES = 1024 * 1024;
const EMPTY = [204, 205, 304];

/** No complete response within the limits. `openid-client` passes only a TypeError on unchanged. */
export class NoResponse extends TypeError {
  override name = "NoResponse";
}

/** Replaces `fetch`, which buffers without limit. Follows no redirect. @throws NoResponse, or the signal's reason */
export const boundedFetch: CustomFetch = async (url, { method, headers, body, signal }) => {
  const isSecure = new URL(url).protocol === "https:";
  const text = body === undefined || body === null ? "" : String(body as string | URLSearchParams);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = (isSecure ? requestHttps : requestHttp)(url, {
      method,
      headers,
      agent: false,
      ...(signal && { signal }),
    });
    call.on("response", resolve);
    call.on("error", () => reject(noResponse(signal)));
    call.end(text);
  });
  const chunks = await collectStream(response, RESPONSE_MAX_BYTES);
  if (chunks === null) throw noResponse(signal);
  const status = response.statusCode ?? 0;
  const fields = Object.entries(response.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return new Response(EMPTY.includes(status) ? null : Buffer.concat(chunks), { status, headers: fields });
};

const noResponse = (signal: AbortSignal | undefined): unknown =>
  signal?.aborted === true ? signal.reason : new NoResponse();
