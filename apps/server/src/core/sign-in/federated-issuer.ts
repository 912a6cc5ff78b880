/** Port of the OpenID Connect issuer, the flows in progress, and the claims of an ID token. */

import { createHash } from "node:crypto";
import { domainToASCII } from "node:url";
import { isMailbox, type WaysInAction } from "@kauke/contract";
import { splitAddress } from "@kauke/mail-rfc";

export type SettingsFlow =
  | { kind: "link"; userId: string }
  /** Re-authenticates by the linked account; Settings then continues with `action`. */
  | { kind: "prove"; userId: string; action: WaysInAction };

export interface FlowSecrets {
  /** Ties the issuer's redirect to this flow (RFC 6749 §10.12). */
  state: string;
  /** Ties the ID token to this flow (OpenID Connect Core §3.1.2.1). */
  nonce: string;
  /** PKCE code verifier (RFC 7636): only the client that requested the code can redeem it. */
  verifier: string;
  redirectUri: string;
  /** Page on which the sign-in was started, e.g. `/settings`; default: the dashboard. */
  returnTo?: string;
  settings?: SettingsFlow;
  invite?: string;
}

/** A person as the issuer describes them; every field is checked and within its length limit. */
export interface FederatedPerson {
  issuer: string;
  /** Permanent, and never reassigned by this issuer. */
  subject: string;
  /** `null` unless the issuer has verified the address. */
  email: string | null;
  /** The issuer hosts the mailbox; if false, the address was verified once, perhaps long ago. */
  isEmailHosted: boolean;
  firstName: string | null;
  lastName: string | null;
  profileImageUrl: string | null;
}

/** A closed set: messages of the issuer or a library are never passed on. */
export type IssuerFailure = "unreachable" | "denied" | "code_refused" | "answer_invalid";

export interface FederatedIssuer {
  readonly issuer: string;
  /** URL for the browser; `null` while the issuer is unreachable or its metadata is invalid. */
  authorizationUrl(secrets: FlowSecrets): Promise<string | null>;
  /** Redeems the code and verifies the ID token. @param query query string of the redirect back */
  redeem(query: string, secrets: FlowSecrets): Promise<FederatedPerson | IssuerFailure>;
}

export const googleIssuer = "https://accounts.google.com";

const NAME_MAX = 100;
const IMAGE_URL_MAX = 2048;
/** A subject identifier has at most 255 ASCII characters (OpenID Connect Core §2). */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** Reads an ID token's valid claims (OpenID Connect Core §5.1); `null` without a valid subject. */
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

/** An issuer hosts the domain in `hd`, and Google also gmail.com. Other addresses are verified only once, ever. */
function isHosted(issuer: string, email: string, hostedDomain: unknown): boolean {
  const domain = asciiDomain(splitAddress(email).domain);
  if (issuer === googleIssuer && (domain === "gmail.com" || domain === "googlemail.com")) return true;
  return typeof hostedDomain === "string" && domain !== "" && asciiDomain(hostedDomain) === domain;
}

/** Domain of an address in lower-case A-labels (RFC 5891); an empty text if it is not valid. */
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
  /** Stores a flow; above the maximum, evicts the oldest one of the network with the most flows. */
  keep(tokenHash: Buffer, secrets: FlowSecrets, terms: TokenTerms): Promise<void>;
  /** Only one of concurrent calls gets the flow. @returns `null` when unknown, used or expired */
  take(tokenHash: Buffer): Promise<FlowSecrets | null>;
}

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Hash of the cookie's token and the redirect's state; `null` when either is malformed. */
export function hashFlow(browserToken: string, state: string): Buffer | null {
  if (!SECRET.test(browserToken) || !SECRET.test(state)) return null;
  return createHash("sha256").update(`${browserToken}.${state}`, "latin1").digest();
}

export interface TokenTerms {
  expiresAt: Date;
  /** IP address; stored only as keyed hashes of its network and block. */
  clientAddress: string;
}
