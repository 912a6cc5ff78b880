/** The public test vectors of age (C2SP CCTV), read from npm's cctv-age: a header of keys and values, then the file. */
import { createDecipheriv, hkdfSync } from "node:crypto";
import { inflateSync } from "node:zlib";
import * as cctv from "cctv-age";

export interface AgeVector {
  name: string;
  expect: "success" | "no match" | "HMAC failure" | "header failure" | "payload failure" | "armor failure";
  /** SHA-256 in hex of all plaintext that may be released, also if decryption fails later. */
  payload: string | null;
  identities: readonly string[];
  passwords: readonly string[];
  isArmored: boolean;
  file: Uint8Array;
  fileKey: Uint8Array;
}

export const vectors: readonly AgeVector[] = Object.entries<Uint8Array>(cctv).map(([name, bytes]) =>
  readVector(name, bytes),
);

export function vectorNamed(name: string): AgeVector {
  const found = vectors.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`no vector ${name}`);
  return found;
}

function readVector(name: string, bytes: Uint8Array): AgeVector {
  const buffer = Buffer.from(bytes);
  const end = buffer.indexOf("\n\n");
  const fields = buffer
    .toString("utf8", 0, end)
    .split("\n")
    .map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)] as const);
  const all = (key: string) => fields.filter(([field]) => field === key).map(([, value]) => value);
  const body = buffer.subarray(end + 2);
  return {
    name,
    expect: all("expect")[0] as AgeVector["expect"],
    payload: all("payload")[0] ?? null,
    identities: all("identity"),
    passwords: all("passphrase"),
    isArmored: all("armored")[0] === "yes",
    fileKey: Buffer.from(all("file key")[0] ?? "", "hex"),
    file: new Uint8Array(all("compressed")[0] === "zlib" ? inflateSync(body) : body),
  };
}

/**
 * All plaintext that may be released from a file before it fails, computed independently of this package: chunk by
 * chunk with the file key on Node's own ChaCha20-Poly1305, up to the first chunk that is not authentic.
 */
export function authenticBeginning(binary: Uint8Array, fileKey: Uint8Array): Uint8Array {
  const file = Buffer.from(binary);
  const payload = file.subarray(file.indexOf("\n", file.indexOf("\n--- ") + 1) + 1);
  const key = new Uint8Array(hkdfSync("sha256", fileKey, payload.subarray(0, 16), "payload", 32));
  const chunks: Uint8Array[] = [];
  for (let at = 16, count = 0; at < payload.length; at += 65_552, count += 1) {
    const chunk = payload.subarray(at, at + 65_552);
    const between = chunk.length === 65_552 ? openChunk(key, count, false, chunk) : null;
    const opened = between ?? openChunk(key, count, true, chunk);
    if (opened !== null) chunks.push(opened);
    if (between === null) break;
  }
  return Buffer.concat(chunks);
}

function openChunk(key: Uint8Array, count: number, isLast: boolean, chunk: Uint8Array): Uint8Array | null {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(count, 7);
  nonce[11] = isLast ? 1 : 0;
  const decipher = createDecipheriv("chacha20-poly1305", key, nonce, { authTagLength: 16 });
  try {
    decipher.setAuthTag(chunk.subarray(-16));
    return Buffer.concat([decipher.update(chunk.subarray(0, -16)), decipher.final()]);
  } catch {
    return null;
  }
}
