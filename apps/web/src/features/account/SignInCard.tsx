/** How the account is signed in to: its e-mail, confirmed or not, and its password. */
import type { SignInWire } from "@kauke/contract";
import { useState } from "react";
import { messageOf } from "../../api/api-error.ts";
import { useAskEmailConfirmation, useAskPasswordReset, useSignInWays } from "../../api/sign-in.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { ChangePasswordDialog } from "./ChangePasswordDialog.tsx";
import { SettingFailed } from "./SettingFailed.tsx";
import { otherWaysText } from "./sign-in-text.ts";

function EmailRow({ email, emailConfirmedAt }: { email: string; emailConfirmedAt: string | null }) {
  const ask = useAskEmailConfirmation();
  const [wasSent, setWasSent] = useState(false);
  const isConfirmed = emailConfirmedAt !== null;
  const onAsk = () =>
    ask.mutate(undefined, {
      onSuccess: () => {
        setWasSent(true);
        showToast({ title: "Confirmation Sent", description: "Open its link in this browser within 24 hours." });
      },
      onError: (error) => showFailure("Not Sent", messageOf(error, "The message could not be sent")),
    });
  return (
    <div className="card-body setting">
      <div>
        <h4>
          <span className="addr">{email}</span>{" "}
          <span className={isConfirmed ? "tag" : "tag tag-accent"}>{isConfirmed ? "confirmed" : "not confirmed"}</span>
        </h4>
        <p>
          {isConfirmed
            ? "Known to be yours. Changes of your password are told there."
            : "Confirm that it is yours: then changes of your password are told there."}
        </p>
      </div>
      {isConfirmed ? null : (
        <SubmitButton type="button" className="" pending={ask.isPending} pendingLabel="Sending..." onClick={onAsk}>
          {wasSent ? "Send Again" : "Send Confirmation"}
        </SubmitButton>
      )}
    </div>
  );
}

function PasswordRow({ email, onChange }: { email: string; onChange: () => void }) {
  return (
    <div className="card-body setting">
      <div>
        <h4>Password</h4>
        <p>A new one signs out every other device.</p>
      </div>
      <button type="button" className="btn" onClick={onChange} aria-label={`Change password of ${email}`}>
        Change Password
      </button>
    </div>
  );
}

/** The mailbox is the proof, so that nobody at an open browser can leave a password of theirs behind. */
function NoPasswordRow({ email, ways }: { email: string; ways: SignInWire }) {
  const ask = useAskPasswordReset();
  const onAsk = () =>
    ask.mutate(email, {
      onSuccess: () => showToast({ title: "Link Sent", description: "It sets a password, once, within 30 minutes." }),
      onError: (error) => showFailure("Not Sent", messageOf(error, "The message could not be sent")),
    });
  return (
    <div className="card-body setting">
      <div>
        <h4>No password</h4>
        <p>{otherWaysText(ways)} A link to your e-mail sets a password as well.</p>
      </div>
      <SubmitButton type="button" className="" pending={ask.isPending} pendingLabel="Sending..." onClick={onAsk}>
        Send Link
      </SubmitButton>
    </div>
  );
}

function NoEmailRow({ ways }: { ways: SignInWire }) {
  return (
    <div className="card-body setting">
      <div>
        <h4>No e-mail, no password</h4>
        <p>{otherWaysText(ways)} There is nothing else to keep secret, and nothing we could reset.</p>
      </div>
    </div>
  );
}

function Rows({ ways }: { ways: SignInWire }) {
  const [isChanging, setIsChanging] = useState(false);
  const { email, emailConfirmedAt, hasPassword } = ways;
  if (email === null) return <NoEmailRow ways={ways} />;
  return (
    <>
      <EmailRow email={email} emailConfirmedAt={emailConfirmedAt} />
      {hasPassword ? (
        <PasswordRow email={email} onChange={() => setIsChanging(true)} />
      ) : (
        <NoPasswordRow email={email} ways={ways} />
      )}
      {isChanging ? <ChangePasswordDialog email={email} onClose={() => setIsChanging(false)} /> : null}
    </>
  );
}

function LoadingRow() {
  return (
    <div className="card-body setting" aria-hidden="true">
      <div className="grow">
        <span className="skel" style={{ "--w": "22ch" } as React.CSSProperties} />
      </div>
    </div>
  );
}

export function SignInCard() {
  const { data: ways, error, isFetching, refetch } = useSignInWays();
  const failed = ways === undefined && error !== null && !isFetching ? error : null;
  return (
    <section className="card" aria-labelledby="sign-in" aria-busy={ways === undefined && failed === null}>
      <div className="card-head">
        <h3 id="sign-in">Sign-in</h3>
      </div>
      {ways !== undefined ? (
        <Rows ways={ways} />
      ) : failed === null ? (
        <LoadingRow />
      ) : (
        <SettingFailed title="Your sign-in could not be loaded" error={failed} onRetry={() => void refetch()} />
      )}
    </section>
  );
}
