/** Resolves a RCPT TO address: an alias, the operator, a bounce address, a reply address or a probe. */
import {
  isSrs,
  type MailPath,
  mayBeAliasName,
  readBoundSrs,
  readDnsName,
  readReplyToken,
  readSendTag,
  type SrsContext,
  type SrsHash,
  splitAliasAddress,
  srsReverse,
} from "@kauke/mail-rfc";
import type { AliasRoute, AliasStore } from "../../core/alias/alias.ts";
import type { BounceSenderStore } from "../../core/bounce-sender.ts";
import type { AppearingAliases } from "../../core/domain/appearing-aliases.ts";
import type { MailDomains } from "../../core/domain/mail-domains.ts";
import { isProbeName, type MailProbeStore } from "../../core/probe/probe.ts";
import type { SpoolQuota, SpoolSpace } from "../../core/spool/spool-space.ts";
import { idsOfHint, readBounceAddress } from "../message/bounce-address.ts";
import { type ResolveReplyDeps, resolveReply } from "../message/reply-book.ts";
import { accept, defer, reject, type Verdict } from "../reply.ts";
import type { AppearingRecipient, BounceRecipient, ResolvedRecipient } from "../transaction.ts";
import type { RouteCache } from "./route-cache.ts";

export interface ResolveDeps extends ResolveReplyDeps {
  aliases: Pick<AliasStore, "findRouteById" | "findIdsBetween" | "markUsed">;
  domains: Pick<MailDomains, "has" | "standingOf">;
  /** Whether an own domain of an account may be proven that `domains` does not have yet. */
  mayMissDomains(): boolean;
  bounceSenders: Pick<BounceSenderStore, "find">;
  routes: Pick<RouteCache, "find">;
  probes: Pick<MailProbeStore, "resolve">;
  appearing: Pick<AppearingAliases, "find">;
  spool: { quota: Pick<SpoolQuota, "isFull">; space: Pick<SpoolSpace, "isFull"> };
  srsHash: SrsHash;
  now(): Date;
}

const NON_ASCII = /[^\0-\u{7f}]/u;
const operatorNames = new Set(["postmaster", "abuse"]);

/** @param isNullSender bounce addresses accept mail from the null sender only */
export async function resolve(
  given: MailPath,
  isNullSender: boolean,
  deps: ResolveDeps,
): Promise<Verdict<ResolvedRecipient>> {
  const path = withAsciiDomain(given);
  if (path === null) return reject("relay_denied");
  const { domain } = path;
  const local = path.local.toLowerCase();
  // RFC 5321 §4.5.1: postmaster is accepted without a domain too.
  if (domain === "" && local === "postmaster") return accept({ kind: "operator", address: "postmaster" });
  const standing = deps.domains.standingOf(domain);
  if (standing === null) return deps.mayMissDomains() ? defer("unavailable") : reject("relay_denied");
  if (operatorNames.has(local)) return accept({ kind: "operator", address: `${local}@${domain}` });
  if (standing === "suspended") return defer("domain_suspended");
  if (standing === "closed") return reject("domain_closed");
  if (isSrs(local)) return resolveBounce(path, isNullSender, deps);
  if (isProbeName(local)) return resolveProbe(`${local}@${domain}`, deps);
  const token = readReplyToken(local);
  if (token === null) return resolveTagged(path, isNullSender, deps);
  return mayBeAliasName(local) ? resolveAliasOrReply(path, token, deps) : resolveReply(token, domain, deps);
}

/**
 * Addresses of ours are stored with A-labels; a client with SMTPUTF8 may give a domain in Unicode (RFC 6531 §3.2). Only
 * case and NFC are mapped: with fullwidth or invisible characters it is another domain. @returns `null` for no DNS name
 */
function withAsciiDomain(path: MailPath): MailPath | null {
  if (!NON_ASCII.test(path.domain)) return path;
  const domain = readDnsName(path.domain);
  if (domain === null) return null;
  return { ...path, domain, canonical: `${path.canonical.slice(0, -path.domain.length)}${domain}` };
}

/** An alias older than probes may have such a name. Nothing tells a wrong token from an unknown alias. */
async function resolveProbe(address: string, deps: ResolveDeps): Promise<Verdict<ResolvedRecipient>> {
  const route = await deps.routes.find(address);
  if (route !== null) return decide(route, deps);
  const id = await deps.probes.resolve(address);
  return id === null ? reject("alias_not_found") : accept({ kind: "probe", address, id });
}

