import type { SmtpCredentialWire } from "@kauke/contract";
import type { CoreDeps } from "../../core/core-deps.ts";
import { createMailProfileLink, testSmtpConnection } from "../../core/mail-profile.ts";
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
import { mailProfilePath } from "./mail-profile.ts";

export function smtpCredentialHandlers(deps: CoreDeps) {
  return {
    async listSmtpCredentials({ userId, params }) {
      const credentials = await listSmtpCredentials(deps, { userId, ...params });
      const { about } = deps.forwarding;
      const shown = credentials.map((one) => smtpCredentialToWire(withUsername(one, about !== null)));
      if (about !== null)
        return { credentials: shown, host: about.smtpHost, local: null, setsUpPrograms: false, canTest: false };
      const can = { setsUpPrograms: deps.mailPrograms !== null, canTest: Boolean(deps.testSubmission) };
      return { credentials: shown, host: smtpHost(deps.mailDomains.operators), local: deps.localSmtpPorts, ...can };
    },
    async createMailProfile({ userId, params, origin }) {
      const { token, expiresAt } = await createMailProfileLink(deps, { userId, ...params });
      return { url: `${origin}${mailProfilePath(token)}`, expiresAt: expiresAt.toISOString() };
    },
    async testSmtpConnection({ userId, params }) {
      return await testSmtpConnection(deps, { userId, ...params });
    },
    async createSmtpCredential({ userId, body }) {
      const { credential, password } = await createSmtpCredential(deps, { userId, aliasId: body.aliasId });
      const { id, aliasId, username } = withUsername(credential, deps.forwarding.about !== null);
      return { credential: { id, aliasId, username, password } };
    },
    async readSmtpPassword({ userId, params }) {
      return { success: true, password: await readSmtpPassword(deps, { userId, ...params }) };
    },
    async regenerateSmtpPassword({ userId, params }) {
      const { credential, password } = await regenerateSmtpPassword(deps, { userId, ...params });
      const { id, username } = withUsername(credential, deps.forwarding.about !== null);
      return { credential: { id, username, password } };
    },
    async deleteSmtpCredential({ userId, params }) {
      await deleteSmtpCredential(deps, { userId, ...params });
      return { message: "SMTP credentials deleted" };
    },
  } satisfies Partial<Handlers>;
}

/** The provider stores addresses in lower case. */
const withUsername = (credential: SmtpCredential, isAtProvider: boolean): SmtpCredential =>
  isAtProvider ? { ...credential, username: credential.username.toLowerCase() } : credential;

function smtpCredentialToWire({ id, username, active, lastUsedOn, createdAt }: SmtpCredential): SmtpCredentialWire {
  return { id, username, active, lastUsedOn, createdAt: createdAt.toISOString() };
}
