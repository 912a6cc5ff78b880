/**
 * A process that writes into the embedded store as fast as it can until it is killed: `node bulk-writer.ts
 * <directory>`. Writes small rows and large ones, each in its own commit. After every round it prints the total of
 * bytes written.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { openStore } from "@kauke/server/store/open-store";
import { aMessage, anAlias, anOpenDelivery, aUser } from "@kauke/server/store/rows.testing";

const DELIVERIES_AT_ONCE = 50;
const NOTICE_BYTES = 1024 * 1024;
const ROW_BYTES = 300;

const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error("bulk-writer.ts needs a directory");
const store = await openStore({ databaseUrl: null, dataDir, secretKey: null });
const user = aUser();
await store.users.insert(user);
const alias = anAlias(user.id);
await store.aliases.insert(alias);

let written = 0;
for (;;) {
  await Promise.all([writeNotice(), writeDeliveries()]);
  written += NOTICE_BYTES + DELIVERIES_AT_ONCE * ROW_BYTES;
  process.stdout.write(`${written}\n`);
}

async function writeNotice(): Promise<void> {
  const text = randomBytes(NOTICE_BYTES / 2).toString("hex");
  const ids = { id: randomUUID(), userId: user.id, aliasId: alias.id };
  await store.notices.insert({ ...ids, text, kind: "delivery_failed", createdAt: new Date() });
}

async function writeDeliveries(): Promise<void> {
  const message = aMessage();
  const notBefore = new Date(Date.now() + 86_400_000);
  const rows = Array.from({ length: DELIVERIES_AT_ONCE }, () => anOpenDelivery(message, alias, { notBefore }));
  await store.deliveries.enqueue(message, rows);
}
