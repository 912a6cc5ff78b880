import {
  domainOf,
  type Mailbox,
  mayBeAliasName,
  openCorrespondent,
  readReplyToken,
  replyAddress,
  replyRowId,
  splitAddress,
} from "@kauke/mail-rfc";
import type { AliasRoute, AliasStore } from "../../core/alias/alias.ts";
import type { ReplyPathStore } from "../../core/reply-path.ts";
import { accept, reject, type Verdict } from "../reply.ts";
import type { ReplyRecipient } from "../transaction.ts";

export interface ResolveReplyDeps {
  replyPaths: Pick<ReplyPathStore, "find">;
  aliases: Pick<AliasStore, "findRouteById">;
}

/**
 * @param domain in lower case; a token is valid at its alias' domain only
 * @returns a rejection for an unknown token, and for a paused alias, which neither receives nor sends
 */
export async function resolveReply(
  token: string,
  domain: string,
  deps: ResolveReplyDeps,
): Promise<Verdict<ReplyRecipient>> {
  const path = await deps.replyPaths.find(replyRowId(token));
  const correspondent = path === null ? null : openCorrespondent(token, path.sealed);
  if (path === null || correspondent === null) return reject("alias_not_found");
  const route = await deps.aliases.findRouteById(path.aliasId);
  if (route === null || route.paused || domainOf(route.address) !== domain) return reject("alias_not_found");
  return accept({ kind: "reply", address: replyAddress(token, domain), correspondent, route });
}

/** Resolves the alias' reply addresses in one statement. @returns people by reply address in lower case */
export async function resolveRepliesOf(
  alias: Pick<AliasRoute, "aliasId" | "address">,
  addresses: readonly string[],
  { replyPaths }: { replyPaths: Pick<ReplyPathStore, "findAll"> },
): Promise<Map<string, Mailbox>> {
  const tokens = new Map<string, string>();
  for (const address of addresses) {
    const token = readReplyToken(localOf(address));
    if (token !== null && domainOf(address) === domainOf(alias.address)) tokens.set(address.toLowerCase(), token);
  }
  const paths = await replyPaths.findAll([...new Set(tokens.values())].map(replyRowId));
  const sealed = new Map(
    paths.flatMap((it) => (it.aliasId === alias.aliasId ? [[it.id.toString("hex"), it.sealed]] : [])),
  );
  const people = new Map<string, Mailbox>();
  for (const [address, token] of tokens) {
    const found = sealed.get(replyRowId(token).toString("hex"));
    const correspondent = found === undefined ? null : openCorrespondent(token, found);
    if (correspondent !== null) people.set(address, correspondent);
  }
  return people;
}

const localOf = (address: string) => splitAddress(address).local;

export interface ReplyFormDeps {
  aliases: Pick<AliasStore, "findRoute">;
  domains: ReadonlySet<string>;
}

/** Whether an address has the form of a reply address, and no older alias has this name. */
export async function isReplyAddress(address: string, { aliases, domains }: ReplyFormDeps): Promise<boolean> {
  const local = localOf(address);
  if (readReplyToken(local) === null || !domains.has(domainOf(address))) return false;
  return !mayBeAliasName(local) || (await aliases.findRoute(address.toLowerCase())) === null;
}
