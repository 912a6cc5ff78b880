/**
 * Which acts make an alias due at the forwarding provider. Each runs twice: first with an outbox that fails, which must
 * undo the act, since both are one transaction; then with the real one.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { emptySummary, type ImportRow } from "../../core/import/import.ts";
import { changeSignals } from "../change-signals.ts";
import { allRows, onEachContext, type TestContext } from "../context.testing.ts";
import type { InTransaction } from "../database.ts";
import { type RowStores, rowStores } from "../row-stores.ts";
import { anAlias, anApiKey, aUser, mailboxDestination } from "../rows.testing.ts";
import { releasedAddresses } from "./accounts/released-addresses.ts";
import { wantAtProvider } from "./provider-aliases.ts";

const HOUR_MS = 3_600_000;

interface World {
  store: RowStores;
  userId: string;
  email: string;
  aliasId: string;
  otherId: string;
  mailbox: string;
  credentialId: string;
  keyId: string;
  spareKeyId: string;
  labelId: string;
  importId: string;
  importedId: string;
  /** Link by which the mailbox decides. */
  confirmLink: Buffer;
  now(): Date;
  link(kind: "reset" | "sign-in" | "email"): Promise<Buffer>;
  advance(ms: number): void;
}

interface Act {
  name: string;
  before?(world: World): Promise<unknown>;
  act(world: World): Promise<unknown>;
  /** Aliases that have to be due; without it the first one. */
  due?(world: World): string[];
}

const active = (address: string) => ({
  routing: { state: "active" as const, destinations: [mailboxDestination(address)] },
});
const paused = (address: string) => ({
  routing: { state: "paused" as const, lastDestinations: [mailboxDestination(address)] },
});
const both = ({ aliasId, otherId }: World) => [aliasId, otherId];

const suspend = async ({ store, userId, mailbox, advance }: World) => {
  const refuse = () => store.missingMailboxes.note({ userId, address: mailbox, messageId: randomUUID() });
  await refuse();
  await refuse();
  advance(25 * HOUR_MS);
  return refuse;
};
const startImport = ({ store, userId, importId }: World) =>
  store.imports.change(userId, importId, ({ summary }) => ({ state: "running", summary }));
const runImport = ({ store, userId, importId, now }: World) =>
  store.imports.runBatch(importId, ({ aliasId }) =>
    anAlias(userId, { id: aliasId ?? "", createdAt: now(), ...active("ann@people.example") }),
  );

