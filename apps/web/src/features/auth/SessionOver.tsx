/** Signs in over a page whose session was lost: the same user goes on with it, another one gets a fresh page. */
import { useLocation } from "wouter";
import { leaveSession, useSession } from "../../api/session/session.ts";
import { sayLoggedOut } from "../../app/use-log-out.ts";
import { t } from "../../texts/texts.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { OtherWays } from "./AuthFrame.tsx";
import { SignInForm } from "./SignInForm.tsx";

const stay = () => {};

/** @param findFocus the element that had the focus when the session was lost */
export function SessionOver({ findFocus }: { findFocus: () => Element | null }) {
  const { user } = useSession();
  const [, navigate] = useLocation();
  const onLeave = () => {
    leaveSession();
    sayLoggedOut();
    navigate("/home");
  };
  return (
    <Dialog
      title={t("Authentication Required")}
      description={t("Your session has ended. Sign in or connect a wallet to go on: what you typed is still here.")}
      hasToChoose
      returnTo={() => {
        const element = findFocus();
        return element instanceof HTMLElement && element !== document.body ? element : null;
      }}
      onClose={stay}
    >
      <div className="body session-over">
        <SignInForm email={user?.email ?? undefined} />
        <OtherWays />
      </div>
      <footer>
        <button type="button" className="btn" onClick={onLeave}>
          {t("Leave This Page")}
        </button>
      </footer>
    </Dialog>
  );
}
