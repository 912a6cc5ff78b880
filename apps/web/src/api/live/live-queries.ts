/** Queries whose data has changed elsewhere are fetched again: those on screen now, others when next shown. */
import type { LiveKind } from "@kauke/contract/live";
import type { Query, QueryClient } from "@tanstack/react-query";
import { isSessionLost, onSessionLost } from "../session/lost-session.ts";
import { onSession, onUserChange, readSession } from "../session/session.ts";
import { type Heard, openLive } from "./live-stream.ts";

/** The first elements of the keys of queries that show something of the kind. */
const shownIn: Readonly<Record<LiveKind, readonly string[]>> = {
  aliases: ["aliases", "labels", "mailboxes", "smtp-credentials", "forwarding", "first-steps"],
  labels: ["labels"],
  mailboxes: ["mailboxes", "account-defaults", "aliases", "first-steps"],
  notices: ["notices"],
  settings: ["account-settings", "account-defaults", "sign-in"],
  keys: ["encryption-keys", "api-keys"],
  jobs: ["email-jobs"],
  imports: ["imports"],
  checklist: ["checklist"],
  sessions: ["sessions"],
  contacts: ["contacts"],
  forwarding: ["forwarding"],
  tests: ["test-message"],
  domains: ["account-domains", "account-defaults"],
};

const isKind = (text: string): text is LiveKind => Object.hasOwn(shownIn, text);

/** @returns first elements of query keys; unknown kinds, of a newer server, name none */
export function keysOf(heard: Heard): Set<string> {
  const kinds = heard === "all" ? (Object.keys(shownIn) as LiveKind[]) : heard.filter(isKind);
  return new Set(kinds.flatMap((kind) => shownIn[kind]));
}

/** Hidden tabs fetch when they are shown again. */
const visibility = {
  isHidden: () => document.visibilityState === "hidden",
  onChange: (listener: () => void) => document.addEventListener("visibilitychange", listener),
};

/** A response that was asked for before a write shows the state before it, so a write in progress delays the fetch. */
export function refetcher(client: QueryClient, { isHidden, onChange } = visibility): (heard: Heard) => void {
  const waiting = new Set<string>();
  const inFlight = new Set<string>();
  let isAccountGone = false;
  const fetchWaiting = async () => {
    if (waiting.size === 0 || client.isMutating() > 0 || isHidden()) return;
    const keys = new Set(waiting);
    waiting.clear();
    for (const key of keys) inFlight.add(key);
    await client.invalidateQueries({ predicate: ({ queryKey: [first] }) => keys.has(String(first)) });
    for (const key of keys) inFlight.delete(key);
  };
  client.getMutationCache().subscribe(({ type, mutation }) => {
    if (type === "updated" && mutation?.state.status === "pending" && inFlight.size > 0) {
      const keys = new Set(inFlight);
      inFlight.clear();
      for (const key of keys) waiting.add(key);
      const predicate = ({ queryKey: [first], state }: Query) => keys.has(String(first)) && state.data !== undefined;
      void client.cancelQueries({ predicate });
    }
    // What is heard of an account that is gone would be refused.
    if (type === "updated" && mutation?.state.status === "success" && mutation.options.meta?.["endsSession"] === true) {
      isAccountGone = true;
      waiting.clear();
    }
    void fetchWaiting();
  });
  onChange(() => void fetchWaiting());
  onUserChange(() => {
    isAccountGone = false;
  });
  return (heard) => {
    if (isAccountGone) return;
    for (const key of keysOf(heard)) waiting.add(key);
    void fetchWaiting();
  };
}

/** Follows the session: a stream is open while somebody is signed in. */
export function startLive(client: QueryClient): void {
  const refetch = refetcher(client);
  let of: string | null = null;
  let close = () => {};
  const follow = () => {
    const userId = isSessionLost() ? null : (readSession().user?.id ?? null);
    if (userId === of) return;
    of = userId;
    close();
    close = userId === null ? () => {} : openLive(refetch);
  };
  onSession(follow);
  // A new session of the same user follows a lost one.
  onSessionLost(follow);
  follow();
}
