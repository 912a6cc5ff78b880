/** Routes for encryption keys and decryption; part of the table in `endpoints.ts`. */
import * as z from "zod";
import {
  createEncryptionKeyBody,
  decryptAutoAnswer,
  decryptAutoBody,
  decryptManualAnswer,
  decryptManualBody,
  downloadedKey,
  downloadKeyBody,
  encryptionKeyWire,
  protectedKeyAnswer,
} from "./encryption.ts";
import type { Endpoint } from "./endpoint.ts";
import { limits } from "./limits.ts";

const keyParams = z.object({ keyId: z.string() });

export const encryptionEndpoints = {
  listEncryptionKeys: {
    method: "GET",
    path: "/api/encryption-keys",
    summary: "Encryption keys of the signed-in user, newest first",
    access: "user",
    status: 200,
    answer: z.object({ keys: z.array(encryptionKeyWire) }),
  },
  createEncryptionKey: {
    method: "POST",
    path: "/api/encryption-keys",
    summary: "Store an encryption key that the client made, or make one protected by a master password",
    access: "user",
    body: createEncryptionKeyBody,
    status: 201,
    answer: z.object({ key: encryptionKeyWire }),
  },
  readProtectedKey: {
    method: "GET",
    path: "/api/encryption-keys/:keyId/protected",
    summary: "The private key as it is stored: an age file protected by the master password",
    access: "user",
    params: keyParams,
    status: 200,
    answer: protectedKeyAnswer,
  },
  downloadEncryptionKey: {
    method: "POST",
    path: "/api/encryption-keys/:keyId/download",
    summary: "The private key, decrypted with the master password",
    access: "user",
    params: keyParams,
    body: downloadKeyBody,
    status: 200,
    answer: downloadedKey,
  },
  makeKeyDefault: {
    method: "POST",
    path: "/api/encryption-keys/:keyId/default",
    summary: "Make this key the default one",
    access: "user",
    params: keyParams,
    status: 200,
    answer: z.object({ key: encryptionKeyWire }),
  },
  deleteEncryptionKey: {
    method: "DELETE",
    path: "/api/encryption-keys/:keyId",
    summary: "Delete an encryption key; text encrypted to it can then only be decrypted with a copy of the key",
    access: "user",
    params: keyParams,
    status: 200,
    answer: z.object({ message: z.string() }),
  },
  decryptAuto: {
    method: "POST",
    path: "/api/decrypt-auto",
    summary: "Decrypt a text with a stored key and its master password",
    access: "user",
    body: decryptAutoBody,
    bodyMaxBytes: limits.requestBodyMaxBytes,
    status: 200,
    answer: decryptAutoAnswer,
    tellsSuccess: true,
  },
  decryptManual: {
    method: "POST",
    path: "/api/decrypt-manual",
    summary: "Decrypt a text with a private key, which is not stored",
    access: "user",
    body: decryptManualBody,
    bodyMaxBytes: limits.requestBodyMaxBytes,
    status: 200,
    answer: decryptManualAnswer,
    tellsSuccess: true,
  },
} as const satisfies Record<string, Endpoint>;
