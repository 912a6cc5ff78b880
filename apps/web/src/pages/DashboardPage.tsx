import "../app/zod-jitless.ts";

import { Info } from "lucide-react";
import { useRef } from "react";
import { Link, useSearch } from "wouter";
import { useSessionLost } from "../api/session/lost-session.ts";
import { leaveSession, useUser } from "../api/session/session.ts";
import { DeleteAccountCard } from "../features/account/DeleteAccountCard.tsx";
import { CreateAliasCard } from "../features/aliases/create/CreateAliasCard.tsx";
import { AliasList } from "../features/aliases/list/AliasList.tsx";
import { OpenAlias } from "../features/aliases/panel/OpenAlias.tsx";
import { NoticesPanel } from "../features/notices/NoticesPanel.tsx";

/** The sign-in returns to the alias that was open. */
function AuthenticationRequired() {
  const search = useSearch();
  const href = search === "" ? "/dashboard" : `/dashboard?${search}`;
  return (
    <div className="note note-plain" role="alert">
      <Info className="i" aria-hidden />
      <div>
        <b>Authentication Required</b>
        <br />
        Please connect a wallet or{" "}
        <Link className="link" replace href={href} onClick={() => leaveSession()}>
          sign in
        </Link>{" "}
        to manage your aliases.
      </div>
    </div>
  );
}

export function DashboardPage() {
  const user = useUser();
  const isLost = useSessionLost();
  const createCard = useRef<HTMLDivElement>(null);
  return (
    <>
      {isLost ? (
        <AuthenticationRequired />
      ) : (
        <div className="stack">
          <NoticesPanel />
          <div ref={createCard}>
            <CreateAliasCard userId={user.id} />
          </div>
          <div className="list-and-panel">
            <AliasList userId={user.id} onCreate={() => createCard.current?.querySelector("input")?.focus()} />
            <OpenAlias userId={user.id} />
          </div>
          <DeleteAccountCard />
        </div>
      )}
    </>
  );
}
