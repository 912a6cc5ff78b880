/**
 * Stores mail in a data directory as fast as it can until it is killed: `node embedded-writer.testing.ts <dir>`. After
 * each stored message it prints a line with the message's id.
 */
import { randomBytes } from "node:crypto";
import { openStore } from "../open-store.ts";
import { aMessage, anAlias, anOpenDelivery, aUser } from "../rows.testing.ts";

const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error("embedded-writer.testing.ts needs a directory");
const store = await openStore({ databaseUrl: null, dataDir, secretKey: null });
const user = aUser();
await store.users.insert(user);
const alias = anAlias(user.id);
await store.aliases.insert(alias);
process.stdout.write("ready\n");
for (;;) {
  const messages = Array.from({ length: 4 }, () => aMessage());
  await Promise.all(
    messages.map(async (message) => {
      await store.bodies.put(message.id, [randomBytes(2000)]);
      await store.deliveries.enqueue(message, [anOpenDelivery(message, alias), anOpenDelivery(message, alias)]);
      process.stdout.write(`${message.id}\n`);
    }),
  );
}
