/** A message once enqueued is followed by job-tracker.ts. */
import { type RecipientKind, recipientKinds } from "@kauke/contract";
import { Clock, Send, X } from "lucide-react";
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { t } from "../../texts/texts.ts";
import { Button, IconButton } from "../../ui/Controls.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { addressOf } from "../aliases/alias-text.ts";
import { AttachmentsRow } from "./AttachmentsRow.tsx";
import { EncryptionSection } from "./EncryptionSection.tsx";
import { FieldRow, MessageBody } from "./FieldRow.tsx";
import { FromRow } from "./FromRow.tsx";
import { LeakNote, selectPlace } from "./LeakNote.tsx";
import { replacePlaces } from "./leak-places.ts";
import { isBlank } from "./letter.ts";
import { type Person, RecipientsRow } from "./RecipientsRow.tsx";
import { ScheduleDialog } from "./ScheduleDialog.tsx";
import { dayAndTime } from "./schedule.ts";
import { type Compose, useCompose } from "./use-compose.ts";
import type { ComposeProps } from "./use-send.ts";

export interface FormProps extends ComposeProps {
  people: readonly Person[];
  /** Whether the form was opened by an act on this page, which then has the focus. */
  takesFocus: boolean;
}

type Part = Pick<Compose, "letter" | "refusals" | "change">;

const labels: Readonly<Record<RecipientKind, string>> = { to: t("To"), cc: t("Cc"), bcc: t("Bcc") };

function Recipients({ letter, refusals, change, people }: Part & Pick<FormProps, "people">) {
  const [opened, setOpened] = useState<readonly RecipientKind[]>([]);
  const isFilled = (kind: RecipientKind) => letter[kind].entries.length > 0 || letter[kind].text !== "";
  const hidden = (["cc", "bcc"] as const).filter((kind) => !opened.includes(kind) && !isFilled(kind));
  const shown = recipientKinds.filter((kind) => kind === "to" || !hidden.includes(kind));
  return shown.map((kind) => (
    <RecipientsRow
      key={kind}
      label={labels[kind]}
      field={letter[kind]}
      people={people}
      error={refusals.problems[kind]}
      takesFocus={opened.at(-1) === kind}
      onChange={(field) => change({ [kind]: field })}
    >
      {kind === "to" ? (
        <div className="more">
          {hidden.map((other) => (
            <button key={other} type="button" onClick={() => setOpened([...opened, other])}>
              {labels[other]}
            </button>
          ))}
        </div>
      ) : null}
    </RecipientsRow>
  ));
}

interface TextsProps extends Part {
  alias: string;
}

function Texts({ letter, refusals, change, alias }: TextsProps) {
  const subject = useRef<HTMLInputElement>(null);
  const body = useRef<HTMLTextAreaElement>(null);
  const { leaks, problems } = refusals;
  const leakNote =
    leaks === null ? null : (
      <LeakNote
        text={letter[leaks.field]}
        places={leaks.places}
        onShow={(place) => selectPlace(leaks.field === "body" ? body.current : subject.current, place)}
        onReplace={() => {
          change({ [leaks.field]: replacePlaces(letter[leaks.field], leaks.places, alias) });
          (leaks.field === "body" ? body.current : subject.current)?.focus();
        }}
      />
    );
  useEffect(() => {
    const [first] = leaks?.places ?? [];
    if (leaks !== null && first !== undefined)
      selectPlace(leaks.field === "body" ? body.current : subject.current, first);
  }, [leaks]);
  return (
    <>
      <FieldRow label={t("Subject")} error={problems.subject} hint={leaks?.field === "subject" ? leakNote : null}>
        {(control) => (
          <input
            {...control}
            ref={subject}
            className="input"
            autoComplete="off"
            value={letter.subject}
            onChange={({ target }) => change({ subject: target.value })}
          />
        )}
      </FieldRow>
      <MessageBody label={t("Message")} error={problems.body} hint={leaks?.field === "body" ? leakNote : null}>
        {(control) => (
          <textarea
            {...control}
            ref={body}
            className="input"
            rows={12}
            autoComplete="off"
            value={letter.body}
            onChange={({ target }) => change({ body: target.value })}
          />
        )}
      </MessageBody>
    </>
  );
}

function Attachments({
  compose: { letter, refusals, addLetterFiles, removeLetterFile, retryLetterFile },
}: {
  compose: Compose;
}) {
  return (
    <AttachmentsRow
      files={letter.files}
      isEncrypted={letter.isEncrypted}
      error={refusals.problems.attachments}
      onAdd={addLetterFiles}
      onRemove={removeLetterFile}
      onRetry={retryLetterFile}
    />
  );
}