const acts: Act[] = [
  {
    name: "rename",
    act: ({ store, userId, aliasId }) =>
      store.aliases.update(userId, aliasId, () => ({ name: `n${randomBytes(6).toString("hex")}` })),
  },
  {
    name: "new destinations",
    act: ({ store, userId, aliasId }) => store.aliases.update(userId, aliasId, () => active("else@example.org")),
  },
  {
    name: "pause",
    act: ({ store, userId, aliasId, mailbox }) => store.aliases.update(userId, aliasId, () => paused(mailbox)),
  },
  {
    name: "activate",
    before: ({ store, userId, aliasId, mailbox }) => store.aliases.update(userId, aliasId, () => paused(mailbox)),
    act: ({ store, userId, aliasId, mailbox }) => store.aliases.update(userId, aliasId, () => active(mailbox)),
  },
  {
    name: "webhook paused because its host answers 410",
    act: ({ store, userId, aliasId }) => {
      const hook = { kind: "webhook" as const, url: "https://hooks.example/x", pausedAt: "2026-03-01T12:00:00.000Z" };
      return store.aliases.update(userId, aliasId, () => ({ routing: { state: "active", destinations: [hook] } }));
    },
  },
  {
    name: "encryption of one alias",
    act: ({ store, userId, aliasId, keyId }) => store.aliases.update(userId, aliasId, () => ({ sealTo: { keyId } })),
  },
  {
    name: "encryption of the account",
    act: ({ store, userId, keyId }) => store.users.changeSettings(userId, { sealTo: keyId }),
    due: both,
  },
  { name: "deletion", act: ({ store, userId, aliasId }) => store.aliases.delete(userId, aliasId) },
  {
    name: "bulk pause",
    act: ({ store, userId, mailbox, ...world }) =>
      store.aliases.updateMany(userId, [world.aliasId, world.otherId], () => paused(mailbox)),
    due: both,
  },
  {
    name: "bulk change of destinations, e.g. of a mailbox that is replaced or removed from all aliases",
    act: ({ store, userId, aliasId, otherId }) =>
      store.aliases.updateMany(userId, [aliasId, otherId], () => active("new@example.org")),
    due: both,
  },
  {
    name: "bulk deletion",
    act: ({ store, userId, aliasId, otherId }) => store.aliases.deleteMany(userId, [aliasId, otherId]),
    due: both,
  },
  { name: "deletion of the account", act: ({ store, userId }) => store.users.delete(userId), due: both },
  { name: "import", before: startImport, act: runImport, due: ({ importedId }) => [importedId] },
  {
    name: "undo of an import",
    before: async (world) => {
      await startImport(world);
      await runImport(world);
      await world.store.imports.change(world.userId, world.importId, ({ summary }) => ({ state: "undoing", summary }));
    },
    act: ({ store, importId }) => store.imports.undoBatch(importId),
    due: ({ importedId }) => [importedId],
  },
  {
    name: "mailbox confirmed",
    act: ({ store, confirmLink }) => store.destinations.decideByLink(confirmLink, "mine"),
    due: both,
  },
  {
    name: "mailbox refused",
    act: ({ store, confirmLink }) => store.destinations.decideByLink(confirmLink, "not_mine"),
    due: both,
  },
  {
    name: "mailbox blocked",
    act: ({ store, confirmLink }) => store.destinations.decideByLink(confirmLink, "block"),
    due: both,
  },
  {
    name: "mailbox unblocked by the operator",
    before: ({ store, confirmLink }) => store.destinations.decideByLink(confirmLink, "block"),
    act: ({ store, mailbox }) => store.operator.unblockMailbox(mailbox),
    due: both,
  },
  {
    name: "e-mail confirmed",
    act: async ({ store, userId, link }) => store.accountLinks.confirmEmail(await link("email"), userId),
    due: both,
  },
  {
    name: "e-mail confirmed by a message",
    act: ({ store, userId, email }) => store.accountLinks.confirmSameEmail(userId, email),
    due: both,
  },
  {
    name: "password set at the first proof, which deletes SMTP credentials",
    act: async ({ store, link }) => store.accountLinks.resetPassword(await link("reset"), "hash"),
    due: both,
  },
  {
    name: "sign-in link at the first proof",
    act: async ({ store, link }) => store.accountLinks.signIn(await link("sign-in"), null),
    due: both,
  },
  {
    name: "new e-mail",
    act: async ({ store, userId, email, now }) => {
      const tokenHash = randomBytes(32);
      const expiresAt = new Date(now().getTime() + HOUR_MS);
      const link = {
        kind: "new-email" as const,
        tokenHash,
        userId,
        email: `new.${email}`,
        formerEmail: email,
        expiresAt,
      };
      await store.accountLinks.issue(link);
      return store.accountLinks.changeEmail({ tokenHash, userId, keepSession: null });
    },
    due: both,
  },
  {
    name: "mailbox suspended as missing",
    before: suspend,
    act: ({ store, userId, mailbox }) =>
      store.missingMailboxes.note({ userId, address: mailbox, messageId: randomUUID() }),
    due: both,
  },
  {
    name: "suspended mailbox resumed",
    before: async (world) => (await suspend(world))(),
    act: ({ store, userId, mailbox }) => store.missingMailboxes.clear(userId, mailbox),
    due: both,
  },
  {
    name: "SMTP credential created",
    act: ({ store, userId, otherId, now }) =>
      store.smtpCredentials.insert({ id: randomUUID(), userId, aliasId: otherId, password: "p", createdAt: now() }),
    due: ({ otherId }) => [otherId],
  },
  { name: "SMTP password replaced", act: ({ store, ...key }) => store.smtpCredentials.replacePassword(key, "new") },
  { name: "SMTP credential deleted", act: ({ store, ...key }) => store.smtpCredentials.delete(key) },
];

