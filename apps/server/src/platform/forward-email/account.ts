/** What the operator's commands ask of the account at the provider. */
import type { ProviderAccount, ProviderCopy, ProviderDomain } from "../../core/forwarding/provider-account.ts";
import { ProviderError } from "../../core/forwarding/provider-account.ts";
import { aliasesPath, asciiNameOf, bodyOf, domainPath, OPERATORS, readCopy } from "./alias-record.ts";
import type { ApiRequest, CallApi } from "./api-client.ts";

const PAGE = 1000;
const PAGES_MAX = 200;

export function forwardEmailAccount(api: CallApi): ProviderAccount {
  const asker: Asker = async (request, signal) => {
    const response = await api(request, signal);
    if (response.kind === "failed") throw new ProviderError(response.problem, response.retryAfterSeconds);
    return response;
  };
  return {
    standing: (signal) => standing(asker, signal),
    domain: (name, signal) => readDomain(asker, name, signal),
    addDomain: (name, signal) => addDomain(asker, name, signal),
    copyAt: (address, signal) => copyAt(asker, address, signal),
    putOperatorCopy: (address, mailbox, signal) => putOperatorCopy(asker, { address, mailbox }, signal),
    verify: (name, what, signal) => verify(asker, { name, what }, signal),
    copies: (domain, signal) => copies(asker, domain, signal),
  };
}

type Asker = (request: ApiRequest, signal: AbortSignal) => Promise<{ status: number; json: unknown }>;
type Fields = Record<string, unknown>;

async function standing(ask: Asker, signal: AbortSignal) {
  const account = await ask({ method: "GET", path: "/v1/account" }, signal);
  const { plan } = fieldsOf(account);
  const sending = await ask({ method: "GET", path: "/v1/emails/limit" }, signal).catch(unlessWholeAccount);
  return { plan: isCode(plan) ? plan : null, sending: sending === null ? null : sendingOf(sending) };
}

/** How much may be sent is told by a call that has a limit of its own. */
function unlessWholeAccount(error: unknown): null {
  if (error instanceof ProviderError && (error.problem === "busy" || error.problem === "plan_needed")) return null;
  throw error;
}

function sendingOf({ status, json }: { status: number; json: unknown }) {
  const { count, limit } = Object(json) as Fields;
  if (status > 299 || !Number.isSafeInteger(count) || !Number.isSafeInteger(limit)) return null;
  return { count: count as number, limit: limit as number };
}

async function readDomain(ask: Asker, name: string, signal: AbortSignal): Promise<ProviderDomain | null> {
  const response = await ask({ method: "GET", path: domainPath(name) }, signal);
  if (response.status === 404) return null;
  const fields = fieldsOf(response);
  if (asciiNameOf(fields["name"]) !== name) throw new ProviderError("broken_response");
  const record = fields["verification_record"];
  return {
    domain: name,
    isShared: fields["is_global"] === true,
    hasCatchAll: await readCatchAll(ask, name, signal),
    hasMxRecord: fields["has_mx_record"] === true,
    hasTxtRecord: fields["has_txt_record"] === true,
    verificationRecord: isCode(record) ? record : null,
    maySend: fields["has_smtp"] === true,
    isSendingSuspended: fields["is_smtp_suspended"] === true,
  };
}

/** `has_catchall` of the domain is true until an alias is saved, so the catch-all itself is looked up. */
async function readCatchAll(ask: Asker, name: string, signal: AbortSignal): Promise<boolean | null> {
  try {
    const { status } = await ask({ method: "GET", path: aliasesPath(name, "*") }, signal);
    return status === 404 ? false : status === 400 ? null : true;
  } catch (error) {
    if (error instanceof ProviderError && error.problem === "plan_needed") return null;
    throw error;
  }
}

