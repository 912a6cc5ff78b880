/**
 * Who is signed in: one query for the whole app. 401 reads as null; any other failure is logged and reads as signed out too
 * (specification section 8). Signing in and out changes the query's value and the stored session together.
 */
import type { UserWire } from "@kauke/contract";
import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { ApiError } from "./api-error.ts";
import { call } from "./client.ts";
import { countEvent } from "./count-event.ts";
import { markSignedIn } from "./lost-session.ts";
import { listenToTabs, type TabMessage, tellTabs } from "./session-tabs.ts";
import { clearSession, storeSession } from "./stored-session.ts";

async function readSession(): Promise<UserWire | null> {
  try {
    const { user } = await call("getSession");
    storeSession(user);
    return user;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) console.warn("The session check failed.");
    clearSession();
    return null;
  }
}

export const sessionQuery = queryOptions({ queryKey: ["session"], queryFn: readSession });

export interface Session {
  user: UserWire | null;
  isLoading: boolean;
}

export function useSession(): Session {
  const { data, isPending } = useQuery(sessionQuery);
  return { user: data ?? null, isLoading: isPending };
}

/** The signed-in user; for screens that are only shown to one. */
export function useUser(): UserWire {
  const { user } = useSession();
  if (user === null) throw new Error("This screen needs a signed-in user");
  return user;
}

/** What is nobody's own stays when one person leaves and another comes. */
const sharedQueries: ReadonlySet<unknown> = new Set(["session", "domains"]);

function forgetAnswers(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => !sharedQueries.has(queryKey[0]) });
}

/** Takes over a user the server has just signed in, and forgets what an earlier one had loaded. */
export function useEnterSession(): (user: UserWire) => void {
  const client = useQueryClient();
  return (user) => {
    forgetAnswers(client);
    storeSession(user);
    client.setQueryData(sessionQuery.queryKey, user);
    markSignedIn();
    countEvent("login_success");
  };
}

/** Everything that tells of the person: the session, answers and requests (passwords among them). */
function forgetUser(client: QueryClient): void {
  clearSession();
  client.setQueryData(sessionQuery.queryKey, null);
  forgetAnswers(client);
  client.getMutationCache().clear();
  markSignedIn();
}

/** Forgets the user here and in the other tabs; says nothing to the server. */
export function useLeaveSession(): (inactive?: boolean) => void {
  const client = useQueryClient();
  return (inactive = false) => {
    forgetUser(client);
    tellTabs({ kind: "signed-out", inactive });
  };
}

/** Ends the session, here whatever the server answers. No mutation of the query library: public pages would carry that. */
export function useLogout(onDone: () => void): { isPending: boolean; logOut: () => Promise<void> } {
  const leave = useLeaveSession();
  const [isPending, setIsPending] = useState(false);
  const logOut = async () => {
    if (isPending) return;
    setIsPending(true);
    await endAtServer();
    leave();
    countEvent("logout");
    setIsPending(false);
    onDone();
  };
  return { isPending, logOut };
}

/** Never fails: that is only logged. */
export async function endAtServer(): Promise<void> {
  await call("logout").catch(() => console.warn("The server did not answer the logout."));
}

/** Signing in or out in another tab is true here too. @param onLeft after somebody was signed out here by that */
export function useOtherTabs(onLeft: (inactive: boolean) => void): void {
  const client = useQueryClient();
  const hear = useEffectEvent((message: TabMessage) => {
    const user = client.getQueryData(sessionQuery.queryKey);
    // While the server is being asked its answer is the newest there is.
    if (user === undefined) return;
    if (message.kind === "signed-in" && message.userId !== user?.id) {
      forgetUser(client);
      void client.fetchQuery({ ...sessionQuery, staleTime: 0 });
    }
    if (message.kind === "signed-out" && user !== null) {
      forgetUser(client);
      onLeft(message.inactive);
    }
  });
  useEffect(() => listenToTabs(hear), []);
}
