import { randomBytes, randomUUID } from "node:crypto";
import { limits, retentionDays, sessionTimes } from "@kauke/contract";
import { beforeEach, describe, expect, it } from "vitest";
import { utcDay } from "../core/bounce-sender.ts";
import { nothingKnown } from "../core/forwarding/forwarding-provider.ts";
import { emptySummary } from "../core/import/import.ts";
import { newProbe } from "../core/probe/probe.ts";
import { systemRandom } from "../runtime/ports.ts";
import { retentionRules } from "./retention.ts";
import { aMessage, anApiKey, aSession } from "./rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "./stores.testing.ts";

const DAY = 86_400;

describe("retention", () => {
  onEachDatabase((fixture) => {
    let userId: string;
    beforeEach(async () => {
      userId = (await insertUser(fixture.store)).id;
    });

    /** For each rule of retention, inserts one row whose retention time begins now. */
    const plants: Record<(typeof retentionRules)[number]["what"], { seconds: number; plant(): Promise<unknown> }> = {
      idleSessions: { seconds: sessionTimes.idleSeconds, plant: () => openSession() },
      longSessions: {
        seconds: sessionTimes.absoluteSeconds,
        plant: () => openSession(new Date(fixture.clock.now().getTime() + 2 * DAY * 1000)),
      },
      rateLimits: {
        seconds: retentionDays.securityRecords * DAY,
        plant: () =>
          fixture.store.rateLimits.take({ action: "x", max: 1, windowSeconds: 60 }, { userId }, fixture.clock.now()),
      },
      emailAttachments: {
        seconds: DAY,
        plant: async () => {
          const id = randomUUID();
          await fixture.store.bodies.put(id, [Buffer.from("x")]);
          await fixture.store.emailAttachments.insert({ id, userId, sizeBytes: 1, createdAt: fixture.clock.now() });
        },
      },
      notices: {
        seconds: retentionDays.technicalLogs * DAY,
        plant: () =>
          fixture.store.notices.insert({
            id: randomUUID(),
            userId,
            kind: "delivery_failed",
            aliasId: null,
            text: "x",
            createdAt: fixture.clock.now(),
          }),
      },
      apiKeys: {
        seconds: retentionDays.securityRecords * DAY,
        plant: async () => {
          const expiresAt = fixture.clock.now();
          for (const key of [anApiKey(userId, { expiresAt }), anApiKey(userId, { expiresAt: null })])
            await fixture.store.apiKeys.insert(key, 50);
        },
      },
      emailJobs: { seconds: retentionDays.technicalLogs * DAY, plant: () => endJob() },
      operatorMail: { seconds: retentionDays.technicalLogs * DAY, plant: () => keepForOperator() },
      missingMailboxes: {
        seconds: retentionDays.technicalLogs * DAY,
        plant: () => fixture.store.missingMailboxes.note({ userId, address: "x@example.org", messageId: randomUUID() }),
      },
      releasedAddresses: {
        seconds: retentionDays.deletedAlias * DAY,
        plant: async () => fixture.store.aliases.delete(userId, (await insertAlias(fixture.store, userId)).id),
      },
      aliasImports: { seconds: limits.importKeptHours * 3600, plant: () => storeImport() },
      sentAnswers: {
        seconds: 7 * DAY,
        plant: () => {
          const endsAt = new Date(fixture.clock.now().getTime() + 7 * DAY * 1000);
          return fixture.store.sentAnswers.remember(userId, [{ key: randomBytes(32).toString("hex"), endsAt }]);
        },
      },
      bounceSenders: {
        get seconds() {
          return 3 * DAY - ((fixture.clock.now().getTime() / 1000) % DAY);
        },
        plant: async () => {
          const aliasId = (await insertAlias(fixture.store, userId)).id;
          const expiresOn = utcDay(new Date(fixture.clock.now().getTime() + 3 * DAY * 1000));
          const sender = { aliasId, token: randomBytes(9), sender: "x@example.org" };
          await fixture.store.bounceSenders.ensure([sender], { expiresOn, account: userId });
        },
      },
      certificateRecords: {
        seconds: DAY,
        plant: () => {
          const expiresAt = new Date(fixture.clock.now().getTime() + DAY * 1000);
          return fixture.store.certificateRecords.write({ kind: "challenge", name: "x", value: "y", expiresAt });
        },
      },
      invites: {
        seconds: 7 * DAY,
        plant: () => {
          const createdAt = fixture.clock.now();
          const expiresAt = new Date(createdAt.getTime() + 7 * DAY * 1000);
          return fixture.store.invites.insert({ id: randomUUID(), address: null, createdAt, expiresAt }, "token");
        },
      },
      operatorActs: {
        seconds: retentionDays.technicalLogs * DAY,
        plant: () => fixture.store.operator.recordAct({ by: "command", act: "backup_written", on: "a.kauke" }),
      },
      mailProbes: {
        seconds: DAY,
        plant: () =>
          fixture.store.mailProbes.start(newProbe({ clock: fixture.clock, random: systemRandom }, "kauke.test")),
      },
      providerAliases: {
        seconds: retentionDays.deletedAlias * DAY,
        plant: async () => {
          const { id } = await insertAlias(fixture.store, userId);
          await fixture.store.providerAliases.adopt(id, nothingKnown);
          await fixture.store.aliases.delete(userId, id);
        },
      },
      oneTimeTokens: { seconds: 30 * DAY, plant: () => askMailbox() },
      orphanedBodies: { seconds: 3600, plant: () => fixture.store.bodies.put(randomUUID(), [Buffer.from("x")]) },
    };

    async function storeImport() {
      const [id, now] = [randomUUID(), fixture.clock.now()];
      const summary = emptySummary({ format: "simplelogin-csv", domain: "kauke.test", label: null });
      const begun = { id, userId, createdAt: now, changedAt: now, rows: 0, summary };
      await fixture.store.imports.begin({ ...begun, state: "reading" });
    }

    async function openSession(lastSeenAt = fixture.clock.now()) {
      const tokenHash = randomBytes(32);
      await fixture.store.loginSessions.insert(
        aSession(userId, { tokenHash, createdAt: fixture.clock.now(), lastSeenAt }),
      );
    }

    async function endJob() {
      const alias = await insertAlias(fixture.store, userId);
      const createdAt = fixture.clock.now();
      const credential = { id: randomUUID(), userId, aliasId: alias.id, password: "x", createdAt };
      await fixture.store.smtpCredentials.insert({ ...credential });
      const job = {
        id: randomUUID(),
        userId,
        aliasId: alias.id,
        useEncryption: false,
        status: "pending" as const,
        priority: 0,
        maxRetries: 3,
        currentRetries: 0,
        processedAt: null,
        cancelledAt: null,
        recipients: [],
        scheduledAt: createdAt,
        messageId: "<a@kauke.test>",
        createdAt,
        fingerprint: null,
      };
      const message = { ...aMessage({ createdAt }), emailJobId: job.id };
      const target = {
        purpose: "send" as const,
        destination: { kind: "mailbox" as const, address: "rasa@example.org" },
        aliasAddress: `${alias.name}@${alias.domain}`,
      };
      const delivery = {
        id: randomUUID(),
        messageId: message.id,
        aliasId: alias.id,
        userId,
        target,
        attempts: 0,
        createdAt,
        notBefore: createdAt,
        lease: null,
        lastFailure: null,
      };
      await fixture.store.emailJobs.queue({
        job,
        content: { recipients: [{ kind: "to", address: "rasa@example.org" }], subject: "x" },
        message,
        deliveries: [delivery],
      });
      expect(await fixture.store.emailJobs.cancel(userId, job.id)).toBe(true);
    }

    async function keepForOperator() {
      const message = aMessage({ createdAt: fixture.clock.now() });
      await fixture.store.bodies.put(message.id, [Buffer.from("x")]);
      await fixture.store.deliveries.keepForOperator(message, "postmaster@kauke.test");
    }

    async function askMailbox() {
      const tokenExpiresAt = new Date(fixture.clock.now().getTime() + 30 * DAY * 1000);
      const input = { id: randomUUID(), userId, address: `${randomUUID()}@example.org`, isByOwner: true };
      await fixture.store.destinations.ask({ ...input, tokenHash: randomBytes(32), tokenExpiresAt });
    }

    it.each(retentionRules.map(({ what }) => what))(
      "%s: kept until the last second of their retention time and deleted after it",
      async (what) => {
        const { seconds, plant } = plants[what];
        // Delete the rows that other tests left behind.
        fixture.clock.advance(400 * DAY * 1000);
        await fixture.store.maintenance();
        await plant();
        fixture.clock.advance((seconds - 1) * 1000);
        expect((await fixture.store.maintenance())[what]).toBe(0);
        fixture.clock.advance(1001);
        expect((await fixture.store.maintenance())[what]).toBe(1);
        fixture.clock.advance(400 * DAY * 1000);
        expect((await fixture.store.maintenance())[what]).toBe(0);
      },
    );

    it("nothing of an account in use is deleted, however old", async () => {
      const alias = await insertAlias(fixture.store, userId);
      fixture.clock.advance(400 * DAY * 1000);
      await fixture.store.maintenance();
      expect(await fixture.store.users.find(userId)).not.toBeNull();
      expect((await fixture.store.aliases.listForUser(userId)).map(({ id }) => id)).toEqual([alias.id]);
    });
  });
});
