/** The server's keys, one per purpose, so that a value for one is not valid for another; wrapped in `server_key`. */
import { createHmac, createPrivateKey, generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { type DkimKey, hmacSha256 } from "@kauke/mail-rfc";
import type { Database, InTransaction } from "../database.ts";
import { StoreStartError } from "../start-error.ts";
import { openBytes, type SealKey, sealBytes } from "./seal.ts";

/** A purpose added here gets its key at the next start. */
export const hmacPurposes = ["index", "srs", "session", "abuse", "fingerprint", "browser", "suffix"] as const;
export type HmacPurpose = (typeof hmacPurposes)[number];

/** Key id of wrapped keys; it stands for the wrapping key, which is not in the table. */
const WRAPPING_KEY_ID = 0;

export type SealedTable =
  | "user"
  | "session"
  | "api_key"
  | "account_domain"
  | "account_domain_key"
  | "account_domain_certificate"
  | "alias"
  | "destination"
  | "mailbox"
  | "smtp_credential"
  | "encryption_key"
  | "label"
  | "alias_import"
  | "alias_import_batch"
  | "email_job"
  | "contact"
  | "message"
  | "delivery"
  | "bounce_sender"
  | "certificate_record"
  | "mail_probe"
  | "provider_alias"
  | "one_time_token"
  | "invitation"
  | "operator_act"
  | "notice"
  | "checklist";

export interface ServerKeys {
  hmac(purpose: HmacPurpose, data: string | Uint8Array): Buffer;
  /** Keyed hash for exact look-up; the caller normalises `value`. @param place e.g. `alias.address` */
  blindIndex(place: string, value: string): Buffer;
  sealBytes(context: string, plain: Uint8Array): Buffer;
  /** @throws SealError unless it was sealed in this context */
  openBytes(context: string, sealed: Uint8Array): Buffer;
  seal(table: SealedTable, rowId: string, document: object): Buffer;
  /** @throws SealError unless it was sealed for this row */
  open<Document>(table: SealedTable, rowId: string, sealed: Uint8Array): Document;
}

export interface KeyRing extends ServerKeys {
  renew(keys: readonly (SealKey & { purpose: string })[]): void;
  sealingKeyId(): number;
}

/** Makes missing keys, under the start lock after the migrations. @throws StoreStartError `secret_key_wrong` */
export async function loadServerKeys(trx: InTransaction, secretKey: Buffer, now: Date): Promise<KeyRing> {
  const keys = await readKeys(trx, secretKey);
  let nextId = Math.max(0, ...keys.map((key) => key.id)) + 1;
  for (const purpose of ["seal", ...hmacPurposes]) {
    if (keys.some((key) => key.purpose === purpose)) continue;
    const key = { id: nextId++, purpose, bytes: randomBytes(32), createdAt: now };
    const wrapped = wrapKey(secretKey, key.id, key.bytes);
    await trx.insertInto("server_key").values({ id: key.id, purpose, created_at: now, wrapped }).execute();
    keys.push(key);
  }
  return serverKeys(keys);
}

export interface ServerKey extends SealKey {
  /** Purpose of a key: `seal`, `seal-next` (not sealing yet), a keyed hash's, or a DKIM key's. */
  purpose: string;
  createdAt: Date;
}

/** @throws StoreStartError `secret_key_wrong` when another key wrapped it */
export async function readKeys(db: Pick<Database, "selectFrom">, secretKey: Buffer): Promise<ServerKey[]> {
  const rows = await db.selectFrom("server_key").selectAll().orderBy("id").execute();
  return rows.map(({ id, purpose, created_at: createdAt, wrapped }) => {
    return { id, purpose, createdAt, bytes: unwrapKey(secretKey, id, wrapped) };
  });
}

const wrapContext = (id: number) => `server_key:wrapped:${id}`;

export function wrapKey(secretKey: Buffer, id: number, bytes: Uint8Array): Buffer {
  return sealBytes({ id: WRAPPING_KEY_ID, bytes: secretKey }, wrapContext(id), bytes);
}

/** @throws StoreStartError `secret_key_wrong` when another key wrapped it */
export function unwrapKey(secretKey: Buffer, id: number, wrapped: Buffer): Buffer {
  try {
    return openBytes((keyId) => (keyId === WRAPPING_KEY_ID ? secretKey : undefined), wrapContext(id), wrapped);
  } catch (cause) {
    throw new StoreStartError(
      "secret_key_wrong",
      "KAUKE_SECRET_KEY does not fit the stored data: it was sealed with another key. Start with the key this data was made with.",
      cause,
    );
  }
}

/** The newest `seal` key seals; all `seal` and `seal-next` keys open. */
export function serverKeys(keys: readonly (SealKey & { purpose: string })[]): KeyRing {
  let { newest, openers } = sealingKeys(keys);
  const byPurpose = new Map(keys.map((key) => [key.purpose, key.bytes]));
  const hmac = keyedHashes(byPurpose);
  const open = (context: string, sealed: Uint8Array) => openBytes((id) => openers.get(id), context, sealed);
  return {
    hmac,
    blindIndex: (place, value) => hmac("index", `${place}\0${value}`),
    sealBytes: (context, plain) => sealBytes(newest, context, plain),
    openBytes: open,
    seal: (table, rowId, document) =>
      sealBytes(newest, `${table}:sealed:${rowId}`, Buffer.from(JSON.stringify(document), "utf8")),
    open: (table, rowId, sealed) => JSON.parse(open(`${table}:sealed:${rowId}`, sealed).toString("utf8")),
    renew: (renewed) => {
      ({ newest, openers } = sealingKeys(renewed));
    },
    sealingKeyId: () => newest.id,
  };
}

/** Throws for a purpose that has no key. */
export function keyedHashes(byPurpose: ReadonlyMap<string, Buffer>): ServerKeys["hmac"] {
  return (purpose, data) => {
    const key = keyOf(byPurpose, purpose);
    return typeof data === "string" ? hmacSha256(key, data) : createHmac("sha256", key).update(data).digest();
  };
}

function keyOf(byPurpose: ReadonlyMap<string, Buffer>, purpose: string): Buffer {
  const key = byPurpose.get(purpose);
  if (key === undefined) throw new Error(`no key for ${purpose}`);
  return key;
}

function sealingKeys(keys: readonly (SealKey & { purpose: string })[]) {
  const openers = keys.filter((key) => key.purpose === "seal" || key.purpose === "seal-next");
  const newest = keys.filter((key) => key.purpose === "seal").reduce((a, b) => (b.id > a.id ? b : a));
  return { newest, openers: new Map(openers.map((key) => [key.id, key.bytes])) };
}

/** DKIM keys, RSA-2048 and optionally Ed25519, made once and wrapped; parsed once per start, as slow as signing. */

const makePair = promisify(generateKeyPair);

const kinds = {
  "dkim-rsa": { selector: "k1", algorithm: "rsa-sha256" },
  "dkim-ed25519": { selector: "k2", algorithm: "ed25519-sha256" },
} as const;
type Kind = keyof typeof kinds;

/** Reads DKIM keys after `loadServerKeys`. @param ed25519 false leaves such keys stored but unused */
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