function Encryption({ compose }: { compose: Compose }) {
  const { letter, targets, refusals, change, switchEncryption, setKeyError, setRefusals } = compose;
  const clearFailure = () => setRefusals((before) => ({ ...before, failure: undefined }));
  return (
    <EncryptionSection
      isOn={letter.isEncrypted}
      targets={targets}
      keyErrors={refusals.keyErrors}
      failure={refusals.failure}
      onSwitch={(isEncrypted) => {
        switchEncryption(isEncrypted);
        clearFailure();
      }}
      onKey={(address, publicKey) => {
        change({ keys: { ...letter.keys, [address]: publicKey } });
        setKeyError(address, undefined);
        clearFailure();
      }}
      onKeyError={setKeyError}
    />
  );
}

interface ActsProps extends Pick<Compose, "letter" | "isSending" | "change"> {
  isLoading: boolean;
  onReset: () => void;
  onSchedule: () => void;
}

function Acts({ letter: { scheduledAt }, isSending, isLoading, change, onReset, onSchedule }: ActsProps) {
  const acts = useRef<HTMLDivElement>(null);
  const onNow = () => {
    acts.current?.querySelector<HTMLElement>(".scheduled + .btn")?.focus();
    change({ scheduledAt: null });
  };
  return (
    <div className="card-foot acts-foot" ref={acts}>
      <Button look="quiet" disabled={isSending} onClick={onReset}>
        {t("Reset")}
      </Button>
      {scheduledAt === null ? null : (
        <span className="scheduled">
          <Clock className="i" aria-hidden />
          <span role="status">{t("Leaves {time}", { time: dayAndTime(new Date(scheduledAt)) })}</span>
          <IconButton icon={X} label={t("Send without delay")} onClick={onNow} />
        </span>
      )}
      <Button disabled={isSending} icon={Clock} onClick={onSchedule}>
        {t("Later…")}
      </Button>
      <SubmitButton className="btn-primary" pending={isSending} pendingLabel={t("Sending...")} disabled={isLoading}>
        <Send className="i" aria-hidden />
        {t("Send Email")}
      </SubmitButton>
    </div>
  );
}

/** Files dropped or pasted anywhere on the form. */
function fileHandlers(onFiles: (files: readonly File[]) => void) {
  const take = (event: { preventDefault(): void }, files: FileList) => {
    if (files.length === 0) return;
    event.preventDefault();
    onFiles([...files]);
  };
  return {
    onDragOver: (event: DragEvent<HTMLElement>) => {
      if (event.dataTransfer.types.includes("Files")) event.preventDefault();
    },
    onDrop: (event: DragEvent<HTMLElement>) => take(event, event.dataTransfer.files),
    // A copied part of a page has a picture of itself beside its text.
    onPaste: (event: ClipboardEvent<HTMLElement>) => {
      if (!event.clipboardData.types.includes("text/plain")) take(event, event.clipboardData.files);
    },
  };
}

function DiscardDialog({ onDiscard, onClose }: { onDiscard: () => void; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={t("Discard this message?")}
      description={t("What you have written will be deleted.")}
      label={t("Discard")}
      cancel={t("Keep writing")}
      onConfirm={onDiscard}
      onClose={onClose}
    />
  );
}

export function ComposeForm({ takesFocus, ...props }: FormProps) {
  const { senders, people } = props;
  const compose = useCompose(props);
  const { form, letter, refusals, isSending, change, submit, onReset } = compose;
  const [dialog, setDialog] = useState<"discard" | "schedule" | null>(null);
  const closeDialog = () => setDialog(null);
  const from = useRef<HTMLSelectElement>(null);
  const sender = senders?.find(({ id }) => id === letter.fromAlias);
  const part = { letter, refusals, change };
  useEffect(() => {
    if (takesFocus) form.current?.querySelector<HTMLElement>(".recipients input")?.focus();
  }, [takesFocus, form]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  const fields = (
    <form
      className="card compose"
      ref={form}
      noValidate
      aria-label={t("Compose Email")}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <FromRow
        senders={senders}
        chosen={letter.fromAlias}
        error={refusals.problems.fromAlias}
        field={from}
        onChoose={(fromAlias) => change({ fromAlias })}
      />
      <Recipients {...part} people={people} />
      <Texts {...part} alias={sender === undefined ? "" : addressOf(sender)} />
      <Attachments compose={compose} />
      <Encryption compose={compose} />
      <Acts
        {...{ letter, isSending, change }}
        isLoading={senders === undefined}
        onReset={() => (isBlank(letter) ? onReset() : setDialog("discard"))}
        onSchedule={() => setDialog("schedule")}
      />
    </form>
  );
  // The dialogs stand outside the form: React would send the form with a dialog's own.
  return (
    <>
      <div className="contents" role="presentation" onKeyDown={onKeyDown} {...fileHandlers(compose.addLetterFiles)}>
        {fields}
      </div>
      {dialog === "schedule" ? (
        <ScheduleDialog
          scheduledAt={letter.scheduledAt}
          onClose={closeDialog}
          onChoose={(scheduledAt) => {
            change({ scheduledAt });
            closeDialog();
          }}
        />
      ) : null}
      {dialog === "discard" ? (
        <DiscardDialog
          onClose={closeDialog}
          onDiscard={() => {
            closeDialog();
            onReset();
          }}
        />
      ) : null}
    </>
  );
}