/** Resolves an alias, or a reply address: an alias older than their format may have a name of that form. */
async function resolveAliasOrReply(path: MailPath, token: string, deps: ResolveDeps) {
  const { domain } = path;
  const route = await deps.routes.find(`${path.local.toLowerCase()}@${domain}`);
  return route === null ? resolveReply(token, domain, deps) : decide(route, deps);
}

async function resolveBounce(
  path: MailPath,
  isNullSender: boolean,
  deps: ResolveDeps,
): Promise<Verdict<BounceRecipient>> {
  if (!isNullSender) return reject("not_a_bounce");
  const own = readBounceAddress(path, deps.srsHash, deps.now());
  if (own !== null) {
    const { aliasId, token } = own;
    const sender = token === null ? null : await deps.bounceSenders.find({ aliasId, token });
    return accept({ kind: "bounce", address: path.canonical, aliasId, sender });
  }
  const isOurDomain = (domain: string) => deps.domains.has(domain);
  const srs = { domain: path.domain, isOurDomain, hashes: [deps.srsHash] as const, now: deps.now() };
  const bound = readBoundSrs(path.canonical, srs);
  if (bound === null) return resolveOlderSrs(path, srs);
  const ids = await deps.aliases.findIdsBetween(...idsOfHint(bound.hint));
  const boundId = ids.find((id) => bound.isBoundTo(id));
  if (boundId === undefined) return reject("alias_not_found");
  return accept({ kind: "bounce", address: path.canonical, aliasId: boundId, sender: bound.sender });
}

/** An older SRS address names no alias: while valid it accepts reports, without effect. */
function resolveOlderSrs(path: MailPath, srs: SrsContext): Verdict<BounceRecipient> {
  const isValid = srsReverse(path.canonical, srs) !== null;
  if (!isValid) return reject("alias_not_found");
  return accept({ kind: "bounce", address: path.canonical, aliasId: null, sender: null });
}

async function resolveTagged(
  { local, canonical, domain }: MailPath,
  isNullSender: boolean,
  deps: ResolveDeps,
): Promise<Verdict<ResolvedRecipient>> {
  const { name, tag } = splitAliasAddress(local);
  const route = await deps.routes.find(`${name.toLowerCase()}@${domain}`);
  // Nobody has written as an unknown name, so a report to it is about no mail of ours.
  if (route === null && tag?.includes("=") !== true && !isNullSender)
    return resolveUnknown({ name: name.toLowerCase(), domain }, deps);
  const found = await decide(route, deps);
  if (tag?.includes("=") !== true || found.verdict !== "accept" || found.value.kind !== "alias") return found;
  const sendTag = { address: canonical.toLowerCase(), recipient: readSendTag(tag) };
  return accept({ ...found.value, sendTag });
}

async function resolveUnknown(
  { name, domain }: { name: string; domain: string },
  { appearing }: Pick<ResolveDeps, "appearing">,
): Promise<Verdict<AppearingRecipient>> {
  const found = await appearing.find({ name, domain });
  if (found === null) return reject("alias_not_found");
  const { id: domainId, userId } = found;
  return accept({ kind: "appearing", address: `${name}@${domain}`, name, domain, domainId, userId });
}

/** What mail to an address of ours meets. */
export async function decide(
  route: AliasRoute | null,
  deps: Pick<ResolveDeps, "aliases" | "spool">,
): Promise<Verdict<ResolvedRecipient>> {
  if (route === null) return reject("alias_not_found");
  // Once a sender knows the address, it must not be free for others when the alias is deleted.
  if (route.isUnused === true) await deps.aliases.markUsed(route.aliasId);
  if (route.paused) return accept({ kind: "paused" });
  // No destination is left: each webhook answered 410, and the reader of each mailbox refused mail from this account.
  if (route.destinations.length === 0) return reject("refused_by_all");
  const isFull = await Promise.all([deps.spool.quota.isFull(route.aliasId), deps.spool.space.isFull(route)]);
  return isFull.includes(true) ? defer("spool_quota") : accept({ kind: "alias", route });
}
