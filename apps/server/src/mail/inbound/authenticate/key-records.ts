/** Cache of public keys of signatures, by the text of their record, so that a changed record counts at once. */
import { type KeyLookup, type KeyRecord, keyName, readKeyRecord } from "@kauke/mail-rfc";
import type { MessageDns } from "./message-dns.ts";

/** Maximum cached keys; each takes some 3 KiB, its text included. */
export const KEY_RECORDS_MAX = 500;
/** Maximum characters of a cached record; an RSA key of 4,096 bits has 750. */
const CACHED_CHARACTERS_MAX = 1024;

export class KeyRecords {
  readonly #records = new Map<string, KeyRecord>();

  get size(): number {
    return this.#records.size;
  }

  read(text: string): KeyRecord {
    const known = this.#records.get(text);
    const record = known ?? readKeyRecord(text);
    if (text.length > CACHED_CHARACTERS_MAX) return record;
    if (known !== undefined) this.#records.delete(text);
    this.#records.set(text, record);
    const [oldest] = this.#records.keys();
    if (this.#records.size > KEY_RECORDS_MAX && oldest !== undefined) this.#records.delete(oldest);
    return record;
  }
}

const keyRecords = new KeyRecords();

/** Looks a key up. Of several records the first counts (RFC 6376 §3.6.2.2 leaves it open). */
export async function lookUpKey(
  place: { selector: string; domain: string },
  dns: Pick<MessageDns, "find">,
): Promise<KeyLookup> {
  const result = await dns.find(keyName(place), "TXT");
  if (result.kind === "failed") return { failed: result.isLate === true ? "ETIMEOUT" : "ESERVFAIL" };
  if (result.kind !== "found") return null;
  const [text = ""] = result.records;
  return keyRecords.read(text);
}
