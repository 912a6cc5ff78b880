import { type MouseEvent, type ReactNode, useEffect } from "react";
import { Link } from "wouter";
import { heldInvite } from "../../api/session/held-invite.ts";
import { useInvitedSignIn, useWalletSignIn } from "../../api/session/sign-in.ts";
import { normalizePath } from "../../app/path.ts";
import { personalScreenAt } from "../../app/screens.ts";
import { rich, t } from "../../texts/texts.ts";
import { NeedsScript } from "../../ui/Spinner.tsx";
import { ConnectWallet } from "../wallet/ConnectWallet.tsx";
import { useWalletAction } from "../wallet/use-wallet-action.tsx";
import { useAfterSignIn } from "./after-sign-in.ts";
import { GoogleButton } from "./GoogleButton.tsx";
import { sayGoogleFailure, sayGoogleIsOff, showGoogleFailure } from "./google-failure.ts";

function WalletButton() {
  const wallet = useWalletAction(useWalletSignIn(), { onSuccess: useAfterSignIn() });
  return <ConnectWallet wallet={wallet} />;
}

/** A sign-in on a page for signed-in users returns to that page, instead of to the dashboard. */
function returnHere({ currentTarget }: MouseEvent): void {
  const path = normalizePath(window.location.pathname);
  if (personalScreenAt(path) !== null && currentTarget instanceof HTMLAnchorElement)
    currentTarget.search = `?returnTo=${path}`;
}

/** An invite must be in no URL, so it is sent before the issuer's page is opened. */
function useGoogleClick(): (event: MouseEvent) => void {
  const begin = useInvitedSignIn();
  return (event) => {
    const invite = heldInvite();
    if (invite === null) return returnHere(event);
    event.preventDefault();
    if (!begin.isPending) begin.mutate(invite, { onError: sayGoogleFailure });
  };
}

export function OtherWays() {
  useEffect(showGoogleFailure, []);
  const onGoogleClick = useGoogleClick();
  return (
    <>
      <div className="or">{t("Or continue with")}</div>
      <div className="alt">
        <WalletButton />
        <GoogleButton className="btn btn-block" onClick={onGoogleClick} onOffClick={sayGoogleIsOff} />
      </div>
    </>
  );
}

interface Props {
  title: string;
  /** Link from the sign-in form to registration, or back. */
  swap: ReactNode;
  children: ReactNode;
}

const OPEN = "M1 2.5 8 4.75l7-2.25V8A7 6.5 0 0 1 1 8zM3 7v2h4V7zm6 0v2h4V7z";
const SHUT = "M1 2.5 8 4.75l7-2.25V8A7 6.5 0 0 1 1 8zM3 8v1h4V8zm6 0v1h4V8z";

const rows = [
  [true, true, false],
  [false, true, true],
  [true, true, false],
];

function Crowd() {
  return (
    <svg className="crowd-bg" aria-hidden="true">
      <defs>
        <symbol id="mask-open" viewBox="0 0 16 16">
          <path fillRule="evenodd" d={OPEN} />
        </symbol>
        <symbol id="mask-shut" viewBox="0 0 16 16">
          <path fillRule="evenodd" d={SHUT} />
        </symbol>
        <pattern id="crowd" width="360" height="360" patternUnits="userSpaceOnUse">
          {rows.flatMap((row, y) =>
            row.map((open, x) => (
              <use
                key={`${x}-${y}`}
                href={open ? "#mask-open" : "#mask-shut"}
                x={32 + 120 * x}
                y={32 + 120 * y}
                width="56"
                height="56"
                fill="currentColor"
              />
            )),
          )}
        </pattern>
      </defs>
      <rect width="100%" height="100%" fill="url(#crowd)" />
      <use className="lit" href="#mask-open" x="392" y="272" width="56" height="56" />
    </svg>
  );
}

export function AuthFrame({ title, swap, children }: Props) {
  return (
    <AuthColumns title={title} swap={swap}>
      {children}
      <OtherWays />
      <p className="legal">
        {rich("By continuing you accept the <link>Terms of Service</link> and the <link2>Privacy Policy</link2>.", {
          link: (inner) => (
            <Link className="link" href="/terms">
              {inner}
            </Link>
          ),
          link2: (inner) => (
            <Link className="link" href="/privacy">
              {inner}
            </Link>
          ),
        })}
      </p>
    </AuthColumns>
  );
}

export function AuthColumns({ title, swap, children }: Props) {
  return (
    <main id="main" className="auth-grid" tabIndex={-1}>
      <div className="auth-form">
        <div>
          <h1>{title}</h1>
          <p className="swap">{swap}</p>
          <NeedsScript what={t("Signing in")} />
          {children}
        </div>
      </div>
      <aside className="auth-art" aria-hidden="true">
        <Crowd />
        <p>
          {rich("One click, new identity.<span>Your inbox stays safe.</span>", {
            span: (inner) => <span>{inner}</span>,
          })}
        </p>
      </aside>
    </main>
  );
}
