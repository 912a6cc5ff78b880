import type { SignInWire } from "@kauke/contract";
import { useState } from "react";
import { messageOf } from "../../api/error-text.ts";
import { useAskEmailConfirmation, useAskPasswordReset, useSignInWays } from "../../api/session/sign-in.ts";
import { t } from "../../texts/texts.ts";
import { Card, Setting } from "../../ui/Card.tsx";
import { Button } from "../../ui/Controls.tsx";
import { failureOf, Skeleton } from "../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { ChangePasswordDialog } from "./ChangePasswordDialog.tsx";
import { SettingFailed } from "./SettingsGroup.tsx";
import { useWaysIn } from "./use-ways-in.tsx";
import { GoogleRow, otherWaysText, WalletRow } from "./WayRows.tsx";

interface EmailRowProps {
  email: string;
  emailConfirmedAt: string | null;
  onChange: () => void;
}

function EmailRow({ email, emailConfirmedAt, onChange }: EmailRowProps) {
  const ask = useAskEmailConfirmation();
  const [wasSent, setWasSent] = useState(false);
  const isConfirmed = emailConfirmedAt !== null;
  const onAsk = () =>
    ask.mutate(undefined, {
      onSuccess: () => {
        setWasSent(true);
        showToast({ title: t("Confirmation Sent"), description: t("Open its link in this browser within 24 hours.") });
      },
      onError: (error) => showFailure(t("Not Sent"), messageOf(error, t("The message could not be sent"))),
    });
  const state = isConfirmed ? t("confirmed") : t("not confirmed");
  return (
    <Setting
      title={
        <>
          <span className="addr">{email}</span> <span className={isConfirmed ? "tag" : "tag tag-accent"}>{state}</span>
        </>
      }
      text={
        isConfirmed
          ? t("Known to be yours. Changes of how you sign in are told there.")
          : t("Confirm that it is yours: then changes of how you sign in are told there.")
      }
    >
      <div className="acts">
        {isConfirmed ? null : (
          <SubmitButton type="button" pending={ask.isPending} pendingLabel={t("Sending...")} onClick={onAsk}>
            {wasSent ? t("Send Again") : t("Send Confirmation")}
          </SubmitButton>
        )}
        <Button onClick={onChange}>{t("Change E-mail")}</Button>
      </div>
    </Setting>
  );
}

function PasswordRow({ email, onChange }: { email: string; onChange: () => void }) {
  return (
    <Setting title={t("Password")} text={t("A new one signs out every other device.")}>
      <Button onClick={onChange} aria-label={t("Change password of {email}", { email })}>
        {t("Change Password")}
      </Button>
    </Setting>
  );
}

/** A first password is set by mailed link only: a stranger at an unlocked browser can't open the mailbox. */
function NoPasswordRow({ email, ways }: { email: string; ways: SignInWire }) {
  const ask = useAskPasswordReset();
  const onAsk = () =>
    ask.mutate(email, {
      onSuccess: () =>
        showToast({ title: t("Link Sent"), description: t("You can set a password with it once, within 30 minutes.") }),
      onError: (error) => showFailure(t("Not Sent"), messageOf(error, t("The message could not be sent"))),
    });
  return (
    <Setting
      title={t("No password")}
      text={`${otherWaysText(ways)} ${t("A link to your e-mail sets a password as well.")}`}
    >
      <SubmitButton type="button" pending={ask.isPending} pendingLabel={t("Sending...")} onClick={onAsk}>
        {t("Send Link")}
      </SubmitButton>
    </Setting>
  );
}

function NoEmailRow({ ways, onAdd }: { ways: SignInWire; onAdd: () => void }) {
  return (
    <Setting
      title={t("No e-mail, no password")}
      text={`${otherWaysText(ways)} ${t("There is nothing else to keep secret, and nothing we could reset.")}`}
    >
      <Button onClick={onAdd}>{t("Add E-mail")}</Button>
    </Setting>
  );
}

function EmailRows({ ways, email, onChange }: { ways: SignInWire; email: string; onChange: () => void }) {
  const [isChanging, setIsChanging] = useState(false);
  return (
    <>
      <EmailRow email={email} emailConfirmedAt={ways.emailConfirmedAt} onChange={onChange} />
      {ways.hasPassword ? (
        <PasswordRow email={email} onChange={() => setIsChanging(true)} />
      ) : (
        <NoPasswordRow email={email} ways={ways} />
      )}
      {isChanging ? <ChangePasswordDialog email={email} onClose={() => setIsChanging(false)} /> : null}
    </>
  );
}

type RowsProps = Parameters<typeof useWaysIn>[0];

function Rows(given: RowsProps) {
  const { ways } = given;
  const { start, linking, giveUpWallet, dialogs } = useWaysIn(given);
  const onEmail = () => start("change-email");
  return (
    <>
      {ways.email === null ? (
        <NoEmailRow ways={ways} onAdd={onEmail} />
      ) : (
        <EmailRows ways={ways} email={ways.email} onChange={onEmail} />
      )}
      <WalletRow isLinked={ways.hasWallet} isLinking={linking === "wallet"} onStart={start} onGiveUp={giveUpWallet} />
      <GoogleRow isLinked={ways.hasGoogle} isLinking={linking === "google"} onStart={start} />
      {dialogs}
    </>
  );
}

function LoadingRow() {
  return (
    <div className="card-body setting" aria-hidden="true">
      <div className="grow">
        <Skeleton w="22ch" />
      </div>
    </div>
  );
}

export function SignInCard() {
  const query = useSignInWays();
  const { data: ways, dataUpdatedAt, refetch } = query;
  const failure = failureOf(query);
  return (
    <Card id="sign-in" title={t("Sign-in")} canFocus isBusy={ways === undefined && failure === null}>
      {ways !== undefined ? (
        <Rows ways={ways} loadedAt={dataUpdatedAt} reload={async () => (await refetch()).data} />
      ) : failure === null ? (
        <LoadingRow />
      ) : (
        <SettingFailed title={t("Your sign-in could not be loaded")} error={failure} onRetry={refetch} />
      )}
    </Card>
  );
}
