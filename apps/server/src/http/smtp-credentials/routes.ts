import type { SmtpCredentialWire } from "@kauke/contract";
import type { CoreDeps } from "../../core/core-deps.ts";
import {
  createSmtpCredential,
  deleteSmtpCredential,
  listSmtpCredentials,
  readSmtpPassword,
  regenerateSmtpPassword,
  type SmtpCredential,
  smtpHost,
} from "../../core/smtp-credential.ts";
import type { Handlers } from "../handler.ts";

export function smtpCredentialHandlers(deps: CoreDeps) {
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
  } satisfies Partial<Handlers>;
}

function smtpCredentialToWire({ id, username, active, createdAt }: SmtpCredential): SmtpCredentialWire {
  return { id, username, active, createdAt: createdAt.toISOString() };
}
