/** Confirming a mailbox needs no sign-in; opening the page changes nothing. */
import type { ConfirmationChoice, ConfirmationLinkStanding, ConfirmationState } from "@kauke/contract";
import { Link, useLocation } from "wouter";
import { ApiError } from "../api/api-error.ts";
import { messageOf } from "../api/error-text.ts";
import { useConfirmation, useDecideConfirmation } from "../api/mailboxes.ts";
import { useSession } from "../api/session/session.ts";
import { normalizePath } from "../app/path.ts";
import { readConfirmationPath } from "../app/screens.ts";
import { t } from "../texts/texts.ts";
import { Mask } from "../ui/Mask.tsx";
import { PageSpinner } from "../ui/Spinner.tsx";
import { SubmitButton } from "../ui/SubmitButton.tsx";
import { showFailure } from "../ui/toast-store.ts";

interface Words {
  heading: string | ((mailbox?: string) => string);
  text: string;
}

/** Not every link's mailbox is named by the server. */
const confirmedHeading = (mailbox?: string) =>
  mailbox === undefined ? t("This mailbox is confirmed") : t("{mailbox} is confirmed", { mailbox });

const words: Record<ConfirmationState, Words> = {
  new: { heading: t("Is this mailbox yours?"), text: "" },
  asked: {
    heading: t("Is this mailbox yours?"),
    text: t(
      "Somebody with an account here has mail forwarded to the mailbox this link was sent to. Nothing happens until you press a button.",
    ),
  },
  confirmed: {
    heading: confirmedHeading,
    text: t(
      "Mail is forwarded to it without the limits for unconfirmed mailboxes. You can change your mind here as long as the link works.",
    ),
  },
  refused: {
    heading: t("Nothing is forwarded here any more"),
    text: t(
      "That account no longer forwards anything to this mailbox. Other accounts still may; you can block the mailbox for all of them.",
    ),
  },
  blocked: {
    heading: t("This mailbox is blocked on this server"),
    text: t("No account can forward anything to it from here any more. We store no readable address for that."),
  },
};

interface Action {
  choice: ConfirmationChoice;
  label: string;
  pendingLabel: string;
  look: string;
}

const confirmedWords: Record<NonNullable<ConfirmationLinkStanding["signIn"]>, Words> = {
  confirmed: {
    heading: confirmedHeading,
    text: t(
      "It is confirmed as a mailbox, so that mail is forwarded to it without limits, and as the e-mail that the account signs in with. You can change your mind about the mailbox here as long as the link works.",
    ),
  },
  open: {
    heading: confirmedHeading,
    text: t(
      "Mail is forwarded to it without the limits for unconfirmed mailboxes. Still open: the account signs in with the same address, and that is not confirmed. Sign in to that account and open this link again, or confirm it there in Settings.",
    ),
  },
};

const mine: Action = {
  choice: "mine",
  label: t("This is mine"),
  pendingLabel: t("Confirming..."),
  look: "btn-primary",
};
const notMine: Action = { choice: "not_mine", label: t("This is not mine"), pendingLabel: t("Saving..."), look: "" };
const block: Action = {
  choice: "block",
  label: t("Block this mailbox here"),
  pendingLabel: t("Blocking..."),
  look: "btn-danger-line",
};

/** Confirms an account's sign-in e-mail whose mailbox is confirmed already; needs a session of that account. */
const mineToo: Action = { ...mine, label: t("Confirm the sign-in e-mail") };
/** After a confirmation, the refusal is still there, but nobody should press it by the way. */
const notMineAfterAll: Action = { ...notMine, look: "btn-quiet" };

function actionsFor({ state, signIn }: ConfirmationLinkStanding, isNotMine: boolean, isSignedIn: boolean): Action[] {
  if (state === "blocked") return [];
  if (signIn === "open" && isSignedIn) return [mineToo, notMineAfterAll];
  if (state === "confirmed") return [notMineAfterAll];
  if (state === "refused") return [block, { ...mine, look: "" }];
  return isNotMine
    ? [
        { ...notMine, look: "btn-primary" },
        { ...mine, look: "" },
      ]
    : [mine, notMine];
}

