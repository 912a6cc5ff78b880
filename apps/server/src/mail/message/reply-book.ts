/** Stores correspondents behind reply addresses. New ones are limited: forged senders could add thousands of rows. */

import { setImmediate as nextTurn } from "node:timers/promises";
import {
  domainOf,
  type Mailbox,
  mayBeAliasName,
  openCorrespondent,
  readReplyToken,
  replyAddress,
  replyRowId,
  sealCorrespondent,
  splitAddress,
} from "@kauke/mail-rfc";
import type { AliasRoute, AliasStore } from "../../core/alias/alias.ts";
import type { MailDomains } from "../../core/domain/mail-domains.ts";
import type { ReplyPathStore } from "../../core/reply-path.ts";
import { type BucketRule, TokenBuckets } from "../../limits/rate.ts";
import { bounds, type RowRules, rowsPerDay } from "../../limits/table.ts";
import { BoundedMap } from "../../runtime/maps.ts";
import { type Clock, steadyMs } from "../../runtime/ports.ts";
import { accept, reject, type Verdict } from "../reply.ts";
import type { ReplyRecipient } from "../transaction.ts";

export interface Correspondent {
  address: string;
  name: string | null;
  token: string;
}

export interface CopyReplies {
  aliasId: string;
  userId: string;
  correspondents: readonly Correspondent[];
}

interface NewPath extends Correspondent {
  aliasId: string;
  userId: string;
}

export class ReplyBook {
  readonly #store: Pick<ReplyPathStore, "ensure" | "listKnown">;
  readonly #clock: Clock;
  readonly #stored = new BoundedMap<string, true>(bounds.remembered.replyAddresses);
  readonly #new: { alias: TokenBuckets; account: TokenBuckets; rules: RowRules } | null;
  /** When an account's last queued work ends; only work of more than one chunk is queued. */
  readonly #queueEnds = new Map<string, Promise<void>>();

