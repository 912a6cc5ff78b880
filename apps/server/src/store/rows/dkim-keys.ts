/**
 * DKIM keys of our domains: RSA-2048 and optionally Ed25519. They are created once and stored in `server_key`, wrapped
 * like the other keys of the server. They are parsed here, once per start, because parsing costs as much as signing.
 */
import { createPrivateKey, generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { DkimKey } from "@kauke/mail-rfc";
import type { InTransaction } from "../database.ts";
import { unwrapKey, wrapKey } from "../sealing/server-keys.ts";

const makePair = promisify(generateKeyPair);

const kinds = {
  "dkim-rsa": { selector: "k1", algorithm: "rsa-sha256" },
  "dkim-ed25519": { selector: "k2", algorithm: "ed25519-sha256" },
} as const;
type Kind = keyof typeof kinds;

/**
 * Reads the DKIM keys and creates the missing ones. Call it under the start lock, after `loadServerKeys`.
 * @param domains lower case
 * @param ed25519 false leaves Ed25519 keys made at an earlier start stored but unused
 */
export async function loadDkimKeys(
  trx: InTransaction,
  { secretKey, domains, ed25519, now }: { secretKey: Buffer; domains: readonly string[]; ed25519: boolean; now: Date },
): Promise<DkimKey[]> {
  const wanted: readonly Kind[] = ed25519 ? ["dkim-rsa", "dkim-ed25519"] : ["dkim-rsa"];
  const rows = await trx.selectFrom("server_key").selectAll().orderBy("id").execute();
  let lastId = Math.max(0, ...rows.map((row) => row.id));
  const keys: DkimKey[] = [];
  for (const domain of domains) {
    for (const kind of wanted) {
      const purpose = `${kind}:${domain}`;
      const known = rows.find((row) => row.purpose === purpose);
      const der = known === undefined ? await makeKey(kind) : unwrapKey(secretKey, known.id, known.wrapped);
      keys.push({ ...kinds[kind], domain, privateKey: createPrivateKey({ key: der, format: "der", type: "pkcs8" }) });
      if (known !== undefined) continue;
      const id = ++lastId;
      await trx
        .insertInto("server_key")
        .values({ id, purpose, created_at: now, wrapped: wrapKey(secretKey, id, der) })
        .execute();
    }
  }
  return keys;
}

async function makeKey(kind: Kind): Promise<Buffer> {
  const { privateKey } =
    kind === "dkim-rsa" ? await makePair("rsa", { modulusLength: 2048 }) : await makePair("ed25519", {});
  return privateKey.export({ format: "der", type: "pkcs8" });
}
