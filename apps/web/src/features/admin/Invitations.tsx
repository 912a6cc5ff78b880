import type { OpenInviteWire, RegistrationMode } from "@kauke/contract";
import { Copy, Info, Plus } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { type AdminResponse, useCreateInvite, useInvites, useRevokeInvite } from "../../api/admin.ts";
import { ApiError } from "../../api/api-error.ts";
import { fieldMessages } from "../../api/error-text.ts";
import { plural } from "../../texts/plural.ts";
import { rich, t } from "../../texts/texts.ts";
import { Card } from "../../ui/Card.tsx";
import { Button, Select } from "../../ui/Controls.tsx";
import { ConfirmDialog, Dialog, FormDialog } from "../../ui/Dialog.tsx";
import { TextField, verbatim } from "../../ui/Field.tsx";
import { Empty, failureOf, LoadedList } from "../../ui/LoadFailed.tsx";
import { copySecret } from "../../ui/text/copy-text.ts";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { PartFailed, usePart } from "../../ui/use-part.tsx";
import { AddressSwitch } from "./Accounts.tsx";
import { LoadingRows, Time } from "./AdminParts.tsx";

const loadQr = async () => (await import("../../ui/QrCode.tsx")).QrCode;

const dayChoices = [1, 7, 14, 30, 90] as const;
const DAYS_AT_FIRST = 7;

type Made = AdminResponse<"createInvite">;

const modeNotes: Readonly<Record<RegistrationMode, string | null>> = {
  invite: null,
  open: t("Registration is open: at the moment nobody needs an invitation."),
  closed: t("Registration is closed: the link works only once it is by invitation again."),
};

/** The link is in no cache, so that closing the dialog is the end of it here. */
function NewLink({ made: { link, expiresAt, registration }, onClose }: { made: Made; onClose: () => void }) {
  const { part: qr, hasFailed } = usePart(true, loadQr);
  const note = modeNotes[registration];
  return (
    <Dialog
      hasToChoose
      title={t("Your invitation")}
      description={t("Copy the link now, or let the other person scan it. It is not shown again.")}
      onClose={onClose}
    >
      <div className="body">
        <div className="key-entries">
          <div className="key-entry">
            <span className="caption">{rich("Works once, until {time}", { time: <Time iso={expiresAt} /> })}</span>
            <code>{link}</code>
            <Button
              isSmall
              look="ink"
              icon={Copy}
              autoFocus
              onClick={() => void copySecret(Promise.resolve(link), t("Invitation link"))}
            >
              {t("Copy Link")}
            </Button>
          </div>
        </div>
        {hasFailed ? <PartFailed what={t("The QR code")} canReload={false} /> : null}
        <div className="qr-box">
          {qr === null ? null : <qr.component text={link} label={t("the invitation link")} />}
        </div>
        {note === null ? null : (
          <div className="note">
            <Info className="i" aria-hidden />
            <div>{note}</div>
          </div>
        )}
      </div>
      <footer>
        <Button look="primary" onClick={onClose}>
          {t("Done")}
        </Button>
      </footer>
    </Dialog>
  );
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const id = useId();
  const create = useCreateInvite();
  const [made, setMade] = useState<Made | null>(null);
  const [address, setAddress] = useState("");
  const [error, setError] = useState<string>();
  const [days, setDays] = useState<number>(DAYS_AT_FIRST);
  const [isBusy, setIsBusy] = useState(false);
  if (made !== null) return <NewLink made={made} onClose={onClose} />;
  const run = async () => {
    setIsBusy(true);
    try {
      setMade(await create({ days, ...(address.trim() === "" ? {} : { address: address.trim() }) }));
    } catch (failure) {
      const [[, wrong] = []] = fieldMessages(failure);
      const text = wrong ?? refusalText(failure, t("The invitation could not be created. Please try again."));
      if (failure instanceof ApiError && failure.status >= 400 && failure.status < 500) setError(text);
      else showFailure(t("Invitation Not Created"), text);
    } finally {
      setIsBusy(false);
    }
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isBusy) void run();
  };
  return (
    <FormDialog
      title={t("Create invitation")}
      description={t("A link with which one person can make one account.")}
      label={t("Create Invitation")}
      pending={isBusy}
      pendingLabel={t("Creating...")}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextField
        label={t("Only for this address")}
        aside={<span className="opt">{t("optional")}</span>}
        type="email"
        mono
        placeholder="friend@example.org"
        {...verbatim}
        error={error}
        value={address}
        onChange={(event) => {
          setError(undefined);
          setAddress(event.target.value);
        }}
      />
      <div className="field">
        <label htmlFor={id}>{t("Expires")}</label>
        <Select
          id={id}
          value={days}
          options={dayChoices.map((count) => [count, plural(count, "In {count} day", "In {count} days", { count })])}
          onChange={(event) => setDays(Number(event.target.value))}
        />
      </div>
    </FormDialog>
  );
}

