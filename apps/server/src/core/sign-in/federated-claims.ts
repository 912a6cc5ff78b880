/**
 * Reads a person from the claims of an ID token (OpenID Connect Core §5.1). Claims that are malformed or too long are
 * ignored.
 */
import { domainToASCII } from "node:url";
import { isMailbox } from "@kauke/contract";
import { splitAddress } from "@kauke/mail-rfc";
import type { FederatedPerson } from "./federated-issuer.ts";

export const googleIssuer = "https://accounts.google.com";

const NAME_MAX = 100;
const IMAGE_URL_MAX = 2048;
/** Subject identifier: at most 255 ASCII characters (OpenID Connect Core §2). */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** Reads the person whom an ID token describes. @returns `null` when the claims contain no valid subject */
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
