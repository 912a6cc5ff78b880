/**
 * Encrypts drafts with the account's key, which the server gives to its sessions only: AES-256-GCM with random nonces,
 * bound to the account and the record's name. Names are keyed hashes, so a stored record says nothing about its kind.
 */
const VERSION = 1;
const NONCE_BYTES = 12;

const utf8 = new TextEncoder();

const bytesIn = (base64url: string) =>
  Uint8Array.from(atob(base64url.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

export interface Sealer {
  /** Names the account's records. */
  box: string;
  nameOf(kind: string, id: string): Promise<string>;
  seal(name: string, content: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
  /** `null` for a record of another account, key, name or version, or a damaged one. */
  open(name: string, sealed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | null>;
}

/** The keys can't be exported and exist in memory only. @param key 32 bytes as base64url */
export async function makeSealer(userId: string, key: string): Promise<Sealer> {
  const secret = bytesIn(key);
  const base = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  secret.fill(0);
  const derived = (use: string) => ({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8.encode(use) });
  const [sealing, naming] = await Promise.all([
    crypto.subtle.deriveKey(derived("drafts"), base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]),
    crypto.subtle.deriveKey(derived("names"), base, { name: "HMAC", hash: "SHA-256", length: 256 }, false, ["sign"]),
  ]);
  const hashOf = async (...parts: string[]) =>
    btoa(
      String.fromCharCode(
        ...new Uint8Array(await crypto.subtle.sign("HMAC", naming, utf8.encode(JSON.stringify(parts)))),
      ),
    );
  const bound = (name: string, iv: Uint8Array<ArrayBuffer>) => ({
    name: "AES-GCM",
    iv,
    additionalData: utf8.encode(JSON.stringify([VERSION, userId, name])),
  });
  const names = new Map<string, Promise<string>>();
  const nameOf = (kind: string, id: string) => {
    const key = JSON.stringify([kind, id]);
    const name = names.get(key) ?? hashOf("draft", userId, kind, id);
    names.set(key, name);
    return name;
  };
  return {
    box: await hashOf("account", userId),
    nameOf,
    async seal(name, content) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const sealed = new Uint8Array(await crypto.subtle.encrypt(bound(name, nonce), sealing, content));
      const whole = new Uint8Array(1 + NONCE_BYTES + sealed.length);
      whole[0] = VERSION;
      whole.set(nonce, 1);
      whole.set(sealed, 1 + NONCE_BYTES);
      return whole;
    },
    async open(name, sealed) {
      if (sealed[0] !== VERSION) return null;
      const nonce = sealed.slice(1, 1 + NONCE_BYTES);
      try {
        return new Uint8Array(
          await crypto.subtle.decrypt(bound(name, nonce), sealing, sealed.subarray(1 + NONCE_BYTES)),
        );
      } catch {
        return null;
      }
    },
  };
}
