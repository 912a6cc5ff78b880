import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ForwardToEntry } from "@kauke/contract";
import { sql } from "kysely";
import { beforeEach, expect, it } from "vitest";
import type { Alias } from "../../core/alias/alias.ts";
import type { OpenDelivery } from "../../core/delivery/delivery.ts";
import { onEachContext } from "../context.testing.ts";
import { releasedAddresses } from "../rows/accounts/released-addresses.ts";
import { userStore } from "../rows/accounts/users.ts";
import { aliasStore } from "../rows/aliases/aliases.ts";
import { emailJobStore } from "../rows/email-jobs.ts";
import { aMessage, anAlias, anOpenDelivery, aUser, mailboxDestination } from "../rows.testing.ts";
import { deliveryStore } from "./deliveries.ts";
import { hostQueues } from "./queue-by-host.ts";

const forgetBodies = async () => {};
const full = { code: "mailbox_full", enhancedStatus: "4.2.2" } as const;
const away = { code: "unreachable", enhancedStatus: "4.4.1" } as const;

onEachContext((fixture) => {
  let alias: Alias;
  let later: Date;

  beforeEach(async () => {
    const { context } = fixture;
    await context.db.deleteFrom("message").execute();
    const released = releasedAddresses(context);
    const user = aUser();
    await userStore(context, { released, forgetBodies }).insert(user);
    const inserted = anAlias(user.id);
    await aliasStore(context, { released, forgetBodies }).insert(inserted);
    alias = inserted;
    later = new Date(context.clock.now().getTime() + 3_600_000);
  });

  const store = () => deliveryStore(fixture.context, { forgetBodies });
  async function enqueue(to: string | ForwardToEntry, change: Partial<OpenDelivery> = {}): Promise<OpenDelivery> {
    const message = aMessage();
    const destination = typeof to === "string" ? mailboxDestination(to) : to;
    const target = { destination, aliasAddress: "a@kauke.test" };
    const delivery = anOpenDelivery(message, alias, { notBefore: later, target, ...change });
    await store().enqueue(message, [delivery]);
    return delivery;
  }
  const rowOf = ({ id }: OpenDelivery) =>
    fixture.context.db.selectFrom("delivery").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const claim = async (at: Date) => (await store().claim({ now: at, leaseMs: 60_000, limit: 1000 })).deliveries;

  it("groups open deliveries by mail domain or webhook host, most first, with their times and most frequent failure", async () => {
    const old = new Date("2026-02-01T00:00:00.000Z");
    await enqueue("ann@A.example", { lastFailure: full, createdAt: old });
    await enqueue("bob@a.example", { lastFailure: away });
    await enqueue("bob@a.example", { lastFailure: away, notBefore: fixture.context.clock.now() });
    await enqueue({ kind: "webhook", url: "https://hooks.example:8443/secret-path" });
    await store().keepForOperator(aMessage(), "postmaster@kauke.test");
    const [taken] = await claim(fixture.context.clock.now());
    const { hosts, isPartial } = await store().listHosts();
    expect(isPartial).toBe(false);
    const [createdAt, until] = [new Date("2026-03-01T12:00:00.000Z"), taken?.leasedUntil];
    expect(hosts).toEqual([
      { host: "a.example", open: 3, running: 1, oldestAt: old, nextAt: until, failure: "unreachable" },
      { host: "hooks.example", open: 1, running: 0, oldestAt: createdAt, nextAt: later, failure: null },
    ]);
  });

  it("a retry makes a host's deliveries due at once, takes back one attempt, and leaves other hosts and leased ones", async () => {
    const { clock } = fixture.context;
    const waiting = await enqueue("ann@a.example", { attempts: 3, lastFailure: full });
    const other = await enqueue("ann@b.example", { attempts: 3 });
    const running = await enqueue("ann@a.example", { lease: { token: "t", until: later } });
    const woken: (Date | null)[] = [];
    store().onWake((at) => woken.push(at));
    expect(await store().retryHost("a.example")).toBe(1);
    expect(woken).toEqual([clock.now()]);
    expect(await rowOf(waiting)).toMatchObject({ not_before: clock.now(), attempts: 2 });
    expect(await rowOf(other)).toMatchObject({ not_before: later, attempts: 3 });
    expect((await rowOf(running)).leased_until).toEqual(later);
    expect(await store().retryHost("a.example")).toBe(0);
    expect(await store().retryHost("")).toBe(0);
  });

  it("a drop marks a host's deliveries for the worker, even after a restart, and leaves leased ones", async () => {
    const { clock } = fixture.context;
    const waiting = await enqueue("ann@a.example", { lastFailure: full });
    const other = await enqueue("ann@b.example", { notBefore: clock.now() });
    const running = await enqueue("ann@a.example", { lease: { token: "t", until: later } });
    const expired = await enqueue("ann@a.example", { lease: { token: "t", until: clock.now() } });
    expect(await store().dropHost("a.example")).toBe(2);
    expect(await store().dropHost("a.example")).toBe(0);
    expect((await rowOf(running)).dropped).toBe(false);
    // A worker that was held up renews its lease before it begins an attempt.
    expect(await store().extendLease(running.id, "t", later)).toBe(true);
    expect(await store().extendLease(expired.id, "t", later)).toBe(false);
    const { hosts } = await store().listHosts();
    expect(hosts.find(({ host }) => host === "a.example")).toMatchObject({ open: 3, running: 1, failure: "dropped" });
    // A retry of a host does not revive what was dropped.
    expect(await store().retryHost("a.example")).toBe(0);
    const claimed = await claim(clock.now());
    const dropped = claimed.filter(({ isDropped }) => isDropped).map(({ id }) => id);
    expect(dropped.sort()).toEqual([waiting.id, expired.id].sort());
    expect(claimed.find(({ id }) => id === other.id)).not.toHaveProperty("isDropped");
    // The mark outlives a lost lease.
    const again = await claim(new Date(clock.now().getTime() + 61_000));
    expect(again.filter(({ isDropped }) => isDropped)).toHaveLength(2);
  });

  const sealedJob = (id: string) =>
    fixture.context.keys.seal("email_job", id, { messageId: "<a@b>", lastFailure: null, content: null });

  /** Makes a queued message composed mail. @returns id of the job */
  async function composed({ id, messageId }: OpenDelivery, scheduledAt: Date): Promise<string> {
    const { db } = fixture.context;
    const job = { id: randomUUID(), user_id: alias.userId, alias_id: alias.id, processed_at: null, cancelled_at: null };
    const times = { scheduled_at: scheduledAt, created_at: later, updated_at: later };
    await db
      .insertInto("email_job")
      .values({ ...job, ...times, outcomes: [null], sealed: sealedJob(job.id) })
      .execute();
    await db.updateTable("message").set({ email_job_id: job.id }).where("id", "=", messageId).execute();
    await db.updateTable("delivery").set({ job_place: 0 }).where("id", "=", id).execute();
    return job.id;
  }

  it("a retry of composed mail takes back the retry that its owner sees, too", async () => {
    const { clock } = fixture.context;
    const jobId = await composed(await enqueue("ann@a.example", { attempts: 2, lastFailure: away }), clock.now());
    expect(await store().retryHost("a.example")).toBe(1);
    const jobs = emailJobStore(fixture.context, { forgetBodies: async () => {} });
    expect(await jobs.find(alias.userId, jobId)).toMatchObject({ currentRetries: 1 });
  });

  it("composed mail that is scheduled for later is no part of the queue", async () => {
    await composed(await enqueue("ann@a.example"), later);
    expect((await store().listHosts()).hosts).toEqual([]);
    expect([await store().retryHost("a.example"), await store().dropHost("a.example")]).toEqual([0, 0]);
  });

  it("a row that can't be read is left out, and the others are shown", async () => {
    const broken = await enqueue("ann@a.example");
    await enqueue("ann@b.example");
    const sealed = Buffer.alloc(64);
    await fixture.context.db.updateTable("delivery").set({ sealed }).where("id", "=", broken.id).execute();
    expect((await store().listHosts()).hosts.map(({ host }) => host)).toEqual(["b.example"]);
  });

  it("an attacker's long queue costs a bounded number of reads, in turns of the event loop, and is said to be partial", async () => {
    const { context } = fixture;
    const { id } = await enqueue("ann@a.example");
    for (let count = 0; count < 3; count++)
      await enqueue(`ann@${count}.example`, { notBefore: new Date(later.getTime() + 1) });
    await sql`INSERT INTO message SELECT gen_random_uuid(), NULL, size_bytes, created_at, sealed FROM message
      CROSS JOIN generate_series(1, 3000) LIMIT 3000`.execute(context.db);
    await sql`INSERT INTO delivery (id, message_id, state, not_before, created_at, sealed)
      SELECT gen_random_uuid(), message.id, 'open', now() + interval '10 years', now(), ''::bytea FROM message
      WHERE NOT EXISTS (SELECT FROM delivery WHERE message_id = message.id)`.execute(context.db);
    let opened = 0;
    const open: typeof context.keys.open = (...args) => {
      opened += 1;
      return context.keys.open(...args);
    };
    const queues = hostQueues({ ...context, keys: { ...context.keys, open } }, { deliveries: 1200, hosts: 2 });
    let turns = 0;
    let isDone = false;
    const counting = (async () => {
      while (!isDone) {
        await nextTurn();
        turns += 1;
      }
    })();
    const { hosts, isPartial } = await queues.listHosts();
    isDone = true;
    await counting;
    expect([opened, isPartial, hosts.length]).toEqual([1200, true, 2]);
    expect(turns).toBeGreaterThanOrEqual(3);
    // What is due first is within the bound.
    expect(await queues.dropHost("a.example")).toBe(1);
    expect(await rowOf({ id } as OpenDelivery)).toMatchObject({ dropped: true });
  });
});
