/** An account with thousands of aliases that a forwarding provider does not have yet, on a data directory of its own. */
import { openStore } from "@kauke/server/store/open-store";
import { inDirectory, plantAliases } from "@kauke/server/store/planted-rows.testing";
import { type Person, registerPerson } from "./person.ts";
import { makeDataDir, quickServer, startServerProcess } from "./server-process.ts";

const WANTED_AT_ONCE = 500;

/** @returns the directory, in which no server runs, and the account's person */
export async function plantPush(aliases: number): Promise<{ dataDir: string; person: Person }> {
  const dataDir = await makeDataDir();
  const server = await startServerProcess({ dataDir, program: quickServer, env: { KAUKE_FORWARDING: "engine" } });
  const person = await registerPerson(server.url);
  await server.stop();
  await inDirectory(dataDir, (place) => plantAliases(place, person.user.id, aliases));
  const store = await openStore({ databaseUrl: null, dataDir, secretKey: null, hasProvider: true });
  let last: string | null = null;
  do last = await store.providerAliases.wantAll(last, WANTED_AT_ONCE);
  while (last !== null);
  await store.close();
  return { dataDir, person };
}
