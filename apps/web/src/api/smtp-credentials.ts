/** Passwords and secrets go to the caller and are never cached. */
import type { AliasWire, ResponseOf } from "@kauke/contract";
import { type Query, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, callUnread } from "./client.ts";
import { refetchForwarding } from "./forwarding.ts";

type SmtpAlias = Pick<AliasWire, "id" | "alias" | "domain">;
type SmtpCredentials = ResponseOf<"listSmtpCredentials">;

const isWithSmtp = ({ queryKey }: Query) => queryKey[0] === "aliases" && queryKey[2] === "with-smtp";

/** The query key has the alias' address, because renaming an alias changes its SMTP user name. */
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
    void refetchForwarding(client);
  };
  return {
    /** Refetches the credentials after a response that shows that the cache is stale. */
    refresh,
    readPassword: () => callUnread("readSmtpPassword", { params }),
    /** @returns the password of the new credentials */
    async create(): Promise<string> {
      const { credential } = await call("createSmtpCredential", { body: params });
      const { id, username, password } = credential;
      renew([{ id, username, active: true, lastUsedOn: null, createdAt: new Date().toISOString() }]);
      return password;
    },
    /** @returns the new password */
    async regenerate(credentialId: string): Promise<string> {
      const { credential } = await call("regenerateSmtpPassword", { params: { ...params, credentialId } });
      void refetchForwarding(client);
      return credential.password;
    },
    makeProfile: () => call("createMailProfile", { params }),
    /** Tests SMTP credentials: the server signs in with them at its own submission port. */
    test: () => call("testSmtpConnection", { params }),
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
