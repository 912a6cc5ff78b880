/** Port of the OpenID Connect issuer for federated sign-in. The implementation, over the network, is in operate. */

import { createHash } from "node:crypto";
import { domainToASCII } from "node:url";
import { isMailbox, type WaysInAction } from "@kauke/contract";
import { splitAddress } from "@kauke/mail-rfc";
import type { Random } from "../../runtime/ports.ts";

/** A flow that a signed-in user started in Settings. */
export type SettingsFlow =
  | { kind: "link"; userId: string }
  /** Re-authenticates the user by the linked account; Settings then continues with the change named by `action`. */
  | { kind: "prove"; userId: string; action: WaysInAction };

/** Secrets of one flow in progress, and the URI the issuer redirects to. */
export interface FlowSecrets {
  /** Parameter `state` of the request to the issuer: ties the issuer's redirect to this flow (RFC 6749 §10.12). */
  state: string;
  /** Parameter `nonce` of the request to the issuer: ties the ID token to this flow (OpenID Connect Core §3.1.2.1). */
  nonce: string;
  /** PKCE code verifier (RFC 7636): only the client that requested the authorization code can redeem it. */
  verifier: string;
  redirectUri: string;
  /** Path of the page for signed-in users on which a sign-in was started, e.g. `/settings`; absent for the dashboard. */
  returnTo?: string;
  /** Set for a flow that was started in Settings; otherwise the flow is a sign-in. */
  settings?: SettingsFlow;
}

/** A person as the issuer describes them; every field has been checked and is within its length limit. */
export interface FederatedPerson {
  issuer: string;
  /** Subject identifier: permanent, and never reassigned by this issuer. */
  subject: string;
  /** E-mail address of the person; `null` unless the issuer says that it has verified the address. */
  email: string | null;
  /**
   * Whether the issuer hosts the mailbox, so that nobody else can have it now. Otherwise the address was verified once,
   * perhaps long ago.
   */
  isEmailHosted: boolean;
  firstName: string | null;
  lastName: string | null;
  profileImageUrl: string | null;
}

/** Reasons for a failure at the issuer, as a closed set; messages of the issuer or a library are never passed on. */
export type IssuerFailure = "unreachable" | "denied" | "code_refused" | "answer_invalid";

export interface FederatedIssuer {
  /** Issuer URL as configured, equal to `FederatedPerson.issuer`. */
  readonly issuer: string;
  /**
   * Starts a flow. @returns the URL to send the browser to; `null` while the issuer is unreachable or its metadata is
   * invalid
   */
  authorizationUrl(secrets: FlowSecrets): Promise<string | null>;
  /** Redeems the authorization code and verifies the ID token. @param query query string of the redirect back */
  redeem(query: string, secrets: FlowSecrets): Promise<FederatedPerson | IssuerFailure>;
}

export const googleIssuer = "https://accounts.google.com";

const NAME_MAX = 100;
const IMAGE_URL_MAX = 2048;
/** Subject identifier: at most 255 ASCII characters (OpenID Connect Core §2). */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/**
 * Reads the person whom the claims of an ID token describe (OpenID Connect Core §5.1). Claims that are malformed or too
 * long are ignored.
 * @returns `null` when the claims contain no valid subject
 */
export function readClaims(issuer: string, claims: Readonly<Record<string, unknown>>): FederatedPerson | null {
  const { sub, email_verified, given_name, family_name, picture } = claims;
  if (typeof sub !== "string" || !SUBJECT.test(sub)) return null;
  const address = typeof claims.email === "string" ? claims.email.trim() : "";
  const email = email_verified === true && isMailbox(address) ? address : null;
  return {
    issuer,
    subject: sub,
    email,
    isEmailHosted: email !== null && isHosted(issuer, email, claims.hd),
    firstName: readName(given_name),
    lastName: readName(family_name),
    profileImageUrl: readImageUrl(picture),
  };
}

/**
 * Whether the issuer hosts the mailbox. Issuers verify an external address once and never again. An issuer hosts the
 * domain that it names in `hd` (Google's "hosted domain"; other issuers can be configured to send it), and Google also
 * gmail.com.
 */
function isHosted(issuer: string, email: string, hostedDomain: unknown): boolean {
  const domain = asciiDomain(splitAddress(email).domain);
  if (issuer === googleIssuer && (domain === "gmail.com" || domain === "googlemail.com")) return true;
  return typeof hostedDomain === "string" && domain !== "" && asciiDomain(hostedDomain) === domain;
}

/** Converts a domain to lower-case A-labels (RFC 5891). @returns an empty text if the domain is not valid */
const asciiDomain = (domain: string) => domainToASCII(domain.trim());

function readName(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const name = [...value.replace(/\p{C}+/gu, " ").trim()].slice(0, NAME_MAX).join("").trim();
  return name === "" ? null : name;
}

function readImageUrl(value: unknown): string | null {
  if (typeof value !== "string" || value.length > IMAGE_URL_MAX || !URL.canParse(value)) return null;
  const url = new URL(value);
  const isPlain = url.protocol === "https:" && url.username === "" && url.password === "";
  return isPlain && url.href.length <= IMAGE_URL_MAX ? url.href : null;
}

export const FLOW_SECONDS = 600;

export interface SignInFlowStore {
  /**
   * Stores a flow and deletes expired ones. When too many are stored, evicts the oldest of the network that has most.
   */
  keep(tokenHash: Buffer, secrets: FlowSecrets, terms: TokenTerms): Promise<void>;
  /**
   * Removes and returns the secrets of a flow; only one of several concurrent calls gets them.
   * @returns `null` when the flow is unknown, used or expired
   */
  take(tokenHash: Buffer): Promise<FlowSecrets | null>;
}

/** 32 random bytes: as a PKCE verifier the shortest that RFC 7636 §4.1 allows, with the entropy it recommends. */
export function newFlowSecret(random: Random): string {
  return random.bytes(32).toString("base64url");
}

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Hash under which a flow is stored. @returns `null` when either text does not have the form of a flow secret */
export function hashFlow(browserToken: string, state: string): Buffer | null {
  if (!SECRET.test(browserToken) || !SECRET.test(state)) return null;
  return createHash("sha256").update(`${browserToken}.${state}`, "latin1").digest();
}

/** Expiry of a token that an anonymous client requested, and the client whose limit it counts against. */
export interface TokenTerms {
  expiresAt: Date;
  /** Client's IP address; stored only as keyed hashes of its network and block. */
  clientAddress: string;
}
