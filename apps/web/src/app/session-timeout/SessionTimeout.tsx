import { sessionTimes } from "@kauke/contract";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useLocation } from "wouter";
import { countEvent } from "../../api/client.ts";
import { markSignedOut, setLeftPage } from "../../api/session/lost-session.ts";
import { endAtServer, leaveSession } from "../../api/session/session.ts";
import { t } from "../../texts/texts.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { countdownText } from "../../ui/text/time-text.ts";
import { sayLoggedOut, useLogOutButton } from "../use-log-out.ts";
import { InactivityWatch } from "./watch-inactivity.ts";

function useInactivity(userId: string) {
  const [secondsLeft, setSecondsLeft] = useState<number | null>(null);
  const watch = useRef<InactivityWatch>(null);
  const [, navigate] = useLocation();
  const onInactive = useEffectEvent(() => {
    setLeftPage(window.location.pathname + window.location.search);
    leaveSession(true);
    countEvent("logout");
    sayLoggedOut();
    navigate("/home");
    void endAtServer();
  });
  useEffect(() => {
    const outcomes = { onWarning: setSecondsLeft, onInactive: () => onInactive(), onRefused: markSignedOut };
    const started = new InactivityWatch(userId, outcomes);
    watch.current = started;
    return () => started.stop();
  }, [userId]);
  return { secondsLeft, stay: () => watch.current?.stay() };
}

interface DialogProps {
  secondsLeft: number;
  onStay: () => void;
}

function TimeoutDialog({ secondsLeft, onStay }: DialogProps) {
  const logOut = useLogOutButton();
  return (
    <Dialog
      title={t("Session Timeout Warning")}
      description={t("You will be logged out for inactivity in")}
      hasToChoose
      onClose={onStay}
    >
      <div className="body">
        <div className="count-down" role="timer">
          {countdownText(secondsLeft * 1000)}
        </div>
        <div className="drain" aria-hidden="true">
          <i style={{ transform: `scaleX(${secondsLeft / sessionTimes.warningSeconds})` }} />
        </div>
      </div>
      <footer>
        <button type="button" className="btn" onClick={logOut}>
          {t("Logout Now")}
        </button>
        <button type="button" className="btn btn-primary" autoFocus onClick={onStay}>
          {t("Stay Logged In")}
        </button>
      </footer>
    </Dialog>
  );
}

export function SessionTimeout({ userId }: { userId: string }) {
  const { secondsLeft, stay } = useInactivity(userId);
  return secondsLeft === null ? null : <TimeoutDialog secondsLeft={secondsLeft} onStay={stay} />;
}
