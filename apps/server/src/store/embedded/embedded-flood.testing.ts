/**
 * Writes the given number of MiB into the embedded database of a data directory, prints `written` and waits: `node
 * embedded-flood.testing.ts <dir> <MiB>`.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { openStore } from "../open-store.ts";
import { aUser } from "../rows.testing.ts";

const [dataDir, mebibytes] = process.argv.slice(2);
if (dataDir === undefined || mebibytes === undefined)
  throw new Error("embedded-flood.testing.ts needs <directory> <MiB>");
const store = await openStore({ databaseUrl: null, dataDir, secretKey: null });
const user = aUser();
await store.users.insert(user);
const notice = { userId: user.id, kind: "delivery_failed" as const, aliasId: null, createdAt: new Date() };
for (let written = 0; written < Number(mebibytes) * 4; written += 1)
  await store.notices.insert({ ...notice, id: randomUUID(), text: randomBytes(128 * 1024).toString("hex") });
process.stdout.write("written\n");
setInterval(() => {}, 1000);
