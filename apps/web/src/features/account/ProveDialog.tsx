import { zodResolver } from "@hookform/resolvers/zod";
import { passwordProofBody, type SignInWire, type WaysInAction } from "@kauke/contract";
import { Mail } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useForm } from "react-hook-form";
import { fieldMessages, messageOf } from "../../api/error-text.ts";
import { useAskSignInLink } from "../../api/session/sign-in.ts";
import { useProveByGoogle, useProveByPassword, useProveByWallet } from "../../api/session/ways-in.ts";
import { rich, t } from "../../texts/texts.ts";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import { FieldError } from "../../ui/Field.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { CurrentPasswordField, HiddenUsername } from "../auth/AuthFields.tsx";
import { isGoogleOff } from "../auth/GoogleButton.tsx";
import { ConnectWallet } from "../wallet/ConnectWallet.tsx";
import { useWalletAction } from "../wallet/use-wallet-action.tsx";

interface Props {
  ways: SignInWire;
  action: WaysInAction;
  /** Whether the server accepts the current sign-in as fresh by now. */
  checkFresh: () => Promise<boolean>;
  onProven: () => void;
  onClose: () => void;
}

const notSignedIn = t("Sign-in Failed");

function PasswordForm({ email, onProven }: { email: string; onProven: () => void }) {
  const prove = useProveByPassword();
  const form = useForm({ resolver: zodResolver(passwordProofBody), defaultValues: { password: "" } });
  const onError = (error: Error) => {
    const [refused] = fieldMessages(error).filter(([field]) => field === "password");
    if (refused === undefined) showFailure(notSignedIn, messageOf(error, t("Please try again.")));
    else form.setError("password", { message: refused[1] }, { shouldFocus: true });
  };
  const onSubmit = form.handleSubmit(({ password }) => prove.mutate(password, { onSuccess: onProven, onError }));
  return (
    <form className="prove-form" onSubmit={onSubmit} noValidate>
      <HiddenUsername email={email} />
      <CurrentPasswordField error={form.formState.errors.password?.message} {...form.register("password")} />
      <SubmitButton className="btn-primary btn-block" pending={prove.isPending} pendingLabel={t("Signing in...")}>
        {t("Continue")}
      </SubmitButton>
    </form>
  );
}

function WalletWay({ onProven }: { onProven: () => void }) {
  return <ConnectWallet wallet={useWalletAction(useProveByWallet(), { onSuccess: onProven })} />;
}

function GoogleWay({ action }: { action: WaysInAction }) {
  const prove = useProveByGoogle();
  const onError = (error: Error) => showFailure(notSignedIn, messageOf(error, t("Please try again.")));
  return (
    <SubmitButton
      type="button"
      className="btn-block"
      // The button stays pending after success, because the browser is leaving the page.
      pending={prove.isPending || prove.isSuccess}
      pendingLabel={t("Opening Google...")}
      onClick={() => prove.mutate(action, { onError })}
    >
      <Mail className="i" aria-hidden="true" />
      {t("Continue with Google")}
    </SubmitButton>
  );
}

function LinkWay({ email, checkFresh, onProven }: { email: string } & Pick<Props, "checkFresh" | "onProven">) {
  const ask = useAskSignInLink();
  const [isChecking, setIsChecking] = useState(false);
  const [error, setError] = useState<string>();
  const onAsk = () =>
    ask.mutate(email, { onError: (failure) => showFailure(t("Not Sent"), messageOf(failure, t("Please try again."))) });
  const onContinue = async () => {
    setIsChecking(true);
    const isFresh = await checkFresh().catch(() => false);
    setIsChecking(false);
    if (isFresh) onProven();
    else setError(t("You have not signed in by the link yet."));
  };
  if (!ask.isSuccess)
    return (
      <SubmitButton
        type="button"
        className="btn-block"
        pending={ask.isPending}
        pendingLabel={t("Sending...")}
        onClick={onAsk}
      >
        {t("E-mail Me a Sign-in Link")}
      </SubmitButton>
    );
  return (
    <div className="prove-form">
      <p className="hint" role="status">
        {rich("A link is on its way to {span}. Open it in this browser, then come back here.", {
          span: <span className="addr">{email}</span>,
        })}
      </p>
      <SubmitButton
        type="button"
        className="btn-block"
        pending={isChecking}
        pendingLabel={t("Checking...")}
        onClick={() => void onContinue()}
      >
        {t("I Have Signed In")}
      </SubmitButton>
      <FieldError id="prove-link-error">{error}</FieldError>
    </div>
  );
}

/** Offers no link to an unconfirmed e-mail, because using it would remove the other sign-in methods. */
function otherWays({ ways, action, checkFresh, onProven }: Omit<Props, "onClose">): ReactNode[] {
  const { email, emailConfirmedAt, hasWallet, hasGoogle } = ways;
  return [
    hasWallet && <WalletWay key="wallet" onProven={onProven} />,
    hasGoogle && !isGoogleOff() && <GoogleWay key="google" action={action} />,
    email !== null && emailConfirmedAt !== null && <LinkWay key="link" {...{ email, checkFresh, onProven }} />,
  ].filter((way) => way !== false);
}

export function ProveDialog({ onClose, ...props }: Props) {
  const { email, hasPassword } = props.ways;
  const others = otherWays(props);
  return (
    <Dialog
      title={t("Sign in again")}
      description={t("How you sign in can be changed within five minutes of signing in.")}
      onClose={onClose}
    >
      <div className="body prove">
        {email !== null && hasPassword ? <PasswordForm email={email} onProven={props.onProven} /> : null}
        {hasPassword && others.length > 0 ? <div className="or">{t("Or continue with")}</div> : null}
        {others}
        {hasPassword || others.length > 0 ? null : (
          <p className="hint">{t("Sign out and in again, then come back here.")}</p>
        )}
      </div>
      <DialogFooter onCancel={onClose} />
    </Dialog>
  );
}
