/** Own domains of the account, with the records that each needs and what DNS last answered. */
import type { AccountDomainWire, Body, ResponseOf } from "@kauke/contract";
import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "./client.ts";

/** Another key than that of the server's domains, which stays when another person signs in. */
const queryKey = ["account-domains"];

type Listed = ResponseOf<"listAccountDomains">;

const domainsQuery = { queryKey, queryFn: () => call("listAccountDomains") };

export function useAccountDomains() {
  return useQuery(domainsQuery);
}

/** Refetches on every mount: aliases created since count. */
export function useFreshAccountDomains() {
  return useQuery({ ...domainsQuery, refetchOnMount: "always" });
}

export const refetchDomains = (client: QueryClient): Promise<void> => client.invalidateQueries({ queryKey });

function changeListed(client: QueryClient, change: (domains: AccountDomainWire[]) => AccountDomainWire[]): void {
  client.setQueryData<Listed>(queryKey, (listed) => listed && { ...listed, domains: change(listed.domains) });
}

const byName = (a: AccountDomainWire, b: AccountDomainWire) => (a.domain < b.domain ? -1 : 1);

export function useAddDomain() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (domain: string) => call("addAccountDomain", { body: { domain } }),
    onSuccess: (added) =>
      changeListed(client, (domains) => [...domains.filter(({ id }) => id !== added.id), added].sort(byName)),
  });
}

/** A refused check stores what DNS answered, too. */
export function useCheckDomain() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (domainId: string) => call("checkAccountDomain", { params: { domainId } }),
    onSuccess: (checked) =>
      changeListed(client, (domains) => domains.map((domain) => (domain.id === checked.id ? checked : domain))),
    onError: () => refetchDomains(client),
  });
}

interface DomainChange {
  domainId: string;
  body: Body<"changeAccountDomain">;
}

export function useChangeDomain() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ domainId, body }: DomainChange) => call("changeAccountDomain", { params: { domainId }, body }),
    onSuccess: (changed) =>
      changeListed(client, (domains) => domains.map((domain) => (domain.id === changed.id ? changed : domain))),
    onError: () => refetchDomains(client),
  });
}

/** Reads the list again when the component is shown. */
export function useFreshDomains(): void {
  const client = useQueryClient();
  useEffect(() => void refetchDomains(client), [client]);
}

export function useRemoveDomain() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ domainId, confirm }: { domainId: string; confirm?: string | undefined }) =>
      call("deleteAccountDomain", { params: { domainId }, query: confirm === undefined ? {} : { confirm } }),
    onSuccess: (_, { domainId }) => changeListed(client, (domains) => domains.filter(({ id }) => id !== domainId)),
    onError: () => refetchDomains(client),
  });
}

/** How an own domain is shown to people, e.g. `ąžuolas.lt`, for the choices of a field. */
export function useDomainChoices(domains: readonly string[]): (readonly [domain: string, shown: string])[] {
  const { data } = useAccountDomains();
  const shown = new Map(data?.domains.map(({ domain, shownDomain }) => [domain, shownDomain]));
  return domains.map((domain) => [domain, shown.get(domain) ?? domain] as const);
}
