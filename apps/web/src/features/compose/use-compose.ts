import { zodResolver } from "@hookform/resolvers/zod";
import { emailJobMessages } from "@kauke/contract";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useCallback, useEffect, useRef, useState } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import { navigate } from "wouter/use-browser-location";
import { refetchAliases } from "../../api/aliases.ts";
import { ApiError, fieldMessages, messageOf } from "../../api/api-error.ts";
import {
  cancelJob,
  makeSmtpCredentials,
  readJobStatus,
  useCreateEmailJob,
  useReadLeakGuard,
} from "../../api/email-jobs.ts";
import { readSession } from "../../api/session/session.ts";
import { showFailure } from "../../ui/toast-store.ts";
import { type ComposeValues, composeForm, emptyForm, formField, jobRequest } from "./compose-form.ts";
import { draftOf, dropDraft, onDraftRestored, restoreDraft, storeDraft } from "./drafts.ts";
import { type MessageEncryption, noEncryption } from "./EncryptionCard.tsx";
import { encryptMessage, NotEncrypted } from "./encrypt-message.ts";
import { followJob } from "./job-tracker.ts";
import { canSend, type SendingAlias } from "./senders.ts";

const COMPOSE_PATH = "/compose";

export interface ComposeProps {
  userId: string;
  senders: readonly SendingAlias[] | undefined;
}

function useEncryption(begun: Partial<MessageEncryption>) {
  const [encryption, setEncryption] = useState<MessageEncryption>({ ...noEncryption, ...begun });
  const keyField = useRef<HTMLTextAreaElement>(null);
  const change = useCallback((to: Partial<MessageEncryption>) => setEncryption((before) => ({ ...before, ...to })), []);
  return { encryption, change, keyField, focusKey: () => keyField.current?.focus() };
}

type EncryptionState = ReturnType<typeof useEncryption>;
type Form = UseFormReturn<ComposeValues>;

function showRefusal(error: unknown, form: Form, { change, focusKey }: EncryptionState): void {
  if (error instanceof NotEncrypted) {
    const { field, message } = error;
    if (field === "body") form.setError("body", { message }, { shouldFocus: true });
    else if (field === "encryption") change({ failure: message });
    else {
      change({ keyError: message });
      focusKey();
    }
    return showFailure("Failed to queue email", message);
  }
  for (const [requestField, message] of fieldMessages(error)) {
    const field = formField(requestField);
    if (field !== null) form.setError(field, { message });
    if (requestField === "recipientPublicKey") change({ keyError: message });
  }
  showFailure("Failed to queue email", messageOf(error, "The email could not be queued."));
}

/** Another tab may have made the credentials. @returns whether made here @throws ApiError at the field From */
async function makeCredentials(client: QueryClient, userId: string, sender: SendingAlias): Promise<boolean> {
  try {
    await makeSmtpCredentials(client, userId, sender.id);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === "smtp_credential_exists") {
      void refetchAliases(client, userId);
      return false;
    }
    const message = `No SMTP credentials could be made for this alias. ${messageOf(error, "Please try again.")}`;
    throw new ApiError({ status: 0, message, errors: { fromAliasId: [message] } }, { cause: error });
  }
}

/** Encrypts the message if requested, enqueues it and tracks it. */
function useSend(userId: string, beforeSending: (aliasId: string) => Promise<void>) {
  const create = useCreateEmailJob(userId);
  const readGuard = useReadLeakGuard(userId);
  const calls = {
    readStatus: readJobStatus,
    cancel: cancelJob,
    isStillSignedIn: () => readSession().user?.id === userId,
  };
  return async (values: ComposeValues, { isOn, publicKey }: MessageEncryption): Promise<void> => {
    const encrypted = isOn ? await encryptMessage(values, publicKey, () => readGuard(values.fromAlias)) : null;
    const reopen = () => {
      restoreDraft({ userId, values, isEncrypted: isOn, publicKey });
      if (window.location.pathname !== COMPOSE_PATH) navigate(COMPOSE_PATH);
    };
    await beforeSending(values.fromAlias);
    followJob(await create.mutateAsync(jobRequest(values, encrypted)), values.to, { ...calls, reopen });
  };
}

