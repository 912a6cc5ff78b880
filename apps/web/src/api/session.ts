/**
 * Who is signed in: one query for the whole app. 401 reads as null; any other failure is logged and reads as signed out too
 * (specification section 8). Signing in and out changes the query's value and the stored session together.
 */
import type { UserWire } from "@kauke/contract";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";
import { call } from "./client.ts";
import { markSignedIn } from "./lost-session.ts";
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

/** Takes over a user the server has just signed in, and forgets what an earlier one had loaded. */
export function useEnterSession(): (user: UserWire) => void {
  const client = useQueryClient();
  return (user) => {
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== "session" && query.queryKey[0] !== "domains" });
    storeSession(user);
    client.setQueryData(sessionQuery.queryKey, user);
    markSignedIn();
  };
}

/** Forgets the user here; says nothing to the server. */
export function useLeaveSession(): () => void {
  const client = useQueryClient();
  return () => {
    clearSession();
    client.setQueryData(sessionQuery.queryKey, null);
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== "session" && query.queryKey[0] !== "domains" });
    markSignedIn();
  };
}

/** Ends the session here whatever the server answers; its failure is only logged. */
export function useLogout(options: { onDone: () => void }) {
  const leave = useLeaveSession();
  return useMutation({
    mutationFn: () => call("logout"),
    onError: () => console.warn("The server did not answer the logout."),
    onSettled: () => {
      leave();
      options.onDone();
    },
  });
}
