import type { SmtpCredentialWire } from "@kauke/contract";
import { ArrowUpRight, Copy, Trash2 } from "lucide-react";
import { type CSSProperties, useState } from "react";
import { countEvent } from "../../api/client.ts";
import type { useSmtpCalls } from "../../api/smtp-credentials.ts";
import { readLinks } from "../../app/page-settings.ts";
import { rich, t } from "../../texts/texts.ts";
import { Button, IconButton } from "../../ui/Controls.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { copyText } from "../../ui/text/copy-text.ts";
import { dayText } from "../../ui/text/time-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useForwarding } from "../forwarding/NeedsEngine.tsx";
import { PasswordState } from "../forwarding/SetUpState.tsx";
import { ProgramSetup } from "./ProgramSetup.tsx";
import { HiddenSecret, SecretActions, SecretStrip } from "./SecretStrip.tsx";
import { isOutdated, passwordFailureText, passwordOf, type Secret, secretFailure } from "./use-secret.ts";

interface Props {
  username: string;
  onConfirm: () => void;
  onClose: () => void;
}

function DeleteCredentialsDialog({ username, ...handlers }: Props) {
  return (
    <ConfirmDialog
      title={t("Delete SMTP credentials")}
      description={t("Mail programs that sign in as {username} can no longer send from it. This cannot be undone.", {
        username,
      })}
      label={t("Delete Credentials")}
      {...handlers}
    />
  );
}

const PORTS = t("587 (TLS) or 465 (SSL)");
const NAMED = t("SMTP password");
const PASSWORD_CH = 29;

const countCopy = () => countEvent("copy_smtp_credential");

interface CardProps {
  aliasId: string;
  host: string;
  /** Ports to show if the server runs on the user's own machine. */
  local: { submission: number; submissions: number } | null;
  setsUpPrograms: boolean;
  canTest: boolean;
  credential: SmtpCredentialWire;
  calls: ReturnType<typeof useSmtpCalls>;
  secret: Secret;
  onDeleted: () => void;
}

function useCredentialActions({ credential, calls, secret, onDeleted }: CardProps) {
  const provider = useForwarding();
  const failed = (error: unknown, [title, text]: [string, string]) => {
    showFailure(title, text);
    if (isOutdated(error)) void calls.refresh();
  };
  const read = async () => passwordOf(await calls.readPassword());
  const onReadFailed = (error: unknown) => failed(error, [t("Error"), passwordFailureText(error)]);
  const renew = async () => {
    const password = await calls.regenerate(credential.id);
    const description =
      provider === null
        ? t("The old password no longer works.")
        : t("The new one replaces the old one in a few seconds.");
    showToast({ title: t("Password Regenerated"), description });
    return password;
  };
  const remove = async () => {
    await calls.remove(credential.id);
    secret.hide();
    onDeleted();
    showToast({ title: t("SMTP Credentials Deleted"), description: credential.username });
  };
  return {
    view: () => secret.view(read).then(() => countEvent("smtp_password_viewed"), onReadFailed),
    copy: () => secret.copy(read, NAMED).then((isCopied) => isCopied && countCopy(), onReadFailed),
    renew: () =>
      secret.renew(renew).catch((error) => failed(error, secretFailure(error, t("Failed to regenerate password")))),
    remove: () =>
      secret
        .during("delete", remove)
        .catch((error) => failed(error, secretFailure(error, t("Failed to delete SMTP credentials")))),
  };
}

function SetupGuide() {
  const [links] = useState(readLinks);
  return (
    <a className="link" href={links.smtpGuide} target="_blank" rel="noreferrer">
      {t("Setup guide")}
      <ArrowUpRight className="i" aria-hidden />
    </a>
  );
}

/** @param copied text that is copied: of two ports the first one */
function Fact({ name, value, copied, copyLabel }: Record<"name" | "value" | "copied" | "copyLabel", string>) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        <IconButton icon={Copy} label={t("Copy")} fullLabel={copyLabel} onClick={() => void copyText(copied)} />
      </dd>
    </div>
  );
}

/** The server stores the day only. */
function LastUse({ day }: { day: string | null }) {
  return (
    <div className="last-use">
      <dt>{t("Last used")}</dt>
      <dd>{day === null ? t("Never") : <time dateTime={day}>{dayText(`${day}T00:00`)}</time>}</dd>
    </div>
  );
}

export function SmtpCredentialCard(props: CardProps) {
  const { aliasId, host, local, credential, secret } = props;
  const { revealed, busy } = secret;
  const actions = useCredentialActions(props);
  const [asking, setAsking] = useState(false);
  return (
    <div className="smtp" role="group" aria-label={t("SMTP credentials")}>
      <dl>
        <Fact name={t("Host")} value={host} copied={host} copyLabel={t("Copy host")} />
        <Fact name={t("Port")} value={PORTS} copied="587" copyLabel={t("Copy port")} />
        <Fact
          name={t("Username")}
          value={credential.username}
          copied={credential.username}
          copyLabel={t("Copy username")}
        />
        {revealed === null ? <HiddenSecret label={t("Password")} ch={PASSWORD_CH} /> : null}
        <LastUse day={credential.lastUsedOn} />
      </dl>
      {local === null ? null : (
        <p className="local">
          {rich("On this machine: {submission} or {submissions}", {
            submission: <span className="mono">localhost:{local.submission}</span>,
            submissions: <span className="mono">{local.submissions}</span>,
          })}
        </p>
      )}
      <PasswordState aliasId={aliasId} />
      {revealed === null ? null : (
        <SecretStrip
          key={revealed.until}
          revealed={revealed}
          noun="password"
          named={NAMED}
          onHide={secret.hide}
          onCopied={countCopy}
        />
      )}
      <SecretActions
        secret={secret}
        onView={() => void actions.view()}
        onCopy={() => void actions.copy()}
        onRenew={() => void actions.renew()}
      >
        <Button
          isSmall
          look="quiet"
          icon={Trash2}
          style={{ "--fg": "var(--color-danger)" } as CSSProperties}
          disabled={busy !== null}
          onClick={() => setAsking(true)}
        >
          {t("Delete")}
        </Button>
        <SetupGuide />
      </SecretActions>
      <ProgramSetup {...props} />
      {asking ? (
        <DeleteCredentialsDialog
          username={credential.username}
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            void actions.remove();
          }}
        />
      ) : null}
    </div>
  );
}
