import type { LoginSessionWire } from "@kauke/contract";
import { Monitor, Smartphone } from "lucide-react";
import { useRef, useState } from "react";
import { messageOf } from "../../api/error-text.ts";
import { useEndOtherSessions, useEndSession, useLoginSessions } from "../../api/session/sign-in.ts";
import { useLogOutButton } from "../../app/use-log-out.ts";
import { plural } from "../../texts/plural.ts";
import { rich, t } from "../../texts/texts.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/Controls.tsx";
import { failureOf, Skeleton } from "../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { timeText } from "../../ui/text/time-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useRevealed } from "../../ui/use-revealed.ts";
import { SettingFailed } from "./SettingsGroup.tsx";

const SHOWN_AT_FIRST = 5;
const titleId = "sessions";

const nameOf = ({ device }: LoginSessionWire): string => device ?? t("Unknown device");
const isHandheld = ({ device }: LoginSessionWire): boolean => /iPhone|iPad|Android/.test(device ?? "");
const onFailure = (error: Error) => showFailure(t("Not Ended"), messageOf(error, t("The session could not be ended")));

function SignOutButton() {
  const logOut = useLogOutButton();
  return (
    <Button isSmall look="quiet" onClick={logOut}>
      {t("Sign Out")}
    </Button>
  );
}

/** An ended session's row and its focused button disappear, so the card gets the focus. */
function focusCard(): void {
  document.getElementById(titleId)?.focus();
}

interface RowProps {
  session: LoginSessionWire;
  /** Tells apart sessions of one device that began in the same minute, e.g. `3 of 5`. */
  place: string;
}

function EndButton({ session, place }: RowProps) {
  const end = useEndSession();
  const which = t("{session}, signed in {time}, {place}", {
    session: nameOf(session),
    time: timeText(session.createdAt),
    place,
  });
  const onSuccess = () => {
    focusCard();
    showToast({ title: t("Session Ended"), description: nameOf(session) });
  };
  return (
    <SubmitButton
      type="button"
      className="btn-quiet btn-sm"
      label={end.isPending ? t("Ending... session: {which}", { which }) : t("End session: {which}", { which })}
      pending={end.isPending}
      pendingLabel={t("Ending...")}
      onClick={() => end.mutate(session.id, { onSuccess, onError: onFailure })}
    >
      {t("End")}
    </SubmitButton>
  );
}

function SessionRow({ session, place }: RowProps) {
  const Icon = isHandheld(session) ? Smartphone : Monitor;
  return (
    <li>
      <Icon className="i i-20" aria-hidden />
      <div>
        <div className="name">
          <span>{nameOf(session)}</span>
          {session.current ? <span className="tag">{t("this device")}</span> : null}
        </div>
        <p>
          {rich("Signed in {time}, last used {lastUsed}", {
            time: <time dateTime={session.createdAt}>{timeText(session.createdAt)}</time>,
            lastUsed: <time dateTime={session.lastSeenAt}>{timeText(session.lastSeenAt)}</time>,
          })}
        </p>
      </div>
      {session.current ? <SignOutButton /> : <EndButton session={session} place={place} />}
    </li>
  );
}

function EndOthers() {
  const end = useEndOtherSessions();
  const onSuccess = ({ ended }: { ended: number }) => {
    focusCard();
    showToast({
      title: t("Sessions Ended"),
      description: plural(ended, "Signed out on {count} other device.", "Signed out on {count} other devices.", {
        count: ended,
      }),
    });
  };
  return (
    <SubmitButton
      type="button"
      className="btn-danger-line"
      pending={end.isPending}
      pendingLabel={t("Ending...")}
      onClick={() => end.mutate(undefined, { onSuccess, onError: onFailure })}
    >
      {t("End All Others")}
    </SubmitButton>
  );
}

function Sessions({ sessions }: { sessions: readonly LoginSessionWire[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  useRevealed(list, isWhole, SHOWN_AT_FIRST);
  const shown = isWhole ? sessions : sessions.slice(0, SHOWN_AT_FIRST);
  return (
    <>
      <ul className="sessions-list" aria-labelledby={titleId} ref={list}>
        {shown.map((session, at) => (
          <SessionRow
            key={session.id}
            session={session}
            place={t("{number} of {count}", { number: at + 1, count: sessions.length })}
          />
        ))}
      </ul>
      <div className="card-foot">
        {sessions.length > 1 ? <EndOthers /> : <p className="hint">{t("You are signed in nowhere else.")}</p>}
        {shown.length < sessions.length ? (
          <Button isSmall look="quiet" onClick={() => setIsWhole(true)}>
            {t("Show All {count} Devices", { count: sessions.length })}
          </Button>
        ) : null}
      </div>
    </>
  );
}

function LoadingSessions() {
  return (
    <ul className="sessions-list" aria-hidden="true">
      <li>
        <Skeleton w="20px" />
        <Skeleton w="18ch" />
      </li>
    </ul>
  );
}

export function SessionsCard() {
  const query = useLoginSessions();
  const failure = failureOf(query);
  return (
    <Card id={titleId} title={t("Signed-in devices")} isBusy={query.data === undefined && failure === null} canFocus>
      {query.data !== undefined ? (
        <Sessions sessions={query.data} />
      ) : failure === null ? (
        <LoadingSessions />
      ) : (
        <SettingFailed title={t("Your devices could not be loaded")} error={failure} onRetry={query.refetch} />
      )}
    </Card>
  );
}
