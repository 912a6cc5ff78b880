import type { ConfirmationState, MailboxWire } from "@kauke/contract";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useAskConfirmation, useChangeDefaults, useFreshMailboxes } from "../../api/mailboxes.ts";
import { useUser } from "../../api/session/session.ts";
import { t } from "../../texts/texts.ts";
import { Card } from "../../ui/Card.tsx";
import { Button, IconButton } from "../../ui/Controls.tsx";
import { Empty, failureOf, LoadedList, Skeleton } from "../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useKeptFocus } from "../../ui/use-kept-focus.ts";
import { useForwarding } from "../forwarding/NeedsEngine.tsx";
import { AddMailboxDialog } from "./AddMailboxDialog.tsx";
import { aliasCountText, stateTag, stateTexts, stateTextsWithProvider } from "./mailbox-text.ts";
import { RemoveMailboxDialog } from "./RemoveMailboxDialog.tsx";

const noMailboxes = (
  <Empty
    heading="h4"
    eyes="open"
    title={t("No mailboxes yet")}
    text={t("Add the addresses that your aliases forward to. Each gets one message that asks whether it is yours.")}
  />
);

function LoadingMailboxes() {
  return (
    <ul className="mailboxes" aria-hidden="true">
      {[22, 17].map((width) => (
        <li key={width}>
          <Skeleton w={`${width}ch`} />
          <Skeleton />
        </li>
      ))}
    </ul>
  );
}

function SendButton({ address, state }: { address: string; state: ConfirmationState }) {
  const ask = useAskConfirmation(useUser().id);
  const label = state === "new" ? t("Send Confirmation") : t("Send Again");
  const onClick = () =>
    ask.mutate(address, {
      onSuccess: () =>
        showToast({ title: t("Confirmation Sent"), description: t("Look for our message in {address}.", { address }) }),
      onError: (error) => showFailure(t("Not Sent"), refusalText(error, t("The confirmation could not be sent"))),
    });
  return (
    <SubmitButton
      type="button"
      className="btn-sm"
      label={ask.isPending ? t("Sending... to {address}", { address }) : `${label}: ${address}`}
      pending={ask.isPending}
      pendingLabel={t("Sending...")}
      onClick={onClick}
    >
      {label}
    </SubmitButton>
  );
}

function DefaultButton({ mailbox: { id, email: address } }: { mailbox: MailboxWire }) {
  const change = useChangeDefaults();
  const onClick = () =>
    change.mutate(
      { mailboxId: id },
      {
        onSuccess: () => showToast({ title: t("Default Mailbox Changed"), description: address }),
        onError: (error) =>
          showFailure(t("Update Failed"), refusalText(error, t("Failed to change the default mailbox"))),
      },
    );
  return (
    <SubmitButton
      type="button"
      className="btn-quiet btn-sm"
      label={change.isPending ? `${t("Saving...")} ${address}` : t("Make default: {address}", { address })}
      pending={change.isPending}
      pendingLabel={t("Saving...")}
      onClick={onClick}
    >
      {t("Make default")}
    </SubmitButton>
  );
}

function MailboxRow({ mailbox, onRemove }: { mailbox: MailboxWire; onRemove: () => void }) {
  const { email: address, state, isDefault, aliasCount } = mailbox;
  const isOpen = state === "new" || state === "asked";
  const isOwn = useUser().email?.toLowerCase() === address.toLowerCase();
  const texts = useForwarding() === null ? stateTexts : stateTextsWithProvider;
  const kept = useKeptFocus<HTMLLIElement>({ other: () => document.getElementById("mailboxes") });
  return (
    <li {...kept}>
      <div>
        <div className="name">
          <span className="addr">
            <b>{address}</b>
          </span>
          {isDefault ? <span className="tag">{t("default")}</span> : null}
          {state === "confirmed" ? null : <span className={stateTag[state].className}>{stateTag[state].text}</span>}
        </div>
        <p>
          {aliasCountText(aliasCount)}. {isOwn ? `${t("You sign in with it.")} ` : ""}
          {texts[state]}
        </p>
      </div>
      <div className="acts">
        {isOpen ? <SendButton {...{ address, state }} /> : null}
        {state === "confirmed" && !isDefault ? <DefaultButton mailbox={mailbox} /> : null}
        {isOwn ? null : (
          <IconButton
            icon={Trash2}
            label={t("Remove")}
            fullLabel={t("Remove {address}", { address })}
            className="danger"
            onClick={onRemove}
          />
        )}
      </div>
    </li>
  );
}

export function MailboxesCard() {
  const query = useFreshMailboxes();
  const mailboxes = query.data;
  const [opened, setOpened] = useState<"add" | MailboxWire | null>(null);
  const onClose = () => setOpened(null);
  const failure = failureOf(query);
  return (
    <Card
      id="mailboxes"
      title={t("Mailboxes")}
      canFocus
      aside={
        <div className="right">
          <Button isSmall icon={Plus} disabled={mailboxes === undefined} onClick={() => setOpened("add")}>
            {t("Add Mailbox")}
          </Button>
        </div>
      }
      isBusy={query.data === undefined && failure === null}
    >
      <LoadedList
        query={query}
        failedTitle={t("Your mailboxes could not be loaded")}
        loading={<LoadingMailboxes />}
        empty={noMailboxes}
      >
        {(mailboxes) => (
          <ul className="mailboxes" aria-labelledby="mailboxes">
            {mailboxes.map((mailbox) => (
              <MailboxRow key={mailbox.id} mailbox={mailbox} onRemove={() => setOpened(mailbox)} />
            ))}
          </ul>
        )}
      </LoadedList>
      {opened === "add" ? <AddMailboxDialog onClose={onClose} /> : null}
      {opened !== null && opened !== "add" ? <RemoveMailboxDialog mailbox={opened} onClose={onClose} /> : null}
    </Card>
  );
}