  constructor(
    store: Pick<ReplyPathStore, "ensure" | "listKnown">,
    clock: Clock,
    rules: RowRules | null = rowsPerDay(bounds.newCorrespondents),
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#new = rules && {
      alias: new TokenBuckets(rules.alias, bounds.rateBuckets.keys),
      account: new TokenBuckets(rules.account, bounds.rateBuckets.keys),
      rules,
    };
  }

  isKnown(copies: readonly CopyReplies[]): boolean {
    return copies.every(({ correspondents }) => correspondents.every(({ token }) => this.#stored.has(token)));
  }

  /** Stores chunks between turns of the event loop. @returns aliases over their limit, whose copies must not be sent */
  async keep(copies: readonly CopyReplies[]): Promise<ReadonlySet<string>> {
    const paths = this.#notStored(copies);
    const [first] = paths;
    if (first === undefined) return new Set();
    if (paths.length <= bounds.replyRows.turn) return await this.#keep(paths);
    return await this.#enqueue(first.userId, () => this.#keep(paths));
  }

  #notStored(copies: readonly CopyReplies[]): NewPath[] {
    return copies.flatMap(({ aliasId, userId, correspondents }) =>
      correspondents.filter(({ token }) => !this.#stored.has(token)).map((it) => ({ ...it, aliasId, userId })),
    );
  }

  async #enqueue<T>(account: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#queueEnds.get(account) ?? Promise.resolve()).then(work);
    const end = done.then(
      () => {},
      () => {},
    );
    this.#queueEnds.set(account, end);
    try {
      return await done;
    } finally {
      if (this.#queueEnds.get(account) === end) this.#queueEnds.delete(account);
    }
  }

  async #keep(paths: readonly NewPath[]): Promise<ReadonlySet<string>> {
    const now = this.#clock.now();
    const late = beyondRoom(paths);
    const due = late.size === 0 ? paths : paths.filter(({ aliasId }) => !late.has(aliasId));
    const over = new Set([...late, ...(await this.#count(due, steadyMs(this.#clock)))]);
    const taken = over.size === 0 ? paths : paths.filter(({ aliasId }) => !over.has(aliasId));
    for await (const chunk of inChunks(taken)) {
      const byAccount = [...Map.groupBy(chunk, ({ userId }) => userId)];
      await Promise.all(byAccount.map(([account, own]) => this.#store.ensure(own.map(rowOf), { now, account })));
      for (const { token } of chunk) this.#stored.set(token, true);
    }
    return over;
  }

  /** Reads the store only when new correspondents exceed the limits. @returns aliases over their limit */
  async #count(paths: readonly NewPath[], now: number): Promise<ReadonlySet<string>> {
    const doubtful = this.#spend(paths, now);
    return doubtful.size === 0
      ? doubtful
      : this.#spend(await this.#unknown(paths.filter(({ aliasId }) => doubtful.has(aliasId))), now);
  }

  /** A crowd leaves half of each limit to others. One above a process' part may overdraw it, or would never arrive. */
  #spend(paths: readonly NewPath[], now: number): ReadonlySet<string> {
    const over = new Set<string>();
    if (this.#new === null) return over;
    const { alias, account, rules } = this.#new;
    for (const [aliasId, own] of Map.groupBy(paths, (it) => it.aliasId)) {
      const { userId } = own[0] as NewPath;
      const needed = ({ max }: BucketRule) =>
        Math.min(max, own.length + (own.length > bounds.newCorrespondents.crowd ? max / 2 : 0));
      const isOver =
        alias.isEmpty(aliasId, now, needed(rules.alias)) || account.isEmpty(userId, now, needed(rules.account));
      if (isOver) over.add(aliasId);
      else {
        alias.spend(aliasId, now, own.length);
        account.spend(userId, now, own.length);
      }
    }
    return over;
  }

  async #unknown(paths: readonly NewPath[]): Promise<NewPath[]> {
    const unknown: NewPath[] = [];
    for await (const chunk of inChunks(paths)) {
      const ids = chunk.map(({ token }) => replyRowId(token));
      const known = await this.#store.listKnown(ids);
      unknown.push(...chunk.filter((_, index) => !known.has(ids[index]?.toString("hex") ?? "")));
    }
    return unknown;
  }
}

/** A row with a sealed correspondent. Sealing takes as long as the statement, so it is done chunk by chunk too. */
function rowOf({ token, aliasId, address, name }: NewPath) {
  return { id: replyRowId(token), aliasId, sealed: sealCorrespondent(token, { address, name }) };
}

/** @returns aliases for whose correspondents a message to many aliases has no room */
function beyondRoom(paths: readonly NewPath[]): ReadonlySet<string> {
  const late = new Set<string>();
  if (paths.length <= bounds.replyRows.message) return late;
  let room = bounds.replyRows.message;
  for (const [aliasId, own] of Map.groupBy(paths, (it) => it.aliasId)) {
    if (own.length > room) late.add(aliasId);
    else room -= own.length;
  }
  return late;
}

async function* inChunks(paths: readonly NewPath[]): AsyncGenerator<readonly NewPath[]> {
  for (let from = 0; from < paths.length; from += bounds.replyRows.turn) {
    if (from > 0) await nextTurn();
    yield paths.slice(from, from + bounds.replyRows.turn);
  }
}

export interface ResolveReplyDeps {
  replyPaths: Pick<ReplyPathStore, "find">;
  aliases: Pick<AliasStore, "findRouteById">;
}

/** @param domain in lower case @returns a rejection for an unknown token or domain, and for a paused alias */
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

/** Resolves an alias' reply addresses in one statement. @returns people by reply address in lower case */
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
  domains: Pick<MailDomains, "has">;
}

/** Whether an address has the form of a reply address, and no older alias has this name. */
export async function isReplyAddress(address: string, { aliases, domains }: ReplyFormDeps): Promise<boolean> {
  const local = localOf(address);
  if (readReplyToken(local) === null || !domains.has(domainOf(address))) return false;
  return !mayBeAliasName(local) || (await aliases.findRoute(address.toLowerCase())) === null;
}