const withoutCall: Act[] = [
  {
    name: "notes",
    act: ({ store, userId, aliasId }) => store.aliases.update(userId, aliasId, () => ({ notes: "new" })),
  },
  {
    name: "labels and pin",
    act: ({ store, userId, aliasId, labelId }) =>
      store.aliases.update(userId, aliasId, () => ({ labels: [labelId], pinned: true })),
  },
  {
    name: "bulk labels and pin",
    act: ({ store, userId, aliasId, labelId }) =>
      store.aliases.updateMany(userId, [aliasId], () => ({ labels: [labelId], pinned: true })),
  },
  {
    name: "secret of webhooks, writing by address",
    act: ({ store, userId, aliasId }) =>
      store.aliases.update(userId, aliasId, () => ({ webhookSecret: randomBytes(32), writeByAddress: true })),
  },
  { name: "deletion of a label", act: ({ store, userId, labelId }) => store.labels.delete(userId, labelId) },
  { name: "first use of an alias", act: ({ store, aliasId }) => store.aliases.markUsed(aliasId) },
  {
    name: "confirmation asked and taken back",
    act: async ({ store, userId, now }) => {
      const ask = newAsk(userId, `${randomUUID()}@example.org`, now());
      await store.destinations.ask(ask);
      await store.destinations.takeBackAsk(ask);
    },
  },
  {
    name: "first refusal of a mailbox",
    act: ({ store, userId, mailbox }) =>
      store.missingMailboxes.note({ userId, address: mailbox, messageId: randomUUID() }),
  },
  {
    name: "settings of the account without encryption",
    act: ({ store, userId }) => store.users.changeSettings(userId, { leakGuard: false }),
  },
  {
    name: "another default key",
    act: ({ store, userId, spareKeyId }) => store.encryptionKeys.makeDefault(userId, spareKeyId),
  },
  {
    name: "deletion of a key that is not used",
    act: ({ store, userId, spareKeyId }) => store.encryptionKeys.delete(userId, spareKeyId),
  },
  {
    name: "deletion of a key in use, which is refused",
    before: ({ store, userId, aliasId, keyId }) => store.aliases.update(userId, aliasId, () => ({ sealTo: { keyId } })),
    act: ({ store, userId, keyId }) =>
      expect(store.encryptionKeys.delete(userId, keyId)).rejects.toMatchObject({ code: "key_in_use" }),
  },
  {
    name: "a mailbox in the list, and its removal",
    act: async ({ store, userId, mailbox }) =>
      store.mailboxes.delete(userId, (await store.mailboxes.add(userId, mailbox, 9))?.id ?? ""),
  },
  { name: "an API key", act: ({ store, userId }) => store.apiKeys.insert(anApiKey(userId), 9) },
];

function newAsk(userId: string, address: string, now: Date) {
  const tokenExpiresAt = new Date(now.getTime() + 30 * 24 * HOUR_MS);
  return { id: randomUUID(), userId, address, isByOwner: true, tokenHash: randomBytes(32), tokenExpiresAt };
}

/** Whoever locks another table after the outbox can deadlock. A used link is deleted under the lock of its account. */
const isLocking = (statement: string) =>
  /^\s*(insert|update|delete|merge)\b|for (no key )?(update|share)/i.test(statement) &&
  !/^\s*(delete from "one_time_token"|INSERT INTO provider_alias)/.test(statement);