function RevokeDialog({ invite: { id }, onClose }: { invite: OpenInviteWire; onClose: () => void }) {
  const revoke = useRevokeInvite();
  const onRevoke = () =>
    revoke.mutate(id, {
      onSuccess: () => {
        showToast({ title: t("Invitation Revoked") });
        onClose();
      },
      onError: (error) => showFailure(t("Not Revoked"), refusalText(error, t("The invitation could not be revoked."))),
    });
  return (
    <ConfirmDialog
      title={t("Revoke invitation")}
      description={t("Its link stops working at once. Accounts that exist stay. This cannot be undone.")}
      label={t("Revoke Invitation")}
      pending={revoke.isPending}
      pendingLabel={t("Revoking...")}
      onConfirm={onRevoke}
      onClose={onClose}
    />
  );
}

function InviteRow({ invite, onRevoke }: { invite: OpenInviteWire; onRevoke: () => void }) {
  const { createdAt, expiresAt, isBound, address } = invite;
  const whose = address ?? (isBound ? t("For one address") : t("For anybody who has the link"));
  return (
    <li>
      <div>
        <h4 className={address ? "addr" : undefined}>{address ? <b>{address}</b> : whose}</h4>
        <p>
          {rich("Created {created}, expires {expires}.", {
            created: <Time iso={createdAt} />,
            expires: <Time iso={expiresAt} />,
          })}
        </p>
      </div>
      <div className="acts">
        <Button
          isSmall
          look="danger-line"
          aria-label={
            address
              ? t("Revoke the invitation of {address}", { address })
              : t("Revoke the invitation from {time}", { time: createdAt.slice(0, 16) })
          }
          onClick={onRevoke}
        >
          {t("Revoke")}
        </Button>
      </div>
    </li>
  );
}

const noInvites = (
  <Empty
    heading="h4"
    eyes="open"
    title={t("No open invitations")}
    text={t("Those that were used or have expired are not listed.")}
  />
);

export function InvitationsSection() {
  const id = useId();
  const [isShown, setIsShown] = useState(false);
  const [opened, setOpened] = useState<"create" | OpenInviteWire | null>(null);
  const query = useInvites(isShown);
  const onClose = () => setOpened(null);
  const failure = failureOf(query);
  return (
    <>
      <div className="section-acts">
        <Button look="primary" icon={Plus} onClick={() => setOpened("create")}>
          {t("Create Invitation")}
        </Button>
      </div>
      <Card
        id={id}
        title={t("Open invitations")}
        aside={<AddressSwitch isShown={isShown} onChange={setIsShown} />}
        isBusy={query.data === undefined && failure === null}
      >
        <LoadedList
          query={query}
          failedTitle={t("The invitations could not be loaded")}
          loading={<LoadingRows widths={[22, 26]} />}
          empty={noInvites}
        >
          {(invites) => (
            <ul className="admin-rows" aria-labelledby={id}>
              {invites.map((invite) => (
                <InviteRow key={invite.id} invite={invite} onRevoke={() => setOpened(invite)} />
              ))}
            </ul>
          )}
        </LoadedList>
      </Card>
      {opened === "create" ? <CreateDialog onClose={onClose} /> : null}
      {opened !== null && opened !== "create" ? <RevokeDialog invite={opened} onClose={onClose} /> : null}
    </>
  );
}
