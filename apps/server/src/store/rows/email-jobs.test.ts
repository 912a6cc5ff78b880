import { randomBytes, randomUUID } from "node:crypto";
import { rounds } from "@kauke/testkit/long-rounds";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Alias, aliasAddress } from "../../core/alias/alias.ts";
import type { LeasedDelivery } from "../../core/delivery/delivery.ts";
import type { EmailJob, EmailJobToQueue } from "../../core/email-job/email-job.ts";
import { changeSignals } from "../change-signals.ts";
import { openInMemory } from "../embedded/embedded-database.ts";
import { runMigrations, underStartLock } from "../migrate.ts";
import type { Store } from "../open-store.ts";
import { deliveryStore } from "../queue/deliveries.ts";
import { aMessage, anAlias, anOpenDelivery, aUser, mailboxDestination } from "../rows.testing.ts";
import { loadServerKeys } from "../sealing/server-keys.ts";
import { insertAlias, insertUser, onEachDatabase } from "../stores.testing.ts";
import { releasedAddresses } from "./accounts/released-addresses.ts";
import { userStore } from "./accounts/users.ts";
import { aliasStore } from "./aliases/aliases.ts";
import { emailJobStore } from "./email-jobs.ts";
import type { JobDocument } from "./job-records.ts";
import { smtpCredentialStore } from "./smtp-credentials.ts";

const leaseMs = 60_000;
const failure = { code: "mailbox_full", enhancedStatus: "4.2.2" } as const;
const after = (date: Date, ms: number) => new Date(date.getTime() + ms);

const rasa = "rasa@example.org";

function aJob(alias: Alias, now: Date, change: Partial<EmailJob> = {}, addresses = [rasa]): EmailJobToQueue {
  const job: EmailJob = {
    id: randomUUID(),
    userId: alias.userId,
    aliasId: alias.id,
    useEncryption: true,
    status: "pending",
    priority: 0,
    maxRetries: 3,
    currentRetries: 0,
    scheduledAt: now,
    processedAt: null,
    cancelledAt: null,
    recipients: addresses.map((address) => ({ kind: "to", address, state: "pending", failure: null })),
    messageId: `<${randomUUID()}@kauke.test>`,
    createdAt: now,
    fingerprint: null,
    ...change,
  };
  const message = { ...aMessage(), emailJobId: job.id };
  const { priority, scheduledAt: notBefore } = job;
  const aliasOf = aliasAddress(alias.name, alias.domain);
  const deliveryTo = (address: string, jobPlace: number) => {
    const target = { purpose: "send" as const, destination: mailboxDestination(address), aliasAddress: aliasOf };
    const known = { target, attempts: 0, notBefore, priority, createdAt: now };
    return { ...anOpenDelivery(message, alias, known), jobPlace };
  };
  const recipients = addresses.map((address) => ({ kind: "to" as const, address }));
  const [first, ...others] = addresses.map(deliveryTo);
  if (first === undefined) throw new Error("a message has a recipient");
  return { job, content: { recipients, subject: "Contract" }, message, deliveries: [first, ...others] };
}

