/** RCPT TO, before any data: what an address of ours means. An unknown alias is refused at once, a foreign domain always. */
import { isSrs, type MailPath, readReplyToken, type SrsHash, splitAliasAddress, srsReverse } from "@kauke/mail-rfc";
import type { AliasRoute } from "../../core/alias/alias.ts";
import { accept, defer, reject, type Verdict } from "../verdict.ts";
import { readBounceAddress } from "./bounce-address.ts";
import { type ResolveReplyDeps, resolveReply } from "./resolve-reply.ts";
import type { RouteCache } from "./route-cache.ts";
import type { SpoolQuota } from "./spool-quota.ts";
import type { ResolvedRecipient } from "./transaction.ts";

export interface ResolveDeps extends ResolveReplyDeps {
  domains: ReadonlySet<string>;
  routes: Pick<RouteCache, "find">;
  quota: Pick<SpoolQuota, "isFull">;
  srsHash: SrsHash;
  /** `null`: mailboxes need no confirmation here. */
  confirmation: { mayTake(route: AliasRoute): boolean } | null;
  now(): Date;
}

const operatorNames = new Set(["postmaster", "abuse"]);

/** @param isNullSender MAIL FROM was `<>`: only then is a bounce address one */
export function resolve(
  path: MailPath,
  isNullSender: boolean,
  deps: ResolveDeps,
): Verdict<ResolvedRecipient> | Promise<Verdict<ResolvedRecipient>> {
  const domain = path.domain.toLowerCase();
  const local = path.local.toLowerCase();
  // RFC 5321 §4.5.1: postmaster is reached without a domain too.
  if (domain === "" && local === "postmaster") return accept({ kind: "operator", address: "postmaster" });
  if (!deps.domains.has(domain)) return reject("relay_denied");
  if (operatorNames.has(local)) return accept({ kind: "operator", address: `${local}@${domain}` });
  if (isSrs(local)) return resolveBounce(path, isNullSender, deps);
  const token = readReplyToken(local);
  if (token !== null) return resolveReply(token, domain, deps);
  return resolveAlias(`${splitAliasAddress(local).name}@${domain}`, deps);
}

function resolveBounce(path: MailPath, isNullSender: boolean, deps: ResolveDeps): Verdict<ResolvedRecipient> {
  const srs = {
    domain: path.domain,
    isOurDomain: (domain: string) => deps.domains.has(domain),
    hashes: [deps.srsHash] as const,
    now: deps.now(),
  };
  const aliasId = readBounceAddress(path.local, deps.srsHash);
  const sender = srsReverse(path.canonical, srs);
  const isOurs = aliasId !== null || sender !== null;
  return isOurs && isNullSender ? accept({ kind: "bounce", aliasId, sender }) : reject("not_a_bounce");
}

function resolveAlias(address: string, deps: ResolveDeps) {
  const found = deps.routes.find(address);
  if (found instanceof Promise) return found.then((route) => decide(route, deps));
  return decide(found, deps);
}

function decide(
  route: AliasRoute | null,
  deps: ResolveDeps,
): Verdict<ResolvedRecipient> | Promise<Verdict<ResolvedRecipient>> {
  if (route === null) return reject("alias_not_found");
  if (route.paused) return accept({ kind: "paused" });
  // Every webhook it leads to is gone, every mailbox refused.
  if (route.destinations.length === 0) return reject("refused_by_all");
  if (deps.confirmation?.mayTake(route) === false) return defer("not_confirmed");
  const isFull = deps.quota.isFull(route.aliasId);
  if (isFull instanceof Promise)
    return isFull.then((full) => (full ? defer("spool_quota") : accept({ kind: "alias", route })));
  return isFull ? defer("spool_quota") : accept({ kind: "alias", route });
}
