import type { CoreDeps } from "../../core/core-deps.ts";
import { createEncryptionKey } from "../../core/encryption-key/create-encryption-key.ts";
import { deleteEncryptionKey } from "../../core/encryption-key/delete-encryption-key.ts";
import { downloadEncryptionKey } from "../../core/encryption-key/download-encryption-key.ts";
import { findEncryptionKey } from "../../core/encryption-key/find-encryption-key.ts";
import { makeKeyDefault } from "../../core/encryption-key/make-key-default.ts";
import type { HandlersOf } from "../handler.ts";
import { encryptionKeyToWire, newKeyFromWire } from "./wire.ts";

type EncryptionKeyCalls =
  | "listEncryptionKeys"
  | "createEncryptionKey"
  | "readProtectedKey"
  | "downloadEncryptionKey"
  | "makeKeyDefault"
  | "deleteEncryptionKey";

export function encryptionKeyHandlers(deps: CoreDeps): HandlersOf<EncryptionKeyCalls> {
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
  };
}
