import type { AliasWire } from "@kauke/contract";
import { useState } from "react";
import { messageOf } from "../../api/error-text.ts";
import { useSmtpCalls, useSmtpCredentials } from "../../api/smtp-credentials.ts";
import { t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { Empty, Skeleton } from "../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { addressOf } from "../aliases/alias-text.ts";
import { useForwarding } from "../forwarding/NeedsEngine.tsx";
import { SmtpCredentialCard } from "./SmtpCredentialCard.tsx";
import { isOutdated, secretFailure, useSecret } from "./use-secret.ts";

function Loading() {
  return (
    <div className="smtp" role="status">
      <span className="sr">{t("Loading...")}</span>
      <div className="waiting" aria-hidden="true">
        {[24, 36, 30].map((ch) => (
          <Skeleton key={ch} w={`${ch}ch`} />
        ))}
      </div>
    </div>
  );
}

function Failed({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <div className="smtp">
      <Empty title={t("The SMTP credentials could not be loaded")} text={message} role="alert">
        <Button isSmall onClick={onRetry}>
          {t("Try again")}
        </Button>
      </Empty>
    </div>
  );
}

interface NoCredentialsProps {
  pending: boolean;
  wasDeleted: boolean;
  onGenerate: () => void;
}

function NoCredentials({ pending, wasDeleted, onGenerate }: NoCredentialsProps) {
  return (
    <div className="smtp">
      <Empty title={t("No SMTP credentials yet")} text={t("Generate them to send mail from this alias.")}>
        <SubmitButton
          type="button"
          className="btn-sm"
          pending={pending}
          pendingLabel={t("Generating...")}
          autoFocus={wasDeleted}
          onClick={onGenerate}
        >
          {t("Generate credentials")}
        </SubmitButton>
      </Empty>
    </div>
  );
}

function Credentials({ alias }: { alias: AliasWire }) {
  const { data, error, isFetching, refetch } = useSmtpCredentials(alias);
  const calls = useSmtpCalls(alias);
  const secret = useSecret();
  const provider = useForwarding();
  const [wasDeleted, setWasDeleted] = useState(false);
  const create = async () => {
    const password = await calls.create();
    const address = addressOf(alias);
    showToast({
      title: t("SMTP Credentials Generated"),
      description:
        provider === null
          ? t("{address} can send now.", { address })
          : t("{address} can send in a few seconds.", { address }),
    });
    return password;
  };
  const onCreateFailed = (refused: unknown) => {
    showFailure(...secretFailure(refused, t("Failed to create SMTP credentials")));
    if (isOutdated(refused)) void calls.refresh();
  };
  if (data === undefined && !isFetching && error !== null)
    return <Failed message={messageOf(error, t("Something went wrong."))} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const credential = data.credentials[0];
  if (credential === undefined)
    return (
      <NoCredentials
        pending={secret.busy === "create"}
        wasDeleted={wasDeleted}
        onGenerate={() => void secret.renew(create, "create").catch(onCreateFailed)}
      />
    );
  return (
    <SmtpCredentialCard
      {...{ ...data, credential, calls, secret, aliasId: alias.id }}
      onDeleted={() => setWasDeleted(true)}
    />
  );
}

/** The alias' SMTP credentials, in the alias panel. */
export function SmtpPanel({ alias }: { alias: AliasWire }) {
  return (
    <section className="smtp-panel" aria-label={t("SMTP settings of {address}", { address: addressOf(alias) })}>
      <Credentials alias={alias} />
    </section>
  );
}