/** Stores the draft until it is sent. */
function useStoredDraft(userId: string, form: Form, { isOn, publicKey }: MessageEncryption): void {
  useEffect(() => {
    const keep = () => storeDraft({ userId, values: form.getValues(), isEncrypted: isOn, publicKey });
    keep();
    const typing = form.watch(keep);
    return () => typing.unsubscribe();
  }, [userId, form, isOn, publicKey]);
}

/** Only a single alias is preselected: the wrong one of several would reveal that it is the sender's. */
function usePreselectedAlias(form: Form, senders: ComposeProps["senders"]): string | undefined {
  const active = senders?.filter(canSend);
  const onlyAlias = active?.length === 1 ? active[0]?.id : undefined;
  useEffect(() => {
    if (senders === undefined) return;
    const chosen = form.getValues("fromAlias");
    const isKept = senders.some((sender) => sender.id === chosen && canSend(sender));
    form.setValue("fromAlias", isKept ? chosen : (onlyAlias ?? ""));
  }, [form, senders, onlyAlias]);
  return onlyAlias;
}

/** @returns `madeFor` id of the alias that last got credentials */
function useCredentials({ userId, senders }: ComposeProps) {
  const client = useQueryClient();
  const [madeFor, setMadeFor] = useState<string | null>(null);
  const beforeSending = async (aliasId: string) => {
    const sender = senders?.find(({ id }) => id === aliasId);
    if (sender?.state === "new" && (await makeCredentials(client, userId, sender))) setMadeFor(aliasId);
  };
  return { beforeSending, madeFor };
}

function useRestoredDrafts(form: Form, change: EncryptionState["change"]): void {
  useEffect(
    () =>
      onDraftRestored((draft) => {
        form.reset(draft.values);
        // React Hook Form's `reset` has stored the new text with the old encryption setting.
        storeDraft(draft);
        change({ ...noEncryption, isOn: draft.isEncrypted, publicKey: draft.publicKey });
      }),
    [form, change],
  );
}

export function useCompose({ userId, senders }: ComposeProps) {
  const client = useQueryClient();
  const { beforeSending, madeFor } = useCredentials({ userId, senders });
  const send = useSend(userId, beforeSending);
  const [begun] = useState(() => draftOf(userId));
  const form = useForm<ComposeValues>({
    resolver: zodResolver(composeForm),
    defaultValues: begun?.values ?? emptyForm,
  });
  const state = useEncryption(begun === null ? {} : { isOn: begun.isEncrypted, publicKey: begun.publicKey });
  const { encryption, change, keyField, focusKey } = state;
  const onlyAlias = usePreselectedAlias(form, senders);
  useStoredDraft(userId, form, encryption);
  useRestoredDrafts(form, change);
  const isKeyMissing = encryption.isOn && encryption.publicKey.trim() === "";
  const onValid = async (values: ComposeValues) => {
    if (isKeyMissing) return focusKey();
    try {
      await send(values, encryption);
      dropDraft();
      form.reset({ ...emptyForm, fromAlias: values.fromAlias });
      change({ publicKey: "" });
    } catch (error) {
      showRefusal(error, form, state);
      // If the alias or its credentials changed elsewhere, the aliases are refetched.
      if (fieldMessages(error).some(([field]) => field === "fromAliasId")) void refetchAliases(client, userId);
    }
  };
  const onSubmit = (event: FormEvent) => {
    change({ failure: undefined });
    if (isKeyMissing) {
      change({ keyError: emailJobMessages.publicKeyRequired });
      showFailure("Public key required", emailJobMessages.publicKeyRequired);
    }
    return form.handleSubmit(onValid)(event);
  };
  const onReset = () => {
    form.reset({ ...emptyForm, fromAlias: onlyAlias ?? "" });
    change(noEncryption);
  };
  const isBlank = () => draftOf(userId) === null;
  return { form, madeFor, encryption, onEncryptionChange: change, keyField, onSubmit, onReset, isBlank };
}
