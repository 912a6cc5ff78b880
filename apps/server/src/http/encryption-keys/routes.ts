import { type Body, type EncryptionKeyWire, encryptionMessages } from "@kauke/contract";
import type { CoreDeps } from "../../core/core-deps.ts";
import {
  createEncryptionKey,
  decryptAuto,
  decryptManual,
  deleteEncryptionKey,
  downloadEncryptionKey,
  type EncryptionKey,
  findEncryptionKey,
  makeKeyDefault,
  type NewKeyInput,
} from "../../core/encryption-key.ts";
import type { Handlers } from "../handler.ts";

export function encryptionKeyHandlers(deps: CoreDeps) {
  return {
    async listEncryptionKeys({ userId }) {
      return { keys: (await deps.encryptionKeys.listForUser(userId)).map(encryptionKeyToWire) };
    },
    async createEncryptionKey({ userId, body }) {
      return { key: encryptionKeyToWire(await createEncryptionKey(deps, newKeyFromWire(userId, body))) };
    },
    async readProtectedKey({ userId, params }) {
      const { encryptedPrivateKey } = await findEncryptionKey(deps, { userId, ...params });
      return { encryptedPrivateKey };
    },
    async downloadEncryptionKey({ userId, params, body }) {
      const { privateKey, ...key } = await downloadEncryptionKey(deps, { userId, ...params, ...body });
      const { id: _, ...shown } = encryptionKeyToWire(key);
      return { ...shown, privateKey };
    },
    async makeKeyDefault({ userId, params }) {
      return { key: encryptionKeyToWire(await makeKeyDefault(deps, { userId, ...params })) };
    },
    async deleteEncryptionKey({ userId, params }) {
      await deleteEncryptionKey(deps, { userId, ...params });
      return { message: "Encryption key deleted" };
    },
  } satisfies Partial<Handlers>;
}

function encryptionKeyToWire({ id, keyName, publicKey, createdAt, isDefault }: EncryptionKey): EncryptionKeyWire {
  return { id, keyName, publicKey, createdAt: createdAt.toISOString(), isDefault };
}

/** The contract guarantees either a master password, or both the public and the encrypted private key. */
function newKeyFromWire(userId: string, body: Body<"createEncryptionKey">): NewKeyInput {
  const { keyName, masterPassword, publicKey = "", encryptedPrivateKey = "", isDefault = false } = body;
  const key = masterPassword === undefined ? { publicKey, encryptedPrivateKey } : { masterPassword };
  return { userId, keyName, isDefault, key };
}

export function decryptHandlers(deps: CoreDeps) {
  return {
    async decryptAuto({ userId, body }) {
      const decryptedText = await decryptAuto(deps, { userId, ...body });
      if (decryptedText !== null) return { success: true, decryptedText };
      return { success: false, needsRecreation: true, message: encryptionMessages.needsRecreation };
    },
    async decryptManual({ userId, body }) {
      return { success: true, decryptedText: await decryptManual(deps, { userId, ...body }) };
    },
  } satisfies Partial<Handlers>;
}
