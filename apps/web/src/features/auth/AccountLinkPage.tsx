/** The page behind a mailed link about the account's e-mail; it changes nothing until a button is pressed. */
import type { UserWire } from "@kauke/contract";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useSession } from "../../api/session/session.ts";
import { t } from "../../texts/texts.ts";
import { Mask } from "../../ui/Mask.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { AuthFrame } from "./AuthFrame.tsx";
import { LinkOver, useLinkToken } from "./LinkPages.tsx";
import { SignInForm } from "./SignInForm.tsx";

const settings = { href: "/settings/account", label: t("Go to Settings") };

export const AccountLinkOver = ({ why }: { why: string }) => <LinkOver way={settings} why={why} />;

interface AccountLinkProps {
  signIn: { title: string; swap: string };
  /** Why a link may no longer work. */
  why: string;
  children: (token: string, user: UserWire) => ReactNode;
}

export function AccountLinkPage({ signIn, why, children }: AccountLinkProps) {
  const token = useLinkToken();
  const { user } = useSession();
  if (token === null) return <AccountLinkOver why={why} />;
  if (user === null)
    return (
      <AuthFrame {...signIn}>
        <SignInForm />
      </AuthFrame>
    );
  return children(token, user);
}

interface AccountLinkStepProps {
  title: string;
  /** Button that uses the link; absent once that is done. */
  button?: { label: string; pendingLabel: string; isPending: boolean; onPress: () => void };
  children: ReactNode;
}

export function AccountLinkStep({ title, button, children }: AccountLinkStepProps) {
  return (
    <main id="main" className="page lost" tabIndex={-1}>
      <Mask />
      <div role="status">
        <h1>{title}</h1>
        <p className="muted mt-3 max-w-[36rem]">{children}</p>
      </div>
      {button === undefined ? (
        <Link className="btn mt-3" href={settings.href}>
          {settings.label}
        </Link>
      ) : (
        <SubmitButton
          type="button"
          className="btn-primary mt-3"
          pending={button.isPending}
          pendingLabel={button.pendingLabel}
          onClick={button.onPress}
        >
          {button.label}
        </SubmitButton>
      )}
    </main>
  );
}
