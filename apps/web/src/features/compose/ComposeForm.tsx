/** A message once enqueued is followed by job-tracker.ts. */
import { Send } from "lucide-react";
import { memo, type ReactNode, useId, useState } from "react";
import { type UseFormReturn, useWatch } from "react-hook-form";
import { Button, Select } from "../../ui/Controls.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { FieldError, verbatim } from "../../ui/Field.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { addressOf } from "../aliases/alias-text.ts";
import type { ComposeValues } from "./compose-form.ts";
import { EncryptionCard } from "./EncryptionCard.tsx";
import { SenderHint } from "./SenderHint.tsx";
import { SetAsideDrafts } from "./SetAsideDrafts.tsx";
import { canSend } from "./senders.ts";
import { type ComposeProps, useCompose } from "./use-compose.ts";

interface ControlProps {
  id: string;
  "aria-invalid": true | undefined;
  "aria-describedby": string | undefined;
}

interface Props {
  label: string;
  error: string | undefined;
  children: (control: ControlProps) => ReactNode;
}

interface RowProps extends Props {
  hint?: ReactNode;
}

function useControl(error: string | undefined): { control: ControlProps; errorId: string } {
  const id = useId();
  const errorId = `${id}-error`;
  const control = {
    id,
    "aria-invalid": error ? (true as const) : undefined,
    "aria-describedby": error ? errorId : undefined,
  };
  return { control, errorId };
}

function MessageRow({ label, error, hint, children }: RowProps) {
  const { control, errorId } = useControl(error);
  return (
    <div className="hdr">
      <label htmlFor={control.id}>{label}</label>
      {children(control)}
      <FieldError id={errorId}>{error}</FieldError>
      {hint}
    </div>
  );
}

function MessageBody({ label, error, children }: Props) {
  const { control, errorId } = useControl(error);
  return (
    <div className="message-text">
      <label className="label-in" htmlFor={control.id}>
        {label}
      </label>
      {children(control)}
      <FieldError id={errorId}>{error}</FieldError>
    </div>
  );
}

type Form = UseFormReturn<ComposeValues>;

/** Memoized: there may be thousands of aliases to choose from. */
const Senders = memo(function Senders({ senders }: Pick<ComposeProps, "senders">) {
  return senders?.map((sender) => (
    <option key={sender.id} value={sender.id} disabled={!canSend(sender)}>
      {canSend(sender) ? addressOf(sender) : `${addressOf(sender)} (paused)`}
    </option>
  ));
});

interface FromProps extends Pick<ComposeProps, "senders"> {
  form: Form;
  madeFor: string | null;
}

function FromRow({ form, senders, madeFor }: FromProps) {
  const chosen = useWatch({ control: form.control, name: "fromAlias" });
  return (
    <MessageRow
      label="From"
      error={form.formState.errors.fromAlias?.message}
      hint={<SenderHint senders={senders} chosen={chosen} madeFor={madeFor} />}
    >
      {(control) => (
        <Select mono {...control} disabled={senders === undefined} {...form.register("fromAlias")}>
          <option value="">{senders === undefined ? "Loading..." : "Select an alias"}</option>
          <Senders senders={senders} />
        </Select>
      )}
    </MessageRow>
  );
}

function ToRow({ form }: { form: Form }) {
  return (
    <MessageRow label="To" error={form.formState.errors.to?.message}>
      {(control) => <input {...control} className="input mono" type="email" {...verbatim} {...form.register("to")} />}
    </MessageRow>
  );
}

interface ActsProps {
  isSubmitting: boolean;
  isLoading: boolean;
  onReset: () => void;
}

/** The form's buttons, below both cards in the single-column layout. */
function Acts({ isSubmitting, isLoading, onReset }: ActsProps) {
  return (
    <div className="card-foot two">
      <Button look="quiet" disabled={isSubmitting} onClick={onReset}>
        Reset
      </Button>
      <SubmitButton className="btn-primary" pending={isSubmitting} pendingLabel="Sending..." disabled={isLoading}>
        <Send className="i" aria-hidden />
        Send Email
      </SubmitButton>
    </div>
  );
}

export function ComposeForm({ userId, senders }: ComposeProps) {
  const { form, madeFor, encryption, onEncryptionChange, keyField, onSubmit, onReset, isBlank } = useCompose({
    userId,
    senders,
  });
  const [isAsking, setAsking] = useState(false);
  const { errors, isSubmitting } = form.formState;
  const askOrReset = () => (isBlank() ? onReset() : setAsking(true));
  const acts = { isSubmitting, isLoading: senders === undefined, onReset: askOrReset };
  return (
    <form className="compose" onSubmit={(event) => void onSubmit(event)} noValidate aria-label="Compose Email">
      <SetAsideDrafts />
      <div className="card">
        <FromRow form={form} senders={senders} madeFor={madeFor} />
        <ToRow form={form} />
        <MessageRow label="Subject" error={errors.subject?.message}>
          {(control) => <input {...control} className="input" autoComplete="off" {...form.register("subject")} />}
        </MessageRow>
        <MessageBody label="Message" error={errors.body?.message}>
          {(control) => (
            <textarea {...control} className="input" rows={12} autoComplete="off" {...form.register("body")} />
          )}
        </MessageBody>
        <Acts {...acts} />
      </div>
      <EncryptionCard encryption={encryption} onChange={onEncryptionChange} keyField={keyField} />
      <Acts {...acts} />
      {isAsking ? (
        <ConfirmDialog
          title="Discard this message?"
          description="What you have written will be deleted."
          label="Discard"
          cancel="Keep writing"
          onConfirm={() => {
            onReset();
            setAsking(false);
          }}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </form>
  );
}
