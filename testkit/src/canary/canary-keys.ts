/**
 * Plants canaries in encryption keys: names, passwords, plaintexts and the keys themselves, in every call that accepts
 * or creates one.
 */
import { encryptText } from "@kauke/age";
import type { Canaries } from "./canary-scan.ts";

interface KeyOwner {
  /** Calls the API as the owner of the keys. @throws when the status is not 2xx */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Calls the API as the owner of the keys. @returns the status, even of an error */
  statusOf(method: string, path: string, body: unknown): Promise<number>;
}

interface Made {
  key: { id: string; publicKey: string };
}

/**
 * Creates and uses encryption keys with canaries. @param fromAliasId id of an alias that can send; mail to addresses
 * with `-down@` waits in the spool
 */
export async function plantKeys(canaries: Canaries, owner: KeyOwner, fromAliasId: string): Promise<void> {
  const word = (label: string) => canaries.word(label);
  const masterPassword = `${word("master-password")} ąč`;
  const { key } = await owner.call<Made>("POST", "/api/encryption-keys", { keyName: word("key-name"), masterPassword });
  const { key: draftKey } = await owner.call<{ key: string }>("GET", "/api/account/draft-key");
  canaries.watch("draft-key", draftKey);
  const path = `/api/encryption-keys/${key.id}`;
  const { encryptedPrivateKey } = await owner.call<{ encryptedPrivateKey: string }>("GET", `${path}/protected`);
  const { privateKey } = await owner.call<{ privateKey: string }>("POST", `${path}/download`, { masterPassword });
  canaries.watch("public-key", key.publicKey);
  canaries.watch("private-key", privateKey);
  canaries.watch("private-key-part", privateKey.slice(20, 50));
  for (const [index, line] of encryptedPrivateKey.split("\n").slice(2, 5).entries())
    canaries.watch(`wrapped-key-${index}`, line);
  await plantUses(canaries, owner, { keyId: key.id, publicKey: key.publicKey, privateKey, masterPassword });
  const kept = { keyName: word("kept-key-name"), publicKey: key.publicKey, encryptedPrivateKey };
  await owner.call("POST", "/api/encryption-keys", kept);
  const job = {
    to: `${word("sealed-job-to")}-down@people.example`,
    subject: word("sealed-job-subject"),
    fromAliasId,
    body: `${word("sealed-job-body")} ąčę`,
    useEncryption: true,
    recipientPublicKey: key.publicKey,
  };
  await owner.call("POST", "/api/email-jobs", job);
  await owner.statusOf("POST", "/api/email-jobs", { ...job, recipientPublicKey: `${privateKey}x` });
}

interface Uses {
  keyId: string;
  publicKey: string;
  privateKey: string;
  masterPassword: string;
}

async function plantUses(canaries: Canaries, owner: KeyOwner, uses: Uses): Promise<void> {
  const { keyId, publicKey, privateKey, masterPassword } = uses;
  const plaintext = `${canaries.word("decrypted-text")} ąč`;
  const encryptedText = await encryptText(plaintext, { publicKeys: [publicKey] });
  canaries.watch("encrypted-text", encryptedText.split("\n")[2] ?? "");
  const answers = [
    await owner.call<{ decryptedText: string }>("POST", "/api/decrypt-auto", { keyId, masterPassword, encryptedText }),
    await owner.call<{ decryptedText: string }>("POST", "/api/decrypt-manual", { privateKey, encryptedText }),
  ];
  if (answers.some(({ decryptedText }) => decryptedText !== plaintext))
    throw new Error("the plaintext was not decrypted");
  const wrong = { keyId, encryptedText, masterPassword: canaries.word("wrong-master-password") };
  const refused: [string, object][] = [
    ["/api/decrypt-auto", wrong],
    [`/api/encryption-keys/${keyId}/download`, wrong],
    ["/api/decrypt-manual", { encryptedText, privateKey: `${privateKey.slice(0, -1)}x` }],
    ["/api/decrypt-manual", { encryptedText: encryptedText.replace(/.{10}\n-----END/, "\n-----END"), privateKey }],
    ["/api/encryption-keys", { keyName: "x", publicKey: privateKey, encryptedPrivateKey: privateKey }],
  ];
  for (const [path, body] of refused) {
    const status = await owner.statusOf("POST", path, body);
    if (status !== 400) throw new Error(`${path} answered ${status}`);
  }
}
