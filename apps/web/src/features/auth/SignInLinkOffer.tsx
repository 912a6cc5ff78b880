/** Offers a sign-in link by mail; the text is the same whether there is an account or not. */
import { signInMessages } from "@kauke/contract";
import { Mail } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { messageOf } from "../../api/error-text.ts";
import { useAskSignInLink } from "../../api/session/sign-in.ts";
import { said } from "../../texts/said.ts";
import { rich, t } from "../../texts/texts.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { timeText } from "../../ui/text/time-text.ts";
import { showFailure } from "../../ui/toast-store.ts";

interface Props {
  /** E-mail as typed in the refused sign-in. */
  email: string;
}

function OfferText({ email, isSent, wait }: Props & { isSent: boolean; wait: string | null }) {
  if (wait !== null) return <p>{wait}</p>;
  if (isSent)
    return (
      <>
        <p>{said(signInMessages.resetSent)}</p>
        <p>{t("The link in it works once, for 30 minutes. Open it in this browser.")}</p>
      </>
    );
  return (
    <p>
      {rich("You don't have to wait: we can send a sign-in link to {span}.", {
        span: <span className="addr">{email}</span>,
      })}
    </p>
  );
}

export function SignInLinkOffer({ email }: Props) {
  const ask = useAskSignInLink();
  const [isSent, setIsSent] = useState(false);
  const [wait, setWait] = useState<string | null>(null);
  const panel = useRef<HTMLElement>(null);
  // Scrolls to the offer, which on small screens would be out of view.
  useEffect(() => panel.current?.scrollIntoView({ block: "nearest" }), []);
  const onAsk = () => {
    setWait(null);
    ask.mutate(email, {
      onSuccess: () => setIsSent(true),
      onError: (error) => {
        setWait(waitTextOf(error));
        showFailure(t("Not Sent"), messageOf(error, t("The message could not be requested.")));
      },
    });
  };
  return (
    <section className="by-link" aria-label={t("Sign in by e-mail")} ref={panel}>
      <div className="note note-plain">
        <Mail className="i" aria-hidden />
        <div className="min-w-0" role="status">
          <OfferText {...{ email, isSent, wait }} />
        </div>
      </div>
      <SubmitButton
        type="button"
        className="btn-block"
        pending={ask.isPending}
        pendingLabel={t("Asking...")}
        onClick={onAsk}
      >
        {isSent ? t("Send Another") : t("E-mail Me a Sign-in Link")}
      </SubmitButton>
    </section>
  );
}

/** A sign-in link is offered only at status 429, never for a wrong password. */
export function isLinkOffered(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429;
}

/** @example waitTextOf(error) // "You can ask for another one at 14:30." */
export function waitTextOf(error: unknown, now?: Date): string | null {
  if (!(error instanceof ApiError && error.rateLimited && error.resetTime !== undefined)) return null;
  const time = timeText(error.resetTime, now);
  return time === ""
    ? null
    : t("You can ask for another one at {time}. Until then, look for the last one that was sent.", { time });
}
