import * as z from "zod";
import { aliasWire } from "./alias.ts";
import { apiKeyPattern, apiKeyWire, createApiKeyBody } from "./api-keys.ts";
import {
  createEncryptionKeyBody,
  decryptAutoBody,
  decryptAutoResponse,
  decryptManualBody,
  decryptManualResponse,
  downloadedKey,
  downloadKeyBody,
  encryptionKeyWire,
  protectedKeyResponse,
} from "./encryption.ts";
import type { EndpointShapes } from "./endpoint.ts";
import { changeLabelBody, createLabelBody, labelWire } from "./labels.ts";
import { limits } from "./limits.ts";
import {
  accountDefaults,
  accountDefaultsChange,
  addMailboxBody,
  generateAliasBody,
  generatedName,
  generatedNameBody,
  mailboxAlias,
  mailboxWire,
} from "./mailboxes.ts";
import { pageEvents } from "./page-values.ts";

const keyParams = z.object({ keyId: z.string() });

export const encryptionEndpoints = {
  listEncryptionKeys: {
    summary: "Encryption keys of the signed-in user, newest first",
    status: 200,
    response: z.object({ keys: z.array(encryptionKeyWire) }),
  },
  createEncryptionKey: {
    summary: "Store an encryption key that the client made, or make one protected by a master password",
    body: createEncryptionKeyBody,
    status: 201,
    errors: [429, 503],
    response: z.object({ key: encryptionKeyWire }),
  },
  readProtectedKey: {
    summary: "The private key as it is stored: an age file protected by the master password",
    params: keyParams,
    status: 200,
    response: protectedKeyResponse,
  },
  downloadEncryptionKey: {
    summary: "The private key, decrypted with the master password",
    params: keyParams,
    body: downloadKeyBody,
    status: 200,
    errors: [422, 429, 503],
    response: downloadedKey,
  },
  makeKeyDefault: {
    summary: "Make this key the default one",
    params: keyParams,
    status: 200,
    errors: [429],
    response: z.object({ key: encryptionKeyWire }),
  },
  deleteEncryptionKey: {
    summary: "Delete an encryption key; text encrypted to it can then only be decrypted with a copy of the key",
    params: keyParams,
    status: 200,
    errors: [429],
    response: z.object({ message: z.string() }),
  },
  decryptAuto: {
    summary: "Decrypt a text with a stored key and its master password",
    body: decryptAutoBody,
    bodyMaxBytes: limits.requestBodyMaxBytes,
    status: 200,
    errors: [404, 422, 429, 503],
    response: decryptAutoResponse,
    hasSuccessField: true,
  },
  decryptManual: {
    summary: "Decrypt a text with a private key, which is not stored",
    body: decryptManualBody,
    bodyMaxBytes: limits.requestBodyMaxBytes,
    status: 200,
    errors: [429, 503],
    response: decryptManualResponse,
    hasSuccessField: true,
  },
} as const satisfies Record<string, EndpointShapes>;

const userParams = z.object({ userId: z.string() });
const mailboxParams = z.object({ mailboxId: z.string() });

export const mailboxEndpoints = {
  listMailboxes: {
    summary: "Mailboxes of the account: those its aliases forward to, those it added, and its own e-mail; oldest first",
    status: 200,
    response: z.object({ mailboxes: z.array(mailboxWire) }),
  },
  addMailbox: {
    summary: "Add a mailbox to the account and send it the confirmation message",
    body: addMailboxBody,
    status: 201,
    errors: [429],
    response: mailboxWire,
  },
  listMailboxAliases: {
    summary: "Aliases that forward to a mailbox, and for which of them it is the only destination; newest first",
    params: mailboxParams,
    status: 200,
    response: z.object({ aliases: z.array(mailboxAlias) }),
  },
  removeMailbox: {
    summary: "Remove a mailbox from the account and from all its aliases, if none of them would be left without one",
    params: mailboxParams,
    status: 200,
    errors: [409, 429],
    response: z.object({ message: z.string(), changedAliases: z.number() }),
  },
  getAccountDefaults: {
    summary: "What new aliases get if their creator does not say otherwise",
    status: 200,
    response: accountDefaults,
  },
  changeAccountDefaults: {
    summary: "Change what new aliases get by default",
    body: accountDefaultsChange,
    status: 200,
    errors: [429],
    response: accountDefaults,
  },
  generateAlias: {
    summary: "Create an alias with a generated name; what is left out comes from the account's defaults",
    params: userParams,
    body: generateAliasBody,
    status: 201,
    errors: [403, 409, 429],
    response: aliasWire,
  },
  generateName: {
    summary: "A generated name that is free now, without creating the alias",
    params: userParams,
    body: generatedNameBody,
    status: 200,
    errors: [409, 429],
    response: generatedName,
  },
} as const satisfies Record<string, EndpointShapes>;

const labelParams = z.object({ labelId: z.string() });

export const labelEndpoints = {
  listLabels: {
    summary: "Labels of the signed-in user, by name",
    status: 200,
    response: z.object({ labels: z.array(labelWire) }),
  },
  createLabel: {
    summary: "Create a label",
    body: createLabelBody,
    status: 201,
    errors: [429],
    response: z.object({ label: labelWire }),
  },
  changeLabel: {
    summary: "Change name or colour of a label",
    params: labelParams,
    body: changeLabelBody,
    status: 200,
    errors: [429],
    response: z.object({ label: labelWire }),
  },
  deleteLabel: {
    summary: "Delete a label; its aliases stay",
    params: labelParams,
    status: 200,
    errors: [429],
    response: z.object({ message: z.string() }),
  },
} as const satisfies Record<string, EndpointShapes>;

export const apiKeyEndpoints = {
  listApiKeys: {
    summary: "API keys of the account, newest first, without the keys themselves",
    status: 200,
    response: z.object({ keys: z.array(apiKeyWire) }),
  },
  createApiKey: {
    summary: "Create an API key; `secret` is the key, which no other call shows",
    body: createApiKeyBody,
    status: 201,
    errors: [429],
    response: z.object({ key: apiKeyWire, secret: z.string().regex(apiKeyPattern) }),
  },
  deleteApiKey: {
    summary: "Revoke an API key, which stops working at once",
    params: z.object({ keyId: z.string() }),
    status: 200,
    errors: [429],
    response: z.object({ message: z.string() }),
  },
} satisfies Record<string, EndpointShapes>;

export const analyticsEndpoints = {
  countEvent: {
    summary: "Count one event of the pages; only totals are kept, never who or where",
    body: z.strictObject({ event: z.enum(pageEvents) }),
    status: 200,
    response: z.object({}),
  },
} as const satisfies Record<string, EndpointShapes>;
