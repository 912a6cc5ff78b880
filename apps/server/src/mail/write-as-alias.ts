/**
 * Makes a message leave as an alias: header written anew from an allow-list, reply addresses turned into the people behind them,
 * threads mapped, and the whole looked through for the real mailbox. Used for answers and for submitted mail.
 */
import {
  addressesOf,
  findLeak,
  type HeaderBlock,
  type Mailbox,
  makeMessageId,
  messageIdKeys,
  readReplyToken,
  rewriteParts,
  rewriteReplyHeader,
  stuff,
  toBase32,
  unstuff,
} from "@kauke/mail-rfc";
import type { AliasRoute } from "../core/alias/alias.ts";
import type { DeliveryStore, OpenDelivery } from "../core/delivery/delivery.ts";
import type { MessageBodies } from "../core/message/message.ts";
import type { Clock, Random } from "../core/ports.ts";
import type { ReadParts } from "./inbound/read-parts.ts";
import { type ResolveReplyDeps, resolveReply } from "./inbound/resolve-reply.ts";
import { domainOf } from "./message-signer.ts";
import { reply, replyFor, replyForThrow, type SmtpReply } from "./reply.ts";

export interface WriteAsDeps extends ResolveReplyDeps {
  deliveries: Pick<DeliveryStore, "keep">;
  bodies: Pick<MessageBodies, "put" | "delete">;
  readParts: ReadParts;
  /** Whether the owner wants what leaves looked through for their real address. */
  isLeakGuarded(userId: string): Promise<boolean>;
  clock: Clock;
  random: Random;
}

export interface WrittenByOwner {
  /** As received, wire form. */
  wire: Buffer;
  header: HeaderBlock;
  receivedAt: Date;
  eightBit: boolean;
  smtpUtf8: boolean;
}

/** Whom the envelope names: real people, by their canonical addresses. */
export interface Outgoing {
  people: readonly Mailbox[];
  /** Reply addresses that are resolved already, lower case. */
  known: ReadonlyMap<string, Mailbox>;
  /** Whether To and Cc may name people by their real addresses. */
  mayNameOutsiders: boolean;
}

const strangers = reply(
  550,
  "5.7.1",
  "Your message also names people by their real addresses. Write to reply addresses only, or they would see each other",
);
const CRLF = Buffer.from("\r\n");

/** @returns `null` when the message is kept for sending, else the refusal or deferral */
export async function sendAsAlias(
  route: AliasRoute,
  written: WrittenByOwner,
  outgoing: Outgoing,
  deps: WriteAsDeps,
): Promise<SmtpReply | null> {
  const { wire, header: block } = written;
  const source = { header: wire.subarray(0, block.end), fields: block.fields };
  const correspondents = await peopleNamed(source, route, outgoing, deps);
  const domain = domainOf(route.address);
  const rewritten = rewriteReplyHeader({
    ...source,
    aliasAddress: route.address,
    aliasName: null,
    correspondentOf: (address) => correspondents.get(address.toLowerCase()) ?? null,
    messageIds: messageIdKeys(route.replyKey, domain),
    newMessageId: makeMessageId(deps.random.bytes(16), domain),
    receivedAt: written.receivedAt,
  });
  if (rewritten.strangers.length > 0 || rewritten.hasUnread) return strangers;
  const { header, body } = rewriteParts({
    header: rewritten.header,
    body: unstuff(wire.subarray(block.isSeparated ? block.end + 2 : block.end)),
    token: toBase32(deps.random.bytes(16)),
    domain,
  });
  if (await leaks(route, { header, body }, deps)) return replyFor("reply_leaks");
  return keep(route, outgoing.people, { ...written, wire: Buffer.concat([header, CRLF, stuff(body)]) }, deps);
}

/** Who each address in To and Cc stands for; one that may not be named is left out. */
async function peopleNamed(
  source: Parameters<typeof addressesOf>[0],
  route: AliasRoute,
  { known, mayNameOutsiders }: Outgoing,
  deps: WriteAsDeps,
): Promise<Map<string, Mailbox>> {
  const people = new Map(known);
  for (const mailbox of ["to", "cc"].flatMap((name) => addressesOf(source, name).mailboxes)) {
    const { address } = mailbox;
    const at = address.lastIndexOf("@");
    const token = readReplyToken(address.slice(0, at));
    const key = address.toLowerCase();
    if (people.has(key) || key === route.address) continue;
    if (token === null) {
      if (mayNameOutsiders) people.set(key, mailbox);
      continue;
    }
    const verdict = await resolveReply(token, address.slice(at + 1).toLowerCase(), deps);
    if (verdict.verdict !== "accept" || verdict.value.route.aliasId !== route.aliasId) continue;
    people.set(key, verdict.value.correspondent);
  }
  return people;
}

async function leaks(
  route: AliasRoute,
  { header, body }: { header: Buffer; body: Buffer },
  deps: WriteAsDeps,
): Promise<boolean> {
  if (!(await deps.isLeakGuarded(route.userId))) return false;
  const parts = await deps.readParts(Buffer.concat([header, CRLF, body]));
  const headers = `${header.toString("utf8")}\r\n${body.toString("utf8")}\r\n${parts.names}`;
  return findLeak({ ...parts, headers }, mailboxesOf(route)) !== null;
}

export const mailboxesOf = ({ destinations }: AliasRoute): string[] =>
  destinations.flatMap((it) => (it.kind === "mailbox" ? [it.address] : []));

async function keep(
  route: AliasRoute,
  people: readonly Mailbox[],
  { wire, eightBit, smtpUtf8 }: WrittenByOwner,
  deps: WriteAsDeps,
): Promise<SmtpReply | null> {
  const { clock, random } = deps;
  const id = random.uuid();
  const now = clock.now();
  const nobody = { envelopeFrom: route.address, helo: "", clientAddress: "", protocol: "ESMTP" as const };
  const addresses = new Map(people.map(({ address }) => [address.toLowerCase(), address]));
  const rows = [...addresses.values()].map(
    (address): OpenDelivery => ({
      id: random.uuid(),
      messageId: id,
      aliasId: route.aliasId,
      userId: route.userId,
      target: { purpose: "send", destination: { kind: "mailbox", address }, aliasAddress: route.address },
      attempts: 0,
      createdAt: now,
      notBefore: now,
      lease: null,
      lastFailure: null,
    }),
  );
  try {
    await deps.bodies.put(id, [wire]);
    const envelope = { ...nobody, receivedAt: now, eightBit, smtpUtf8 };
    await deps.deliveries.keep({ id, envelope, sizeBytes: wire.length, createdAt: now }, rows);
    return null;
  } catch (thrown) {
    await deps.bodies.delete(id).catch(() => {});
    return replyForThrow(thrown);
  }
}
