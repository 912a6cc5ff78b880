/** From an ID token's claims (OpenID Connect Core §5.1) to a person: what has a wrong form or exceeds its bound is left out. */

import { domainToASCII } from "node:url";
import { isMailbox } from "@kauke/contract";
import { splitAddress } from "@kauke/mail-rfc";
import type { FederatedPerson } from "./federated-issuer.ts";

export const googleIssuer = "https://accounts.google.com";

const nameMax = 100;
const imageUrlMax = 2048;
/** OpenID Connect Core §2: 255 ASCII characters at most. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** @returns `null` without a usable subject. @param issuer as it is configured */
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
 * Issuers verify a foreign address once and never again. An issuer speaks for a domain that it names in `hd` (Google's "hosted
 * domain"; other issuers can be set up to send it), and Google for gmail.com.
 */
function isHosted(issuer: string, email: string, hostedDomain: unknown): boolean {
  const domain = asciiDomain(splitAddress(email).domain);
  if (issuer === googleIssuer && (domain === "gmail.com" || domain === "googlemail.com")) return true;
  return typeof hostedDomain === "string" && domain !== "" && asciiDomain(hostedDomain) === domain;
}

/** @returns lower case, IDNA (RFC 5891); empty for what is no domain */
const asciiDomain = (domain: string) => domainToASCII(domain.trim());

function readName(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const name = [...value.replace(/\p{C}+/gu, " ").trim()].slice(0, nameMax).join("").trim();
  return name === "" ? null : name;
}

function readImageUrl(value: unknown): string | null {
  if (typeof value !== "string" || value.length > imageUrlMax || !URL.canParse(value)) return null;
  const url = new URL(value);
  const isPlain = url.protocol === "https:" && url.username === "" && url.password === "";
  return isPlain && url.href.length <= imageUrlMax ? url.href : null;
}
