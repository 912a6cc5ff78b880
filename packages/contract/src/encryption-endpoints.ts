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
import type { EndpointShapes } from "./endpoint.ts";
import { limits } from "./limits.ts";

const keyParams = z.object({ keyId: z.string() });

export const encryptionEndpoints = {
  listEncryptionKeys: {
    summary: "Encryption keys of the signed-in user, newest first",
    status: 200,
    answer: z.object({ keys: z.array(encryptionKeyWire) }),
  },
  createEncryptionKey: {
    summary: "Store an encryption key that the client made, or make one protected by a master password",
    body: createEncryptionKeyBody,
    status: 201,
    errors: [429, 503],
    answer: z.object({ key: encryptionKeyWire }),
  },
  readProtectedKey: {
    summary: "The private key as it is stored: an age file protected by the master password",
    params: keyParams,
    status: 200,
    answer: protectedKeyAnswer,
  },
  downloadEncryptionKey: {
    summary: "The private key, decrypted with the master password",
    params: keyParams,
    body: downloadKeyBody,
    status: 200,
    errors: [422, 429, 503],
    answer: downloadedKey,
  },
  makeKeyDefault: {
    summary: "Make this key the default one",
    params: keyParams,
    status: 200,
    errors: [429],
    answer: z.object({ key: encryptionKeyWire }),
  },
  deleteEncryptionKey: {
    summary: "Delete an encryption key; text encrypted to it can then only be decrypted with a copy of the key",
    params: keyParams,
    status: 200,
    errors: [429],
    answer: z.object({ message: z.string() }),
  },
  decryptAuto: {
    summary: "Decrypt a text with a stored key and its master password",
    body: decryptAutoBody,
    bodyMaxBytes: limits.requestBodyMaxBytes,
    status: 200,
    errors: [404, 422, 429, 503],
    answer: decryptAutoAnswer,
    hasSuccessField: true,
  },
  decryptManual: {
    summary: "Decrypt a text with a private key, which is not stored",
    body: decryptManualBody,
    bodyMaxBytes: limits.requestBodyMaxBytes,
    status: 200,
    errors: [429, 503],
    answer: decryptManualAnswer,
    hasSuccessField: true,
  },
} as const satisfies Record<string, EndpointShapes>;