interface Props {
  token: string;
  standing: ConfirmationLinkStanding;
  isNotMine: boolean;
}

/** What comes next after a confirmation; `null` where an action of this page does. */
function nextStep({ state, signIn }: ConfirmationLinkStanding, isSignedIn: boolean) {
  if (state !== "confirmed") return null;
  if (signIn !== "open") return { label: t("Go to Dashboard"), href: "/dashboard" };
  return isSignedIn ? null : { label: t("Sign In"), href: "/settings" };
}

function ConfirmationCard({ token, standing, isNotMine }: Props) {
  const { user } = useSession();
  const decision = useDecideConfirmation(token);
  const { state, signIn, mailbox } = standing;
  const next = nextStep(standing, user !== null);
  const { heading, text } = signIn === undefined ? words[state] : confirmedWords[signIn];
  const onDecide = (choice: ConfirmationChoice) =>
    decision.mutate(choice, {
      onSuccess: (now) => {
        if (signIn === "open" && now.signIn === "open")
          showFailure(t("Not Confirmed"), t("You are signed in to another account than the one that forwards here."));
      },
      onError: (error) => showFailure(t("Not Saved"), messageOf(error, t("Your answer could not be saved"))),
    });
  return (
    <>
      <div role="status">
        <h1 className="wrap-anywhere">{typeof heading === "string" ? heading : heading(mailbox)}</h1>
        {state === "asked" && mailbox !== undefined ? <p className="mono mt-3 wrap-anywhere">{mailbox}</p> : null}
        <p className="muted mt-3 max-w-[36rem]">{text}</p>
      </div>
      <div className="mt-3 flex flex-wrap gap-3">
        {next === null ? null : (
          <Link className="btn btn-primary" href={next.href}>
            {next.label}
          </Link>
        )}
        {actionsFor(standing, isNotMine, user !== null).map(({ choice, label, pendingLabel, look }) => (
          <SubmitButton
            key={choice}
            type="button"
            className={look}
            pending={decision.isPending && decision.variables === choice}
            pendingLabel={pendingLabel}
            disabled={decision.isPending}
            onClick={() => onDecide(choice)}
          >
            {label}
          </SubmitButton>
        ))}
      </div>
    </>
  );
}

function LinkOver() {
  return (
    <main id="main" className="page lost" tabIndex={-1}>
      <Mask eyes="shut" />
      <h1>{t("Link not valid")}</h1>
      <p className="muted">{t("This link is unknown, or its 30 days are over.")}</p>
      <Link className="btn mt-3" href="/">
        {t("Back to start")}
      </Link>
    </main>
  );
}

function LoadFailed({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <main id="main" className="page lost" tabIndex={-1} role="alert">
      <Mask eyes="shut" />
      <h1>{t("The link could not be checked")}</h1>
      <p className="muted">{message}</p>
      <button type="button" className="btn mt-3" onClick={onRetry}>
        {t("Try again")}
      </button>
    </main>
  );
}

export function ConfirmPage() {
  const [location] = useLocation();
  const { token = "", isNotMine = false } = readConfirmationPath(normalizePath(location)) ?? {};
  const { data: standing, error, isFetching, refetch } = useConfirmation(token);
  if (standing !== undefined)
    return (
      <main id="main" className="page lost" tabIndex={-1}>
        <Mask eyes={standing.state === "refused" || standing.state === "blocked" ? "shut" : undefined} />
        <ConfirmationCard token={token} standing={standing} isNotMine={isNotMine} />
      </main>
    );
  if (error === null || isFetching) return <PageSpinner />;
  if (error instanceof ApiError && error.status === 404) return <LinkOver />;
  return <LoadFailed message={messageOf(error, t("Please try again."))} onRetry={() => void refetch()} />;
}