describe("jobs of composed mail", () => {
  onEachDatabase((fixture) => {
    let now: Date;
    let store: Store;
    let userId: string;
    let alias: Alias;
    let credentialId: string;

    beforeEach(async () => {
      store = fixture.store;
      now = fixture.clock.now();
      userId = (await insertUser(store)).id;
      alias = await insertAlias(store, userId);
      credentialId = await giveSmtpCredential(store, alias);
    });
    afterEach(() => store.users.delete(userId));

    const queueOne = async (change: Partial<EmailJob> = {}, addresses = [rasa]) => {
      const made = aJob(alias, now, change, addresses);
      await store.bodies.put(made.message.id, [Buffer.from("x")]);
      await store.emailJobs.queue(made);
      return made;
    };
    const claim = async (at = now, limit = 10, from = store) =>
      (await from.deliveries.claim({ now: at, leaseMs, limit })).deliveries;
    const claimOne = async (at = now) => (await claim(at))[0] as LeasedDelivery;
    const jobOf = async ({ job }: EmailJobToQueue) => {
      const found = (await store.emailJobs.find(userId, job.id)) as EmailJob;
      return { ...found, lastFailure: found.recipients[0]?.failure ?? null };
    };
    const cancel = ({ job }: EmailJobToQueue, from = store) => from.emailJobs.cancel(userId, job.id);

    it("a queued message is pending, visible to its owner only, and handed out with its number of retries", async () => {
      const made = await queueOne();
      expect(await store.emailJobs.find(userId, made.job.id)).toEqual(made.job);
      expect(await store.emailJobs.find(randomUUID(), made.job.id)).toBeNull();
      expect(await store.emailJobs.cancel(randomUUID(), made.job.id)).toBeNull();
      expect(await claim(after(now, -1))).toEqual([]);
      expect(await claimOne()).toMatchObject({ id: made.deliveries[0].id, attempts: 0, maxRetries: 3 });
      expect(await jobOf(made)).toMatchObject({ status: "sending" });
    });

    it("messages that have not ended are listed for their owner with recipient and subject, newest first", async () => {
      const first = await queueOne({ scheduledAt: after(now, 1e6) });
      const second = await queueOne({ createdAt: after(now, 1000), scheduledAt: after(now, 1e6) });
      const ended = await queueOne();
      await cancel(ended);
      const listed = await store.emailJobs.listWaiting(userId, 10);
      expect(listed.map(({ job }) => job.id)).toEqual([second.job.id, first.job.id]);
      expect(listed[1]).toEqual({
        nextAttemptAt: first.deliveries[0].notBefore,
        job: first.job,
        content: first.content,
      });
      expect(await store.emailJobs.listWaiting(userId, 1)).toHaveLength(1);
      expect(await store.emailJobs.listWaiting(randomUUID(), 10)).toEqual([]);
    });

    it.runIf(fixture.severalProcesses)(
      "a job with a damaged document still lets its message end and its account be deleted",
      async () => {
        const made = await queueOne();
        const other = await queueOne();
        const client = new pg.Client({ connectionString: fixture.databaseUrl() ?? "" });
        await client.connect();
        await client.query(
          "UPDATE email_job SET sealed = set_byte(sealed, 30, get_byte(sealed, 30) # 1) WHERE id = $1",
          [made.job.id],
        );
        await client.end();
        expect((await store.emailJobs.listWaiting(userId, 10)).map(({ job }) => job.id)).toEqual([other.job.id]);
        const held = (await claim()).find((it) => it.id === made.deliveries[0].id) as LeasedDelivery;
        const ended = await store.deliveries.finish(held.id, held.leaseToken, null);
        expect(ended).toMatchObject({ finished: true, messageDone: made.message.id });
        expect(await jobOf(made)).toMatchObject({ status: "sent" });
        expect(await jobOf(other)).toMatchObject({ status: "sending" });
      },
    );

    it("pending, sending, sent", async () => {
      const made = await queueOne();
      const held = await claimOne();
      const ended = await store.deliveries.finish(held.id, held.leaseToken, null);
      expect(ended).toMatchObject({ finished: true, messageDone: made.message.id });
      expect(await jobOf(made)).toMatchObject({ status: "sent", processedAt: now, lastFailure: null });
      expect(await cancel(made)).toBe(false);
    });

    describe("a message that waits without an attempt being counted", () => {
      const failure = { code: "at_provider", enhancedStatus: "4.4.0" } as const;
      const waitAs = async (uncounted: "handed_over" | "for_leave") => {
        const made = await queueOne();
        const held = await claimOne();
        const next = { notBefore: after(now, 5000), failure, uncounted };
        expect(await store.deliveries.wait(held.id, "another", next)).toBe(false);
        expect(await store.deliveries.wait(held.id, held.leaseToken, next)).toBe(true);
        expect(await claim(after(now, 4999))).toEqual([]);
        return made;
      };

      it("because the provider has it: sending, not to be cancelled, not even with its alias, then sent", async () => {
        const made = await waitAs("handed_over");
        expect(await jobOf(made)).toMatchObject({ status: "sending", currentRetries: 0, lastFailure: failure });
        expect(await cancel(made)).toBe(false);
        await store.aliases.delete(userId, alias.id);
        const held = await claimOne(after(now, 5000));
        expect(held).toMatchObject({ id: made.deliveries[0].id, attempts: 0, lastFailure: failure });
        await store.deliveries.finish(held.id, held.leaseToken, null);
        expect(await jobOf(made)).toMatchObject({ status: "sent" });
      });

      it("for leave to send: pending with all its retries, and can be cancelled", async () => {
        const made = await waitAs("for_leave");
        expect(await jobOf(made)).toMatchObject({ status: "pending", currentRetries: 0 });
        expect(await claimOne(after(now, 5000))).toMatchObject({ attempts: 0 });
      });
    });

    it("pending, sending, returned without an attempt: pending with all its retries, and can be cancelled again", async () => {
      const made = await queueOne();
      const held = await claimOne();
      await store.deliveries.putBack([{ ...held, notBefore: after(now, 1000) }]);
      expect(await jobOf(made)).toMatchObject({ status: "pending", currentRetries: 0, lastFailure: null });
      expect(await cancel(made)).toBe(true);
      expect(await claim(after(now, 1000))).toEqual([]);
    });

    it("pending, sending, pending again with the reason, sending, failed with the last reason", async () => {
      const made = await queueOne();
      const first = await claimOne();
      await store.deliveries.defer(first.id, first.leaseToken, { notBefore: after(now, 1000), failure });
      expect(await jobOf(made)).toMatchObject({ status: "pending", currentRetries: 1, lastFailure: failure });
      const second = await claimOne(after(now, 1000));
      expect(await jobOf(made)).toMatchObject({ status: "sending", currentRetries: 1, lastFailure: failure });
      const unknown = { code: "mailbox_unknown", enhancedStatus: "5.1.1" } as const;
      await store.deliveries.finish(second.id, second.leaseToken, unknown);
      expect(await jobOf(made)).toMatchObject({ status: "failed", currentRetries: 1, lastFailure: unknown });
    });

    it("after a worker dies another one claims the message, and a late result of the first changes nothing", async () => {
      const made = await queueOne();
      const lost = await claimOne();
      const next = await claimOne(after(now, leaseMs));
      expect(await store.deliveries.finish(lost.id, lost.leaseToken, null)).toMatchObject({ finished: false });
      expect(await store.deliveries.defer(lost.id, lost.leaseToken, { notBefore: now, failure })).toBe(false);
      expect(await jobOf(made)).toMatchObject({ status: "sending", currentRetries: 0 });
      await store.deliveries.finish(next.id, next.leaseToken, null);
      expect(await jobOf(made)).toMatchObject({ status: "sent" });
    });

    it("pending, cancelled: nothing is left to send, and cancelling again changes nothing", async () => {
      const made = await queueOne();
      expect(await cancel(made)).toBe(true);
      expect(await jobOf(made)).toMatchObject({ status: "cancelled", cancelledAt: now, processedAt: null });
      expect(await claim(after(now, 1e9))).toEqual([]);
      expect(await store.deliveries.isKnownMessage(made.message.id)).toBe(false);
      expect(await store.bodies.get(made.message.id)).toBeNull();
      expect(await cancel(made)).toBe(true);
    });

    it("a leased message can't be cancelled; one that waits after a definite failure can", async () => {
      const made = await queueOne();
      const held = await claimOne();
      expect(await cancel(made)).toBe(false);
      expect(await jobOf(made)).toMatchObject({ status: "sending" });
      await store.deliveries.defer(held.id, held.leaseToken, { notBefore: after(now, 1000), failure });
      expect(await cancel(made)).toBe(true);
      expect(await claim(after(now, 1e9))).toEqual([]);
    });

    it.each(["timed_out", "connection_lost"] as const)(
      "after an attempt that ended as %s a message can't be cancelled",
      async (code) => {
        const made = await queueOne();
        const held = await claimOne();
        const next = { notBefore: after(now, 1000), failure: { code, enhancedStatus: "4.4.2" } };
        await store.deliveries.defer(held.id, held.leaseToken, next);
        expect(await cancel(made)).toBe(false);
        expect(await claim(after(now, 1000))).toHaveLength(1);
      },
    );

    it("of a concurrent cancel and claim one succeeds, and both get the right result", async () => {
      const second = fixture.severalProcesses ? await fixture.openSecond() : store;
      try {
        let undone = 0;
        const tries = rounds(24, 60);
        // The loser of a round starts earlier in the next one, by a step that doubles while it loses. So both orders occur
        // at any speed of the machine, and most rounds are close to the point where the winner changes.
        let headStartMs = 0;
        let stepMs = 1;
        let lastWon: boolean | null = null;
        const pause = (ms: number) => (ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve());
        for (let round = 0; round < tries; round += 1) {
          const made = await queueOne();
          const [cancelled, claimed] = await Promise.all([
            pause(-headStartMs).then(() => cancel(made, second)),
            pause(headStartMs).then(() => claim()),
          ]);
          expect(claimed).toHaveLength(cancelled ? 0 : 1);
          expect((await jobOf(made)).status).toBe(cancelled ? "cancelled" : "sending");
          for (const it of claimed) await store.deliveries.finish(it.id, it.leaseToken, null);
          if (cancelled) undone += 1;
          stepMs = cancelled === lastWon ? stepMs * 2 : Math.max(stepMs / 4, 1);
          headStartMs += cancelled ? -stepMs : stepMs;
          lastWon = cancelled;
        }
        expect(undone).toBeGreaterThan(0);
        expect(undone).toBeLessThan(tries);
      } finally {
        if (second !== store) await second.close();
      }
    });

    it("many concurrent cancels and claims end every message exactly once", async () => {
      const second = fixture.severalProcesses ? await fixture.openSecond() : store;
      try {
        const all = [];
        for (let made = 0; made < 40; made += 1) all.push(await queueOne());
        const [cancels, ...claims] = await Promise.all([
          Promise.all(all.map((made, index) => cancel(made, index % 2 === 0 ? store : second))),
          ...Array.from({ length: 8 }, (_, index) => claim(now, 5, index % 2 === 0 ? second : store)),
        ]);
        const claimed = new Set(claims.flat().map((it) => it.id));
        all.forEach((made, index) => expect(claimed.has(made.deliveries[0].id) && cancels[index]).toBe(false));
        const left = await claim();
        expect(cancels.filter(Boolean).length + claimed.size + left.length).toBe(40);
      } finally {
        if (second !== store) await second.close();
      }
    });

    it("higher priority is handed out first, then the delivery due longest", async () => {
      const [low, high, older] = [
        await queueOne(),
        await queueOne({ priority: 9 }),
        await queueOne({ scheduledAt: after(now, -1000) }),
      ];
      const ids = [...(await claim(now, 1)), ...(await claim(now, 1)), ...(await claim(now, 5))].map((it) => it.id);
      expect(ids).toEqual([high, older, low].map((made) => made.deliveries[0].id));
    });

    it.each(["paused", "without SMTP credentials", "gone", "renamed"])(
      "an alias that was %s meanwhile can't send",
      async (state) => {
        const made = aJob(alias, now);
        if (state === "paused") await pauseAlias(store, alias);
        if (state === "without SMTP credentials")
          await store.smtpCredentials.delete({ userId, aliasId: alias.id, credentialId });
        if (state === "gone") await store.aliases.delete(userId, alias.id);
        if (state === "renamed") await store.aliases.update(userId, alias.id, () => ({ name: `b${alias.name}` }));
        await expect(store.emailJobs.queue(made)).rejects.toMatchObject({ code: "invalid" });
        expect(await store.emailJobs.find(userId, made.job.id)).toBeNull();
        expect(await store.deliveries.isKnownMessage(made.message.id)).toBe(false);
      },
    );

    it.each(["paused", "deleted", "renamed"])(
      "the waiting messages of an alias are cancelled when the alias is %s",
      async (state) => {
        const waiting = await queueOne();
        const other = await insertAlias(store, userId);
        await giveSmtpCredential(store, other);
        const untouched = aJob(other, now);
        await store.emailJobs.queue(untouched);
        if (state === "paused") await pauseAlias(store, alias);
        if (state === "deleted") await store.aliases.delete(userId, alias.id);
        if (state === "renamed") await store.aliases.update(userId, alias.id, () => ({ name: `b${alias.name}` }));
        expect(await jobOf(waiting)).toMatchObject({ status: "cancelled" });
        expect(await store.bodies.get(waiting.message.id)).toBeNull();
        expect((await claim()).map((it) => it.id)).toEqual([untouched.deliveries[0].id]);
      },
    );

    it.each(["paused", "deleted"])(
      "a message in flight while its alias is %s can finish, but is not retried",
      async (state) => {
        const [sent, deferred] = [await queueOne(), await queueOne()];
        const held = await claim();
        if (state === "paused") await pauseAlias(store, alias);
        else await store.aliases.delete(userId, alias.id);
        for (const it of held) {
          if (it.id === sent.deliveries[0].id) await store.deliveries.finish(it.id, it.leaseToken, null);
          else await store.deliveries.defer(it.id, it.leaseToken, { notBefore: now, failure });
        }
        expect(await jobOf(sent)).toMatchObject({ status: "sent" });
        expect(await jobOf(deferred)).toMatchObject({ status: "cancelled" });
        expect(await claim(after(now, 1e9))).toEqual([]);
        expect(await store.bodies.get(deferred.message.id)).toBeNull();
      },
    );

    it("of equal jobs queued at the same time one is stored, and the id stays taken after it has ended", async () => {
      const first = aJob(alias, now, { fingerprint: "x" });
      const again = () => {
        const other = aJob(alias, now, { id: first.job.id, fingerprint: "x" });
        return store.emailJobs.queue(other);
      };
      const results = await Promise.allSettled([store.emailJobs.queue(first), again(), again()]);
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const result of results)
        if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "job_id_taken" });
      await cancel(first);
      await expect(again()).rejects.toMatchObject({ code: "job_id_taken" });
      expect(await store.emailJobs.find(userId, first.job.id)).toMatchObject({ status: "cancelled", fingerprint: "x" });
      expect(await claim(after(now, 1e9))).toEqual([]);
    });

    it("concurrent pausing and queueing never leave a message waiting", async () => {
      for (let round = 0; round < 10; round += 1) {
        const own = await insertAlias(store, userId);
        await giveSmtpCredential(store, own);
        const made = aJob(own, now);
        const [queued] = await Promise.allSettled([store.emailJobs.queue(made), pauseAlias(store, own)]);
        const job = await store.emailJobs.find(userId, made.job.id);
        expect(job?.status ?? null).toBe(queued.status === "fulfilled" ? "cancelled" : null);
      }
      expect(await claim(after(now, 1e9))).toEqual([]);
    });

    describe("a message to several recipients", () => {
      const addresses = [rasa, "jonas@example.org", "ruta@example.org"];
      const statesOf = async (made: EmailJobToQueue) => (await jobOf(made)).recipients.map(({ state }) => state);

      it("has a delivery for each, and the last one to end ends it: sent if one host took it", async () => {
        const made = await queueOne({}, addresses);
        const held = await claim();
        expect(held.map(({ maxRetries }) => maxRetries)).toEqual([3, 3, 3]);
        const at = (place: number) => held.find(({ id }) => id === made.deliveries[place]?.id) as LeasedDelivery;
        await store.deliveries.finish(at(0).id, at(0).leaseToken, null);
        expect(await statesOf(made)).toEqual(["sent", "sending", "sending"]);
        await store.deliveries.defer(at(1).id, at(1).leaseToken, { notBefore: after(now, 1000), failure });
        expect(await jobOf(made)).toMatchObject({ status: "sending", currentRetries: 1 });
        const unknown = { code: "mailbox_unknown", enhancedStatus: "5.1.1" } as const;
        expect(await store.deliveries.finish(at(2).id, at(2).leaseToken, unknown)).toMatchObject({ messageDone: null });
        expect(await jobOf(made)).toMatchObject({
          status: "pending",
          recipients: [
            { address: rasa, state: "sent", failure: null },
            { address: "jonas@example.org", state: "pending", failure },
            { address: "ruta@example.org", state: "failed", failure: unknown },
          ],
        });
        const last = await claimOne(after(now, 1000));
        const ended = await store.deliveries.finish(last.id, last.leaseToken, null);
        expect(ended).toMatchObject({ messageDone: made.message.id });
        const without = { kind: "to", address: null, failure: null };
        expect(await jobOf(made)).toMatchObject({
          status: "sent",
          processedAt: now,
          currentRetries: 1,
          recipients: [
            { ...without, state: "sent" },
            { ...without, state: "sent" },
            { ...without, state: "failed", failure: unknown },
          ],
        });
        const [listed] = await store.emailJobs.listEnded(userId, now, 10);
        expect(listed).toEqual({ endedAt: now, job: await store.emailJobs.find(userId, made.job.id) });
        expect(await store.emailJobs.listEnded(userId, after(now, 1), 10)).toEqual([]);
        expect(await store.emailJobs.listEnded(randomUUID(), now, 10)).toEqual([]);
      });

      it("fails if all failed", async () => {
        const made = await queueOne({}, addresses);
        for (const held of await claim()) await store.deliveries.finish(held.id, held.leaseToken, failure);
        expect(await jobOf(made)).toMatchObject({ status: "failed" });
      });

      it("is cancelled as a whole while nothing has left, and not at all afterwards", async () => {
        const [whole, begun] = [
          await queueOne({}, addresses),
          await queueOne({ scheduledAt: after(now, 5000) }, addresses),
        ];
        expect(await cancel(whole)).toBe(true);
        expect(await statesOf(whole)).toEqual(["cancelled", "cancelled", "cancelled"]);
        const held = await claim(after(now, 5000), 1);
        expect(await cancel(begun)).toBe(false);
        for (const one of held) await store.deliveries.finish(one.id, one.leaseToken, failure);
        expect(await cancel(begun)).toBe(false);
        expect(await statesOf(begun)).toContain("failed");
        expect(await claim(after(now, 5000))).toHaveLength(2);
      });

      it("a worker that died while sending to one of them leaves a message that can't be cancelled", async () => {
        const made = await queueOne({}, addresses);
        await claim(now, 1);
        await store.deliveries.releaseLeases();
        expect(await cancel(made)).toBe(false);
        expect(await claim()).toHaveLength(3);
      });

      it("the rest is not sent when its alias is paused, and it stays sent for the others", async () => {
        const made = await queueOne({}, addresses);
        const [held, deferred] = (await claim(now, 2)) as [LeasedDelivery, LeasedDelivery];
        await pauseAlias(store, alias);
        expect((await statesOf(made)).filter((state) => state === "cancelled")).toHaveLength(1);
        await store.deliveries.finish(held.id, held.leaseToken, null);
        await store.deliveries.defer(deferred.id, deferred.leaseToken, { notBefore: now, failure });
        expect((await statesOf(made)).toSorted()).toEqual(["cancelled", "cancelled", "sent"]);
        expect(await jobOf(made)).toMatchObject({ status: "sent" });
        expect(await store.bodies.get(made.message.id)).toBeNull();
      });

      it("concurrent claims, results and cancels of many lose and repeat nothing", async () => {
        const second = fixture.severalProcesses ? await fixture.openSecond() : store;
        try {
          const all = await Promise.all(Array.from({ length: 8 }, () => queueOne({}, addresses)));
          const work = async (from: Store) => {
            const ended: string[] = [];
            for (let turn = 0; turn < 12; turn += 1)
              await Promise.all(
                (await claim(now, 3, from)).map(async (one) => {
                  const { finished } = await from.deliveries.finish(one.id, one.leaseToken, null);
                  if (finished) ended.push(one.id);
                }),
              );
            return ended;
          };
          const cancels = all.map((made, at) => cancel(made, at % 2 === 0 ? store : second));
          const [cancelled, ...ended] = await Promise.all([
            Promise.all(cancels),
            work(store),
            work(second),
            work(store),
          ]);
          const sent = ended.flat();
          expect(new Set(sent).size).toBe(sent.length);
          for (const [at, made] of all.entries())
            expect(new Set(await statesOf(made))).toEqual(new Set([cancelled[at] === true ? "cancelled" : "sent"]));
          expect(sent).toHaveLength(cancelled.filter((it) => it === false).length * addresses.length);
        } finally {
          if (second !== store) await second.close();
        }
      });
    });

    it("is deleted with its account, also while it is being sent", async () => {
      const [waiting, held] = [await queueOne({ scheduledAt: after(now, 1000) }), await queueOne()];
      const [lease] = (await claim()) as [LeasedDelivery];
      await store.users.delete(userId);
      for (const { job, message } of [waiting, held]) {
        expect(await store.emailJobs.find(userId, job.id)).toBeNull();
        expect(await store.deliveries.isKnownMessage(message.id)).toBe(false);
      }
      expect(await store.deliveries.finish(lease.id, lease.leaseToken, null)).toMatchObject({ finished: false });
    });

    it("ended jobs are deleted after their retention time, waiting ones are not", async () => {
      const [ended, waiting] = [await queueOne(), await queueOne()];
      await cancel(ended);
      expect(await store.emailJobs.deleteEndedBefore(now)).toBe(0);
      expect(await store.emailJobs.deleteEndedBefore(after(now, 1))).toBe(1);
      expect(await store.emailJobs.find(userId, ended.job.id)).toBeNull();
      expect((await jobOf(waiting)).status).toBe("pending");
    });
  });
});

