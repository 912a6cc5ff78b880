/**
 * Measures memory and the longest turn of the event loop while sixteen accounts let the server decrypt 32 texts of 1 MB
 * at once. The worker decrypts them one after another; requests for which its queue has no place get a temporary error.
 */
import { encryptText } from "@kauke/age";
import { testKey } from "@kauke/server/http/test/test-key";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { openMeter } from "../cpu-meter.ts";
import { longestTurn, probe } from "../forward/turns.ts";
import { progress, type Row } from "../table.ts";
import { judge } from "./targets.ts";

const PEOPLE = 16;
const CALLS = 2 * PEOPLE;
/** Number of calls that use a stored key and so cost one scrypt each; the others send their key along. */
const SCRYPTS = 4;
/** Bytes of a decrypted text. */
const TEXT_BYTES = 1_000_000;
const MEMORY_EVERY_MS = 20;

export async function decryptRow(rounds: number): Promise<Row> {
  const server = await startServerProcess({ env: { KAUKE_LIMITS: "off", NODE_OPTIONS: `--import=${probe}` } });
  const meter = openMeter("api-decrypt");
  meter.join(server.pid);
  let peakMib = 0;
  const watch = setInterval(() => (peakMib = Math.max(peakMib, meter.memory().rssMib)), MEMORY_EVERY_MS);
  try {
    const people: Person[] = [];
    for (let n = 0; n < PEOPLE; n++) people.push(await registerPerson(server.url));
    const calls = await decryptCalls(server, people);
    const turns: number[] = [];
    let served = 0;
    for (let round = 0; round <= rounds; round++) {
      progress(`api: ${CALLS} decryptions at once, round ${round} of ${rounds}`);
      await longestTurn(server);
      served = await calls();
      const turn = await longestTurn(server);
      // Round 0 is the warm-up.
      if (round > 0) turns.push(turn);
    }
    const longest = Math.max(...turns);
    return {
      bench: "api",
      what: `${CALLS} decryptions of 1 MB at once, ${served} of them served`,
      measured: `longest turn ${longest.toFixed(0)} ms, server and worker ${peakMib.toFixed(0)} MiB at most`,
      ...judge([
        { name: "decryptTurn", value: longest },
        { name: "decryptMemory", value: peakMib },
      ]),
    };
  } finally {
    clearInterval(watch);
    await server.stop();
    meter.close();
  }
}

/**
 * @returns a function that sends all calls at once and returns how many were served
 * @throws for other answers than 200 and 429
 */
async function decryptCalls(server: ServerProcess, people: readonly Person[]): Promise<() => Promise<number>> {
  const { publicKey, privateKey, encryptedPrivateKey, masterPassword } = testKey;
  const plaintext = "Slaptas ".repeat(TEXT_BYTES / 8);
  const encryptedText = await encryptText(plaintext, { publicKeys: [publicKey] });
  const keyIds: string[] = [];
  for (const person of people.slice(0, SCRYPTS)) {
    const key = { keyName: "k", publicKey, encryptedPrivateKey };
    keyIds.push(((await person.call("POST", "/api/encryption-keys", key)).body as { key: { id: string } }).key.id);
  }
  const manual = JSON.stringify({ privateKey, encryptedText });
  const call = async (number: number) => {
    const keyId = keyIds[number];
    const body = keyId === undefined ? manual : JSON.stringify({ keyId, masterPassword, encryptedText });
    const path = keyId === undefined ? "/api/decrypt-manual" : "/api/decrypt-auto";
    const headers = { cookie: people[number % PEOPLE]!.cookie, "content-type": "application/json" };
    const answer = await fetch(`${server.url}${path}`, { method: "POST", headers, body });
    const text = await answer.text();
    if (answer.status === 429) return 0;
    if (answer.status === 200 && text.length > plaintext.length) return 1;
    throw new Error(`a decryption answered ${answer.status}`);
  };
  return async () => {
    const answers = await Promise.all(Array.from({ length: CALLS }, (_, n) => call(n)));
    return answers.reduce<number>((sum, count) => sum + count, 0);
  };
}
