/**
 * SMTP credentials and the webhook secret of one alias. The list is a query; passwords and secrets are returned to the
 * caller and never cached. Creating or deleting credentials refetches the lists of aliases that can send.
 */
import type { AliasWire, Answer } from "@kauke/contract";
import { type Query, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, callUnread } from "./client.ts";

type SmtpAlias = Pick<AliasWire, "id" | "alias" | "domain">;
type SmtpCredentials = Answer<"listSmtpCredentials">;

/** Matches any user's list of aliases that can send: `["aliases", userId, "with-smtp"]`. */
const isWithSmtp = ({ queryKey }: Query) => queryKey[0] === "aliases" && queryKey[2] === "with-smtp";

/**
 * Query key of an alias' credentials. It contains the address, because renaming the alias changes the SMTP user name.
 */
const keyOf = ({ id, alias, domain }: SmtpAlias) => ["smtp-credentials", id, `${alias}@${domain}`] as const;

export function useSmtpCredentials(alias: SmtpAlias) {
  return useQuery({
    queryKey: keyOf(alias),
    queryFn: () => call("listSmtpCredentials", { params: { aliasId: alias.id } }),
  });
}

export function useSmtpCalls(alias: SmtpAlias) {
  const client = useQueryClient();
  const params = { aliasId: alias.id };
  const refresh = () => client.invalidateQueries({ queryKey: keyOf(alias) });
  const renew = (credentials: SmtpCredentials["credentials"]) => {
    client.setQueryData<SmtpCredentials>(keyOf(alias), (before) => before && { ...before, credentials });
    void client.invalidateQueries({ predicate: isWithSmtp });
  };
  return {
    /** Refetches the alias' credentials after the server has shown that the cached ones are stale. */
    refresh,
    readPassword: () => callUnread("readSmtpPassword", { params }),
    /** Creates SMTP credentials. @returns their password */
    async create(): Promise<string> {
      const { credential } = await call("createSmtpCredential", { body: params });
      const { id, username, password } = credential;
      renew([{ id, username, active: true, createdAt: new Date().toISOString() }]);
      return password;
    },
    /** Replaces the password of a credential. @returns the new password */
    async regenerate(credentialId: string): Promise<string> {
      const { credential } = await call("regenerateSmtpPassword", { params: { ...params, credentialId } });
      return credential.password;
    },
    async remove(credentialId: string): Promise<void> {
      await call("deleteSmtpCredential", { params: { ...params, credentialId } });
      renew([]);
    },
  };
}

export async function fetchWebhookSecret(aliasId: string): Promise<string> {
  return (await call("readWebhookSecret", { params: { aliasId } })).secret;
}

export async function replaceWebhookSecret(aliasId: string): Promise<string> {
  return (await call("renewWebhookSecret", { params: { aliasId } })).secret;
}