async function addDomain(ask: Asker, name: string, signal: AbortSignal): Promise<ProviderDomain> {
  // Anything but JSON's false would forward all mail of the domain to the account's mailbox.
  const body = { domain: name, catchall: false };
  const { status } = await ask({ method: "POST", path: "/v1/domains", body }, signal);
  const domain = await readDomain(ask, name, signal);
  if (domain === null) throw new ProviderError(status === 400 ? "refused" : "broken_response");
  return domain;
}

async function verify(
  ask: Asker,
  { name, what }: { name: string; what: "forwarding" | "sending" },
  signal: AbortSignal,
): Promise<boolean> {
  const check = what === "forwarding" ? "verify-records" : "verify-smtp";
  const { status } = await ask({ method: "GET", path: `${domainPath(name)}/${check}` }, signal);
  if (status === 404) throw new ProviderError("domain_missing");
  return status !== 400;
}

/** A missing domain is `domain_missing`, since its response is that of a missing alias. */
async function copyAt(ask: Asker, address: string, signal: AbortSignal): Promise<ProviderCopy | null> {
  const { name, domain } = splitAt(address);
  const response = await ask({ method: "GET", path: aliasesPath(domain, name) }, signal);
  if (response.status === 404) {
    const { status } = await ask({ method: "GET", path: domainPath(domain) }, signal);
    if (status === 404) throw new ProviderError("domain_missing");
    return null;
  }
  const copy = response.status === 400 ? null : readCopy(response.json, domain);
  if (copy?.address !== address) throw new ProviderError("broken_response");
  return copy;
}

async function putOperatorCopy(
  ask: Asker,
  { address, mailbox }: { address: string; mailbox: string },
  signal: AbortSignal,
): Promise<void> {
  const { name, domain } = splitAt(address);
  const there = await copyAt(ask, address, signal);
  if (there !== null && there.isOperators !== true) throw new ProviderError("conflict");
  const body = bodyOf(OPERATORS, { name, recipients: [mailbox], isEnabled: true, codeIfDisabled: 250 });
  const { status, json } = await ask(
    there === null
      ? { method: "POST", path: aliasesPath(domain), body }
      : { method: "PUT", path: aliasesPath(domain, there.providerId), body },
    signal,
  );
  if (status === 404) throw new ProviderError(there === null ? "domain_missing" : "busy");
  if (status === 400) throw new ProviderError("refused");
  if (readCopy(json, domain)?.address !== address) throw new ProviderError("broken_response");
}

function splitAt(address: string): { name: string; domain: string } {
  const at = address.lastIndexOf("@");
  return { name: address.slice(0, at), domain: address.slice(at + 1) };
}

/**
 * Page counts and links of the responses are not believed: pages are read until one is empty or brings nothing new. An
 * alias that is deleted meanwhile makes the next page skip one.
 */
async function* copies(ask: Asker, domain: string, signal: AbortSignal): AsyncGenerator<readonly ProviderCopy[]> {
  const known = new Set<string>();
  for (let page = 1; page <= PAGES_MAX; page++) {
    const path = `${aliasesPath(domain)}?page=${page}&limit=${PAGE}`;
    const { status, json } = await ask({ method: "GET", path }, signal);
    if (status === 404) throw new ProviderError("domain_missing");
    if (status === 400 || !Array.isArray(json) || json.length > PAGE) throw new ProviderError("broken_response");
    const fresh = json.flatMap((entry) => {
      const copy = readCopy(entry, domain);
      if (copy === null || known.has(copy.providerId)) return [];
      known.add(copy.providerId);
      return [copy];
    });
    if (fresh.length === 0) return;
    yield fresh;
  }
  throw new ProviderError("broken_response");
}

function fieldsOf({ status, json }: { status: number; json: unknown }): Fields {
  if (status > 299 || typeof json !== "object" || json === null) throw new ProviderError("broken_response");
  return json as Fields;
}

/** A word that may be shown: letters, digits and `_-`. */
const isCode = (value: unknown): value is string => typeof value === "string" && /^[A-Za-z0-9_-]{1,128}$/.test(value);
