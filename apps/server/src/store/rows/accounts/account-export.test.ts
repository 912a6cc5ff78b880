import { randomUUID } from "node:crypto";
import { retentionDays } from "@kauke/contract";
import { expect, it } from "vitest";
import { sameMailbox } from "../../../core/destination/same-mailbox.ts";
import { onEachContext, tableNames } from "../../context.testing.ts";
import { anAlias, aUser } from "../../rows.testing.ts";
import { aliasStore } from "../aliases/aliases.ts";
import { rateLimitSubject } from "../rate-limits.ts";
import { wholeExport } from "./account-export.testing.ts";
import { accountExportStore } from "./account-export.ts";
import { plantAccount, serverTables } from "./account-rows.testing.ts";
import { releasedAddresses } from "./released-addresses.ts";
import { userStore } from "./users.ts";

const isDate = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

onEachContext((fixture) => {
  const read = (userId: string) => wholeExport(accountExportStore(fixture.context), userId);

  it("the export names every table of the database, and shows the account's row of each that can hold one", async () => {
    const { context } = fixture;
    const account = await plantAccount(context);
    const tables = await read(account.userId);
    const names = await tableNames(context);
    // This test fails for a new table into which `plantAccount` inserts no row.
    expect([...account.planted, ...serverTables].sort()).toEqual(names.sort());
    expect(Object.keys(tables ?? {}).sort()).toEqual(names.sort());
    for (const name of account.planted) expect(tables?.[name]?.rows, name).toHaveLength(1);
    for (const name of serverTables) expect(tables?.[name]?.rows, name).toEqual([]);
    const dates = account.planted.flatMap((name) => tables?.[name]?.rows.map((row) => String(row.deletionDate)) ?? []);
    expect(dates.every((it) => isDate.test(it) || it.includes(" "))).toBe(true);
  });

  it("sealed values are exported in clear, hashes and the server's keys are not", async () => {
    const account = await plantAccount(fixture.context);
    const text = JSON.stringify(await read(account.userId));
    const readable = [
      "user",
      "alias",
      "smtp_credential",
      "encryption_key",
      "label",
      "email_job",
      "message",
      "delivery",
      "notice",
      "checklist",
      "account_domain",
      "account_domain_key",
    ];
    for (const table of readable) expect(text).toContain(`planted ${table}`);
    for (const known of [account.email, account.address, account.mailbox]) expect(text).toContain(known);
    expect(text).not.toMatch(/argon2id\$|draft key of|"type":"Buffer"|replyKey|[Tt]okenHash|a private key/);
  });

  it("deletion dates are those that retention applies", async () => {
    const { context } = fixture;
    const now = context.clock.now();
    const tables = await read((await plantAccount(context)).userId);
    const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString();
    const dateOf = (table: string) => tables?.[table]?.rows[0]?.deletionDate;
    expect(dateOf("notice")).toBe(inDays(retentionDays.technicalLogs));
    expect(dateOf("rate_limit")).toBe(inDays(retentionDays.securityRecords));
    expect(dateOf("session")).toBe(new Date(now.getTime() + 30 * 60_000).toISOString());
    expect(dateOf("one_time_token")).toBe(new Date(now.getTime() + 60_000).toISOString());
  });

  it("rate limits of the account's mailbox are found however its e-mail is spelled", async () => {
    const { context } = fixture;
    const user = aUser({ email: `Ann.${randomUUID()}+kauke@gmail.com` });
    await userStore(context, { released: releasedAddresses(context), forgetBodies: async () => {} }).insert(user);
    const now = context.clock.now();
    const action_type = "password_reset_mailbox";
    const subject_index = rateLimitSubject(context.keys, { key: sameMailbox(String(user.email)) });
    const times = { id: randomUUID(), count: 1, window_start: now, last_action: now };
    await context.db
      .insertInto("rate_limit")
      .values({ subject_index, action_type, ...times })
      .execute();
    expect((await read(user.id))?.rate_limit?.rows).toMatchObject([{ actionType: action_type, subject: user.email }]);
  });

  it("says which names become aliases by their first mail, and which mail made an alias", async () => {
    const tables = await read((await plantAccount(fixture.context)).userId);
    const rules = { appear: "prefixes", prefixes: ["planted-prefix."], neverNames: ["planted-never"] };
    expect(tables?.account_domain?.rows).toMatchObject([{ appearing: rules }]);
    const madeByMail = { organisation: "planted-organisation.example", at: fixture.context.clock.now().toISOString() };
    expect(tables?.alias?.rows).toMatchObject([{ madeByMail }]);
  });

  it("contains no rows of other accounts, and is null for a deleted account", async () => {
    const [ann, bob] = [await plantAccount(fixture.context), await plantAccount(fixture.context)];
    const text = JSON.stringify(await read(ann.userId));
    for (const foreign of [bob.userId, bob.email, bob.aliasId, bob.address]) expect(text).not.toContain(foreign);
    expect(text).toContain(ann.address);
    expect(await read(randomUUID())).toBeNull();
  });

  it("more aliases than fit on a page are all exported once, and pages are read on demand", async () => {
    const { context } = fixture;
    const { userId } = await plantAccount(context);
    const aliases = aliasStore(context, { released: releasedAddresses(context), forgetBodies: async () => {} });
    for (let count = 0; count < 400; count += 1) await aliases.insert(anAlias(userId));
    const rows = (await read(userId))?.alias?.rows ?? [];
    expect([rows.length, new Set(rows.map((row) => row.id)).size]).toEqual([401, 401]);

    const lengths: number[] = [];
    for await (const page of (await accountExportStore(context).read(userId))?.alias?.rows ?? []) {
      lengths.push(page.length);
      // The rows are deleted before the second page is read, so that page is empty.
      if (lengths.length === 1) await context.db.deleteFrom("alias").where("user_id", "=", userId).execute();
    }
    expect(lengths).toEqual([200, 0]);
  });
});
