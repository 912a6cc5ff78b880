/** Builds complete, valid rows for tests, with fields overridden by the test. */
import { randomBytes, randomUUID } from "node:crypto";
import type { Alias, AliasToInsert, Destination } from "../core/alias/alias.ts";
import type { ApiKey } from "../core/api-key.ts";
import type { MessageToEnqueue, OpenDelivery } from "../core/delivery/delivery.ts";
import type { NamedLoginSession } from "../core/login-session.ts";
import type { User } from "../core/user/user.ts";

export function aUser(change: Partial<User> = {}): User {
  const now = new Date("2026-03-01T12:00:00.000Z");
  return {
    id: randomUUID(),
    email: `${randomUUID()}@example.org`,
    walletAddress: null,
    googleId: null,
    emailConfirmedAt: null,
    passwordHash: "$argon2id$v=19$m=65536,t=3,p=1$c2FsdA$aGFzaA",
    authMethod: "email",
    firstName: null,
    lastName: null,
    profileImageUrl: null,
    balanceCents: 0,
    createdAt: now,
    updatedAt: now,
    ...change,
  };
}

export function aSession(userId: string, change: Partial<NamedLoginSession> = {}): NamedLoginSession {
  const now = new Date("2026-03-01T12:00:00.000Z");
  return {
    id: randomUUID(),
    tokenHash: randomBytes(32),
    userId,
    device: "Firefox on Linux",
    createdAt: now,
    lastSeenAt: now,
    ...change,
  };
}

export function anApiKey(userId: string, change: Partial<ApiKey> = {}): ApiKey & { hash: Buffer } {
  return {
    id: randomUUID(),
    userId,
    name: "Browser ąč",
    scopes: ["aliases:create", "aliases:read"],
    expiresAt: new Date("2027-03-01T12:00:00.000Z"),
    lastUsedOn: null,
    createdAt: new Date("2026-03-01T12:00:00.000Z"),
    hash: randomBytes(32),
    ...change,
  };
}

export const mailboxDestination = (address: string): Destination => ({ kind: "mailbox", address });

export function anAlias(userId: string, change: Partial<AliasToInsert> = {}): AliasToInsert {
  return {
    id: randomUUID(),
    userId,
    name: `a${randomBytes(8).toString("hex")}`,
    domain: "kauke.test",
    routing: { state: "active", destinations: [mailboxDestination("ann@example.org")] },
    notes: null,
    providerId: null,
    sealTo: "account",
    labels: [],
    pinned: false,
    writeByAddress: false,
    createdAt: new Date("2026-03-01T12:00:00.000Z"),
    isOnOwnDomain: false,
    ...change,
  };
}

export function aMessage(change: Partial<MessageToEnqueue> = {}): MessageToEnqueue {
  const receivedAt = new Date("2026-03-01T12:00:00.000Z");
  return {
    id: randomUUID(),
    envelope: {
      envelopeFrom: "bob@example.net",
      helo: "mx.example.net",
      clientAddress: "192.0.2.7",
      protocol: "ESMTPS",
      receivedAt,
      eightBit: true,
      smtpUtf8: false,
    },
    sizeBytes: 1234,
    createdAt: receivedAt,
    ...change,
  };
}

export function anOpenDelivery(
  message: MessageToEnqueue,
  alias: Alias,
  change: Partial<OpenDelivery> = {},
): OpenDelivery {
  return {
    id: randomUUID(),
    messageId: message.id,
    aliasId: alias.id,
    userId: alias.userId,
    target: { destination: mailboxDestination("ann@example.org"), aliasAddress: `${alias.name}@${alias.domain}` },
    attempts: 1,
    createdAt: message.createdAt,
    notBefore: message.createdAt,
    lease: null,
    lastFailure: null,
    ...change,
  };
}
