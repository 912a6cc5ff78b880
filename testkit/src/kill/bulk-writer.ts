/**
 * A process that writes into the embedded store as fast as it can until it is killed: `node bulk-writer.ts <directory>`. Small
 * rows by the dozen and a large one, a commit each. Prints after every round how many bytes it has written in all.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { openStore } from "@kauke/server/store/open-store";
import { aMessage, anAlias, anOpenDelivery, aUser } from "@kauke/server/store/rows.testing";

const deliveriesAtOnce = 50;
const noticeBytes = 1024 * 1024;
const rowBytes = 300;

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
  written += noticeBytes + deliveriesAtOnce * rowBytes;
  process.stdout.write(`${written}\n`);
}

async function writeNotice(): Promise<void> {
  const text = randomBytes(noticeBytes / 2).toString("hex");
  const ids = { id: randomUUID(), userId: user.id, aliasId: alias.id };
  await store.notices.insert({ ...ids, text, kind: "delivery_failed", createdAt: new Date() });
}

async function writeDeliveries(): Promise<void> {
  const message = aMessage();
  const notBefore = new Date(Date.now() + 86_400_000);
  const rows = Array.from({ length: deliveriesAtOnce }, () => anOpenDelivery(message, alias, { notBefore }));
  await store.deliveries.keep(message, rows);
}
