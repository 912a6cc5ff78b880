/** The letter sheet: from, to, subject, message. What is queued is followed by the job tracker, not by this form. */
import { zodResolver } from "@hookform/resolvers/zod";
import type { Answer } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useEffect } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import { fieldMessages, messageOf } from "../../api/api-error.ts";
import { cancelJob, readJobStatus, useCreateEmailJob } from "../../api/email-jobs.ts";
import { sessionQuery } from "../../api/session.ts";
import { Select } from "../../ui/Select.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { addressOf } from "../aliases/alias-text.ts";
import { composeForm, emptyForm, type ComposeForm as FormValues, formField, jobRequest } from "./compose-form.ts";
import { followJob } from "./job-tracker.ts";
import { LetterBody, LetterRow } from "./LetterRow.tsx";

type SendingAlias = Answer<"listAliasesWithSmtp">["aliases"][number];

interface Props {
  userId: string;
  /** `undefined` while they load. */
  aliases: readonly SendingAlias[] | undefined;
}

function useCompose({ userId, aliases }: Props) {
  const client = useQueryClient();
  const create = useCreateEmailJob();
  const form = useForm<FormValues>({ resolver: zodResolver(composeForm), defaultValues: emptyForm });
  // With several aliases the choice is the person's: the wrong one would tell a stranger too much.
  const onlyAlias = aliases?.length === 1 ? aliases[0]?.id : undefined;
  useEffect(() => {
    if (onlyAlias !== undefined && form.getValues("fromAlias") === "") form.setValue("fromAlias", onlyAlias);
  }, [form, onlyAlias]);
  const calls = {
    readStatus: readJobStatus,
    cancel: cancelJob,
    isStillSignedIn: () => client.getQueryData(sessionQuery.queryKey)?.id === userId,
  };
  const onSubmit = form.handleSubmit(async (values) => {
    try {
      followJob(await create.mutateAsync(jobRequest(values)), values.to, calls);
      form.reset({ ...emptyForm, fromAlias: values.fromAlias });
    } catch (error) {
      for (const [requestField, message] of fieldMessages(error)) {
        const field = formField(requestField);
        if (field !== null) form.setError(field, { message });
      }
      showFailure("Failed to queue email", messageOf(error, "The email could not be queued."));
    }
  });
  return { form, onSubmit, onReset: () => form.reset({ ...emptyForm, fromAlias: onlyAlias ?? "" }) };
}

type Form = UseFormReturn<FormValues>;

function FromRow({ form, aliases }: { form: Form; aliases: Props["aliases"] }) {
  return (
    <LetterRow label="From" error={form.formState.errors.fromAlias?.message}>
      {(control) => (
        <Select mono {...control} disabled={aliases === undefined} {...form.register("fromAlias")}>
          <option value="">{aliases === undefined ? "Loading..." : "Select an alias"}</option>
          {aliases?.map((alias) => (
            <option key={alias.id} value={alias.id}>
              {addressOf(alias)}
            </option>
          ))}
        </Select>
      )}
    </LetterRow>
  );
}

function ToRow({ form }: { form: Form }) {
  return (
    <LetterRow label="To" error={form.formState.errors.to?.message}>
      {(control) => (
        <input
          {...control}
          className="input mono"
          type="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.register("to")}
        />
      )}
    </LetterRow>
  );
}

export function ComposeForm({ userId, aliases }: Props) {
  const { form, onSubmit, onReset } = useCompose({ userId, aliases });
  const { errors, isSubmitting } = form.formState;
  return (
    <form className="compose" onSubmit={onSubmit} noValidate aria-label="Compose Email">
      <div className="card">
        <FromRow form={form} aliases={aliases} />
        <ToRow form={form} />
        <LetterRow label="Subject" error={errors.subject?.message}>
          {(control) => <input {...control} className="input" autoComplete="off" {...form.register("subject")} />}
        </LetterRow>
        <LetterBody label="Message" error={errors.body?.message}>
          {(control) => <textarea {...control} className="input" rows={12} {...form.register("body")} />}
        </LetterBody>
        <div className="card-foot two">
          <button type="button" className="btn btn-quiet" disabled={isSubmitting} onClick={onReset}>
            Reset
          </button>
          <SubmitButton
            className="btn-primary"
            pending={isSubmitting}
            pendingLabel="Sending..."
            disabled={aliases === undefined}
          >
            <Send className="i" aria-hidden />
            Send Email
          </SubmitButton>
        </div>
      </div>
    </form>
  );
}