onEachContext((fixture) => {
  let isBroken = false;
  /** Statements of an act since it first locked rows of the outbox. */
  let isWritten = false;
  let statementsAfter: string[] = [];
  let context: TestContext;
  let world: World;
  const broken = new Error("the outbox can't be written");

  async function makeWorld(hasProvider: boolean): Promise<World> {
    const want = async (trx: InTransaction, ids: readonly string[]) => {
      if (isBroken) throw broken;
      await wantAtProvider(trx, ids, fixture.context.clock.now());
      isWritten = true;
    };
    const db = fixture.context.db.withPlugin({
      transformQuery: ({ node, queryId }) => {
        if (isWritten) statementsAfter.push(fixture.context.db.getExecutor().compileQuery(node, queryId).sql);
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    context = {
      ...fixture.context,
      db,
      signals: changeSignals({ notify: false, want: hasProvider ? want : undefined }),
    };
    const store = rowStores(context, { released: releasedAddresses(context), forgetBodies: async () => {} });
    const { clock } = context;
    const user = aUser();
    const [userId, email] = [user.id, String(user.email)];
    await store.users.insert(user);
    const mailbox = `m${randomUUID()}@example.org`;
    const aliases = [anAlias(userId, active(mailbox)), anAlias(userId, active(mailbox))] as const;
    for (const alias of aliases) await store.aliases.insert(alias);
    const [aliasId, otherId] = [aliases[0].id, aliases[1].id];
    const credentialId = randomUUID();
    await store.smtpCredentials.insert({ id: credentialId, userId, aliasId, password: "p", createdAt: clock.now() });
    const keyIds = [randomUUID(), randomUUID()] as const;
    for (const id of keyIds) {
      const key = { id, userId, keyName: id, publicKey: `age1${id}`, encryptedPrivateKey: "wrapped" };
      await store.encryptionKeys.insert({ ...key, isDefault: false, createdAt: clock.now() }, 50);
    }
    const labelId = randomUUID();
    await store.labels.insert({ id: labelId, userId, name: "shops", colour: "teal", createdAt: clock.now() }, 50);
    const ask = newAsk(userId, mailbox, clock.now());
    await store.destinations.ask(ask);
    const imported = await planImport(store, userId);
    return {
      ...imported,
      store,
      userId,
      email,
      aliasId,
      otherId,
      mailbox,
      credentialId,
      labelId,
      keyId: keyIds[0],
      spareKeyId: keyIds[1],
      confirmLink: ask.tokenHash,
      now: () => clock.now(),
      advance: (ms) => clock.advance(ms),
      link: async (kind) => {
        const tokenHash = randomBytes(32);
        const expiresAt = new Date(clock.now().getTime() + HOUR_MS);
        await store.accountLinks.issue({ kind, tokenHash, userId, email, expiresAt });
        return tokenHash;
      },
    };
  }

  async function planImport(store: RowStores, userId: string) {
    const [importId, importedId, now] = [randomUUID(), randomUUID(), context.clock.now()];
    const summary = emptySummary({ format: "simplelogin-csv", domain: "kauke.test", label: null });
    await store.imports.begin({
      id: importId,
      userId,
      createdAt: now,
      changedAt: now,
      rows: 0,
      summary,
      state: "reading",
    });
    const row: ImportRow = {
      row: 1,
      address: "x@sl.example",
      result: "twin",
      reason: null,
      active: true,
      notes: null,
      made: false,
      alias: { name: `i${randomBytes(6).toString("hex")}`, domain: "kauke.test" },
      aliasId: importedId,
      destinations: [mailboxDestination("ann@people.example")],
    };
    await store.imports.addBatch(importId, 0, [row]);
    await store.imports.finishReading(importId, summary, 1);
    return { importId, importedId };
  }

  /** Aliases of the account that are not in step. */
  async function due(): Promise<string[]> {
    const rows = context.db.selectFrom("provider_alias").select("alias_id").where("user_id", "=", world.userId);
    const found = await rows.where("due_at", "is not", null).orderBy("alias_id").execute();
    return found.map((row) => row.alias_id);
  }

  async function settleAll(): Promise<void> {
    for (;;) {
      const claimed = await world.store.providerAliases.claim({ most: 100, leaseMs: 60_000 });
      if (claimed.length === 0) return;
      for (const one of claimed)
        await world.store.providerAliases.settle(one, { kind: "done", held: null, known: one.known, recheckAt: null });
    }
  }

  afterEach(() => {
    isBroken = false;
  });

  describe("with a provider", () => {
    beforeEach(async () => {
      world = await makeWorld(true);
    });

    it("a new alias is due at once", async () => {
      expect(await due()).toEqual(both(world).sort());
    });

    it.each(acts)("$name: due from the same transaction on", async ({ before, act, due: dueAfter }) => {
      await before?.(world);
      await settleAll();
      expect(await due()).toEqual([]);
      const rows = JSON.stringify(await withoutLinks());
      isBroken = true;
      await expect(act(world)).rejects.toBe(broken);
      expect(JSON.stringify(await withoutLinks()) === rows).toBe(true);
      isBroken = false;
      [isWritten, statementsAfter] = [false, []];
      await act(world);
      expect(statementsAfter.filter(isLocking)).toEqual([]);
      expect(await due()).toEqual((dueAfter?.(world) ?? [world.aliasId]).sort());
    });

    it.each(withoutCall)("$name: nothing is due", async ({ before, act }) => {
      await before?.(world);
      await settleAll();
      isBroken = true;
      await act(world);
      expect(await due()).toEqual([]);
    });

    /** A link is issued by the act itself, in a transaction of its own. */
    async function withoutLinks() {
      const { one_time_token: _, ...rows } = await allRows(context);
      return rows;
    }
  });

  it("with our own engine no act writes a row", async () => {
    for (const { before, act } of [...acts, ...withoutCall]) {
      world = await makeWorld(false);
      await before?.(world);
      await act(world);
      const rows = context.db.selectFrom("provider_alias").select("alias_id").where("user_id", "=", world.userId);
      expect(await rows.execute()).toEqual([]);
    }
  });
});
