/**
 * SMTP credentials and the webhook secret of one alias. The list is a query; passwords and secrets are handed to who asked and
 * kept in no cache. Every list of aliases that may send is asked again after a change.
 */
import type { AliasWire, Answer } from "@kauke/contract";
import { type Query, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, callUnread } from "./client.ts";

export type SmtpAlias = Pick<AliasWire, "id" | "alias" | "domain">;
export type SmtpCredentials = Answer<"listSmtpCredentials">;

/** The list of aliases that may send, whoever's: `["aliases", userId, "with-smtp"]`. */
const isWithSmtp = ({ queryKey }: Query) => queryKey[0] === "aliases" && queryKey[2] === "with-smtp";

/** By address too: the user name follows a rename. */
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
    /** What is listed turned out not to be so: ask again. */
    refresh,
    readPassword: () => callUnread("readSmtpPassword", { params }),
    /** @returns the password */
    async create(): Promise<string> {
      const { credential } = await call("createSmtpCredential", { body: params });
      const { id, username, password } = credential;
      renew([{ id, username, active: true, createdAt: new Date().toISOString() }]);
      return password;
    },
    /** @returns the new password */
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

export async function readWebhookSecret(aliasId: string): Promise<string> {
  return (await call("readWebhookSecret", { params: { aliasId } })).secret;
}

export async function renewWebhookSecret(aliasId: string): Promise<string> {
  return (await call("renewWebhookSecret", { params: { aliasId } })).secret;
}
