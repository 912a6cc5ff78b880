/** The page terminates the worker after each job, or after ten minutes with an unlocked key; that frees its memory. */
import {
  AgeError,
  createProtectedKey,
  type DecryptWith,
  decrypt,
  encryptStream,
  encryptText,
  forecastPasswordWork,
  openProtectedKey,
  type PastedBlock,
  pastedBlocks,
} from "@kauke/age";
import { importPrivateKey, readKeyToImport } from "./key-import.ts";

import {
  type AnyJob,
  type DecryptedBlock,
  type Jobs,
  type Opener,
  UNLOCKED_MAX,
  type WorkerMessage,
} from "./vault-jobs.ts";

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = async ({ data: job }: MessageEvent<AnyJob>) => {
  try {
    const forecastSeconds = await forecastOf(job);
    if (forecastSeconds > 0) post({ forecastSeconds });
    const result = await done(job);
    post({ result }, result instanceof Uint8Array ? [result.buffer] : []);
  } catch (thrown) {
    post({ failure: codeOf(thrown) });
  }
};

const codeOf = (thrown: unknown) => (thrown instanceof AgeError ? thrown.code : "malformed");

function post(message: WorkerMessage, transfer: Transferable[] = []): void {
  scope.postMessage(message, transfer);
}

/** Estimated seconds of a job; 0 for jobs without a password. */
async function forecastOf(job: AnyJob): Promise<number> {
  const stretches = passwordStretches(job);
  return stretches === 0 ? 0 : stretches * (await forecastPasswordWork());
}

/** How often a job derives a key from a password: encrypting, then decrypting as a check; some need only one. */
function passwordStretches(job: AnyJob): number {
  if (job.name === "createKey" || job.name === "importKey") return 2;
  if (job.name === "openKey" || job.name === "unlockKey") return 1;
  if (job.name === "encryptText" || job.name === "encryptFile" || job.name === "readKey") return 0;
  return "privateKey" in job.input.opener || "unlocked" in job.input.opener ? 0 : 1;
}

function done(job: AnyJob): Promise<Jobs[AnyJob["name"]]["result"]> {
  switch (job.name) {
    case "createKey":
      return createKey(job.input);
    case "importKey":
      return importPrivateKey(job.input);
    case "readKey":
      return readKeyToImport(job.input.text);
    case "openKey":
      return openProtectedKey(job.input.encryptedPrivateKey, { password: job.input.masterPassword });
    case "unlockKey":
      return unlockKey(job.input);
    case "encryptText":
      return encryptText(job.input.text, { publicKeys: job.input.publicKeys });
    case "encryptFile":
      return encryptFile(job.input);
    case "decryptBlocks":
      return openBlocks(job.input);
    case "decryptFile":
      return openFile(job.input);
  }
}

/** Private keys by their public keys. */
const unlocked = new Map<string, string>();

/** @returns the public key */
async function unlockKey({ encryptedPrivateKey, masterPassword }: Jobs["unlockKey"]["input"]): Promise<string> {
  const { publicKey, privateKey } = await openProtectedKey(encryptedPrivateKey, { password: masterPassword });
  unlocked.delete(publicKey);
  unlocked.set(publicKey, privateKey);
  const [oldest] = unlocked.keys();
  if (unlocked.size > UNLOCKED_MAX && oldest !== undefined) unlocked.delete(oldest);
  return publicKey;
}

async function encryptFile({ file, publicKeys }: Jobs["encryptFile"]["input"]): Promise<Blob> {
  const chunks = await encryptStream(file.stream(), { publicKeys });
  return new Response(chunks as ReadableStream<Uint8Array<ArrayBuffer>>).blob();
}

async function createKey({ keyName, masterPassword: password, kind }: Jobs["createKey"]["input"]) {
  const { publicKey, protectedKey } = await createProtectedKey({ password, keyName, kind, createdAt: new Date() });
  return { publicKey, encryptedPrivateKey: protectedKey };
}

/** A block that fails doesn't affect the others. @throws AgeError without a block, or if the key can't be opened */
async function openBlocks({ text, opener }: Jobs["decryptBlocks"]["input"]): Promise<DecryptedBlock[]> {
  const key = await keyOf(opener);
  const blocks = pastedBlocks(text);
  if (blocks.length === 0) throw new AgeError("not_age");
  return Promise.all(blocks.map((block) => openBlock(block, key)));
}

async function openBlock({ armored, quoteDepth }: PastedBlock, key: DecryptWith): Promise<DecryptedBlock> {
  try {
    if (armored === null) throw new AgeError("malformed");
    return { quoteDepth, content: ownBuffer(await decrypt(armored, key)), failure: null };
  } catch (thrown) {
    return { quoteDepth, content: null, failure: codeOf(thrown) };
  }
}

async function openFile({ bytes, opener }: Jobs["decryptFile"]["input"]): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes.byteLength > FILE_MAX_BYTES) throw new AgeError("too_large");
  return ownBuffer(await decrypt(new Uint8Array(bytes), await keyOf(opener)));
}

/** Gives plaintext a buffer that holds nothing else, since the page gets it whole. */
function ownBuffer(plaintext: Uint8Array): Uint8Array<ArrayBuffer> {
  if (plaintext.buffer.byteLength === plaintext.byteLength) return plaintext as Uint8Array<ArrayBuffer>;
  const copy = new Uint8Array(plaintext);
  plaintext.fill(0);
  return copy;
}

const FILE_MAX_BYTES = 40 * 1024 * 1024;

async function keyOf(opener: Opener): Promise<DecryptWith> {
  if ("privateKey" in opener) return { privateKeys: opener.privateKey };
  if ("unlocked" in opener) return { privateKeys: [...unlocked.values()].join("\n") };
  if ("password" in opener) return { password: opener.password };
  const { privateKey } = await openProtectedKey(opener.encryptedPrivateKey, { password: opener.masterPassword });
  return { privateKeys: privateKey };
}
