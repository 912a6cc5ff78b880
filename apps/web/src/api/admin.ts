/** Calls of the admin page. Its routes are loaded with it: other pages do not carry them. */
import type { AdminEndpointName, AdminHandlers, MailProbeWire } from "@kauke/contract";
import { adminRoutes } from "@kauke/contract/admin-routes";
import { fillPath } from "@kauke/contract/first-routes";
import { skipToken, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { t } from "../texts/texts.ts";
import { showFailure } from "../ui/toast-store.ts";
import { ApiError } from "./api-error.ts";
import { request } from "./client.ts";
import { checkSession, readSession } from "./session/session.ts";

type Asked<N extends AdminEndpointName> = Parameters<AdminHandlers[N]>[0];
type Part = "params" | "query" | "body";
type Given<N extends AdminEndpointName> = {
  [P in Part as Asked<N>[P] extends undefined ? never : P]: Asked<N>[P];
};
type Rest<N extends AdminEndpointName> = Record<never, never> extends Given<N> ? [] : [Given<N>];
export type AdminResponse<N extends AdminEndpointName> = NonNullable<Awaited<ReturnType<AdminHandlers[N]>>>;

interface GivenParts {
  params?: Record<string, string>;
  query?: Record<string, string | undefined>;
  body?: unknown;
}

async function callAdmin<N extends AdminEndpointName>(name: N, ...[given]: Rest<N>): Promise<AdminResponse<N>> {
  const { params, query = {}, body } = (given ?? {}) as GivenParts;
  const { method, path } = adminRoutes[name];
  const search = new URLSearchParams(Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]));
  const response = await request(
    method,
    `${fillPath(path, params)}${search.size === 0 ? "" : `?${search}`}`,
    body,
  ).catch(leaveIfNoAdmin);
  return (await response.json()) as AdminResponse<N>;
}

const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** Whoever is no admin, or not signed in, gets 404; the session then says whether this page is still theirs. */
async function leaveIfNoAdmin(error: unknown): Promise<never> {
  if (isGone(error)) {
    await checkSession();
    if (readSession().user === null) showFailure(t("Signed Out"), t("Your session has ended. Please sign in again."));
  }
  throw error;
}

const keyOf = (...parts: unknown[]) => ["admin", ...parts];

const STATE_MS = 30_000;
const QUEUE_MS = 10_000;
const PROBE_MS = 2000;
/** The server repeats the result of a check for this long. */
const HEALTH_MS = 60_000;

/** Queries with an interval pause while the page is hidden. */
export function useServerState() {
  return useQuery({
    queryKey: keyOf("state"),
    queryFn: () => callAdmin("getServerState"),
    refetchInterval: STATE_MS,
    staleTime: STATE_MS,
  });
}

export function useHealth() {
  return useQuery({ queryKey: keyOf("health"), queryFn: () => callAdmin("runHealthChecks"), staleTime: HEALTH_MS });
}

export function useQueue() {
  return useQuery({
    queryKey: keyOf("queue"),
    queryFn: () => callAdmin("listQueue"),
    refetchInterval: QUEUE_MS,
    staleTime: 0,
  });
}

export function useServerDomains() {
  return useQuery({
    queryKey: keyOf("domains"),
    queryFn: () => callAdmin("listServerDomains"),
    staleTime: 0,
  });
}

const flag = (withAddresses: boolean) => (withAddresses ? "true" : undefined);

/** Addresses are dropped once they are hidden. */
export function useAccounts(withAddresses: boolean) {
  return useInfiniteQuery({
    queryKey: keyOf("accounts", withAddresses),
    queryFn: ({ pageParam: after }) => callAdmin("listAccounts", { query: { after, addresses: flag(withAddresses) } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ accounts, isMore }) => (isMore ? accounts.at(-1)?.id : undefined),
    staleTime: 0,
    gcTime: 0,
  });
}

export function useInvites(withAddresses: boolean) {
  return useQuery({
    queryKey: keyOf("invites", withAddresses),
    queryFn: async () =>
      (await callAdmin("listInvites", { query: { addresses: flag(withAddresses) } })).invites.toReversed(),
    staleTime: 0,
    gcTime: 0,
  });
}

export function useOperatorActs() {
  return useQuery({
    queryKey: keyOf("acts"),
    queryFn: async () => (await callAdmin("listOperatorActs")).acts,
    staleTime: 0,
  });
}

/** A mutation after which the lists it names, and the server's state, are loaded again. */
function useAct<Given, Result>(act: (given: Given) => Promise<Result>, ...changed: readonly string[]) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keyOf("state") });
      return Promise.all(changed.map((key) => client.invalidateQueries({ queryKey: keyOf(key) })));
    },
  });
}

export const useRetryQueue = () =>
  useAct(async (host: string) => (await callAdmin("retryQueue", { body: { host } })).changed, "queue");

export const useDropQueue = () =>
  useAct(async (host: string) => (await callAdmin("dropQueue", { body: { host } })).changed, "queue");

export const useOrderCertificates = () => useAct(() => callAdmin("orderCertificates"));

export const useDeleteOtherAccount = () =>
  useAct((accountId: string) => callAdmin("deleteOtherAccount", { params: { accountId } }), "accounts");

export const useEndAccountSessions = () =>
  useAct((accountId: string) => callAdmin("endAccountSessions", { params: { accountId } }));

export const useRevokeInvite = () =>
  useAct((inviteId: string) => callAdmin("revokeInvite", { params: { inviteId } }), "invites");

/** Not a React Query mutation: the mutation cache would hold the new link. */
export function useCreateInvite() {
  const client = useQueryClient();
  return async (body: Given<"createInvite">["body"]) => {
    const made = await callAdmin("createInvite", { body });
    void client.invalidateQueries({ queryKey: keyOf("invites") });
    return made;
  };
}

const isOver = ({ answer, returned, ours, inSpam, expiresAt }: MailProbeWire): boolean =>
  answer === "refused" ||
  answer === "not_sent" ||
  (returned && ours !== null && inSpam !== null) ||
  Date.parse(expiresAt) <= Date.now();

/** Polls until everything is known or the probe is deleted. @param id `null`: there is no probe */
export function useMailProbe(id: string | null) {
  return useQuery({
    queryKey: keyOf("probe", id),
    queryFn: id === null ? skipToken : () => callAdmin("readMailProbe", { params: { probeId: id } }),
    refetchInterval: ({ state: { data, error } }) =>
      isGone(error) || (data !== undefined && isOver(data)) ? false : PROBE_MS,
    staleTime: PROBE_MS,
  });
}

function useProbeResult() {
  const client = useQueryClient();
  return (probe: MailProbeWire) => client.setQueryData(keyOf("probe", probe.id), probe);
}

export function useStartProbe() {
  const onSuccess = useProbeResult();
  return useMutation({ mutationFn: () => callAdmin("startMailProbe"), onSuccess });
}

export function useJudgeProbe(probeId: string) {
  const onSuccess = useProbeResult();
  return useMutation({
    mutationFn: (body: Given<"judgeMailProbe">["body"]) => callAdmin("judgeMailProbe", { params: { probeId }, body }),
    onSuccess,
  });
}
