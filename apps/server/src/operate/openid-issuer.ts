/**
 * The issuer of federated sign-in over the network: OpenID Connect discovery, authorization code with PKCE, state and nonce, by
 * `openid-client`, which is loaded with the first sign-in. Its errors become our own words here; nothing else of them leaves.
 */
import type * as openid from "openid-client";
import type { Config } from "../config.ts";
import { type Clock, steadyMs } from "../core/ports.ts";
import { readClaims } from "../core/sign-in/federated-claims.ts";
import type { FederatedIssuer, FlowSecrets, IssuerFailure } from "../core/sign-in/federated-issuer.ts";

type GoogleSettings = NonNullable<Config["google"]>;

export interface OpenIdOptions {
  clock: Clock;
  /** For each request to the issuer. */
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
        // In Settings the person has to be seen to choose; a session at the issuer alone would answer without anybody there.
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

/** Asked for when first needed, kept for an hour; a failure is forgotten at once. */
function discoverer(
  { issuer, clientId, clientSecret }: GoogleSettings,
  { clock, timeoutSeconds }: Required<OpenIdOptions>,
): () => Promise<Discovered> {
  let kept: { found: Promise<Discovered>; until: number } | null = null;
  const ask = async (): Promise<Discovered> => {
    const client = await import("openid-client");
    const url = new URL(issuer);
    // The library checks an ID token's signature only when told: it would trust TLS to the token endpoint.
    const execute = [client.enableNonRepudiationChecks];
    // The settings let http through on loopback only.
    if (url.protocol === "http:") execute.push(client.allowInsecureRequests);
    const options = { timeout: timeoutSeconds, execute };
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

/** In the body; in the header where the issuer takes it only there, or says nothing (OpenID Connect Discovery §3). */
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
  if (claims === undefined) throw new TypeError("the answer has no ID token");
  if (claims.email !== undefined || issuer.serverMetadata().userinfo_endpoint === undefined) return { ...claims };
  // Some issuers keep scopes' claims out of the ID token (OpenID Connect Core §5.4).
  return { ...claims, ...(await client.fetchUserInfo(issuer, tokens.access_token, claims.sub)) };
}

/** What the issuer answered is its fault or the settings'; what it did not answer is the network's. */
function failureOf(client: typeof openid, thrown: unknown): IssuerFailure {
  if (thrown instanceof client.AuthorizationResponseError)
    return thrown.error === "access_denied" ? "denied" : "answer_invalid";
  if (thrown instanceof client.ResponseBodyError) return "code_refused";
  if (thrown instanceof client.ClientError) return thrown.code === "OAUTH_TIMEOUT" ? "unreachable" : "answer_invalid";
  // The built-in fetch says so when there was no answer.
  return thrown instanceof TypeError && thrown.message === "fetch failed" ? "unreachable" : "answer_invalid";
}
