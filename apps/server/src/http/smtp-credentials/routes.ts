import type { CoreDeps } from "../../core/core-deps.ts";
import {
  createSmtpCredential,
  deleteSmtpCredential,
  listSmtpCredentials,
  readSmtpPassword,
  regenerateSmtpPassword,
  smtpHost,
} from "../../core/smtp-credential/smtp-credential.ts";
import type { HandlersOf } from "../handler.ts";
import { smtpCredentialToWire } from "./wire.ts";

type SmtpCredentialCalls =
  | "listSmtpCredentials"
  | "createSmtpCredential"
  | "readSmtpPassword"
  | "regenerateSmtpPassword"
  | "deleteSmtpCredential";

export function smtpCredentialHandlers(deps: CoreDeps): HandlersOf<SmtpCredentialCalls> {
  return {
    async listSmtpCredentials({ userId, params }) {
      const credentials = await listSmtpCredentials(deps, { userId, ...params });
      const host = smtpHost(deps.ownDomains);
      return { credentials: credentials.map(smtpCredentialToWire), host, local: deps.localSmtpPorts };
    },
    async createSmtpCredential({ userId, body }) {
      const { credential, password } = await createSmtpCredential(deps, { userId, aliasId: body.aliasId });
      const { id, aliasId, username } = credential;
      return { credential: { id, aliasId, username, password } };
    },
    async readSmtpPassword({ userId, params }) {
      return { success: true, password: await readSmtpPassword(deps, { userId, ...params }) };
    },
    async regenerateSmtpPassword({ userId, params }) {
      const { credential, password } = await regenerateSmtpPassword(deps, { userId, ...params });
      return { credential: { id: credential.id, username: credential.username, password } };
    },
    async deleteSmtpCredential({ userId, params }) {
      await deleteSmtpCredential(deps, { userId, ...params });
      return { message: "SMTP credentials deleted" };
    },
  };
}