function pauseAlias(store: Store, alias: Alias) {
  const lastDestinations = [mailboxDestination("ann@example.org")];
  return store.aliases.update(alias.userId, alias.id, () => ({ routing: { state: "paused", lastDestinations } }));
}

async function giveSmtpCredential(store: Store, { userId, id: aliasId }: Alias): Promise<string> {
  const id = randomUUID();
  await store.smtpCredentials.insert({ id, userId, aliasId, password: "x".repeat(24), createdAt: new Date() });
  return id;
}

describe("the document of a job", () => {
  it("recipient and subject are sealed while the message waits, and erased however it ends", async () => {
    const { db, close } = await openInMemory();
    const clock = { now: () => new Date("2026-03-01T12:00:00.000Z") };
    const keys = await underStartLock(db, async (trx) => {
      await runMigrations(trx, clock.now());
      return loadServerKeys(trx, randomBytes(32), clock.now());
    });
    const context = { db, keys, clock, signals: changeSignals({ notify: false }) };
    const forgetBodies = async () => {};
    const [jobs, deliveries] = [emailJobStore(context, { forgetBodies }), deliveryStore(context, { forgetBodies })];
    const released = releasedAddresses(context);
    const [user, alias] = [aUser(), anAlias("")];
    alias.userId = user.id;
    await userStore(context, { released, forgetBodies }).insert(user);
    await aliasStore(context, { released, forgetBodies }).insert(alias);
    const credential = { id: randomUUID(), userId: user.id, aliasId: alias.id, password: "x".repeat(24) };
    await smtpCredentialStore(context).insert({ ...credential, createdAt: clock.now() });
    const all = [aJob(alias, clock.now()), aJob(alias, clock.now()), aJob(alias, clock.now())] as const;
    for (const made of all) await jobs.queue(made);
    const documents = async () => {
      const rows = await db.selectFrom("email_job").select(["id", "sealed"]).execute();
      for (const row of rows) expect(row.sealed.includes("rasa")).toBe(false);
      return rows.map((row) => keys.open<JobDocument>("email_job", row.id, row.sealed).content);
    };
    const content = { recipients: [{ kind: "to", address: rasa }], subject: "Contract" };
    expect(await documents()).toEqual([content, content, content]);
    await jobs.cancel(user.id, all[2].job.id);
    const [sent, failed] = (await deliveries.claim({ now: clock.now(), leaseMs, limit: 5 })).deliveries;
    await deliveries.finish(sent?.id ?? "", sent?.leaseToken ?? "", null);
    await deliveries.finish(failed?.id ?? "", failed?.leaseToken ?? "", failure);
    expect(await documents()).toEqual([null, null, null]);
    await close();
  });
});
