/** The form that creates an alias tidies pasted text on paste, on blur and on submit, and copies the new address. */
import { zodResolver } from "@hookform/resolvers/zod";
import { type AliasWire, type CreateAliasBody, createAliasBody } from "@kauke/contract";
import { type FormEvent, useState } from "react";
import { type Resolver, type UseFormReturn, useForm, useWatch } from "react-hook-form";
import { useCreateAlias } from "../../../api/aliases.ts";
import { readProvider } from "../../../app/page-settings.ts";
import { plural } from "../../../texts/plural.ts";
import { t } from "../../../texts/texts.ts";
import { copyQuietly, copyText } from "../../../ui/text/copy-text.ts";
import { showFailure, showToast } from "../../../ui/toast-store.ts";
import { addressOf } from "../alias-text.ts";
import { markNewAlias } from "../new-alias.ts";
import { type Beginning, beginningOf, rememberChoice } from "./beginning.ts";
import { type CreateFailure, createFailure, isReservedName, reservedFailure } from "./create-failure.ts";
import { useNewAliasDraft } from "./new-alias-draft.ts";
import { readDestinations, readName, replaceDestination } from "./read-typed.ts";
import { useTypoQuestion } from "./TypoNote.tsx";
import { useDestinations } from "./use-destinations.ts";

/** The form has no domain until the list of domains has loaded. */
type Typed = Partial<CreateAliasBody>;
type CreateForm = UseFormReturn<Typed, unknown, CreateAliasBody>;

/** React Hook Form's `reset` follows the form's `resetOptions` too, which these options override. */
const resetAll = { keepDirtyValues: false, keepErrors: false, keepIsSubmitted: false };

const fields = ["alias", "domain", "forwardTo", "notes"] as const;

function questionsText(count: number, isAsked: boolean): string {
  return isAsked
    ? plural(
        count,
        "Our question in {count} mailbox is still open.",
        "Our question in {count} mailboxes is still open.",
        { count },
      )
    : plural(
        count,
        "The first mail brings a question to {count} mailbox.",
        "The first mail brings a question to {count} mailboxes.",
        { count },
      );
}

/** @example whatNext(alias) // "The first mail brings a question to jonas@example.org." */
function whatNext({ unconfirmed = [] }: AliasWire): string | null {
  const unasked = unconfirmed.filter(({ state }) => state === "new" || state === "asked").map(({ address }) => address);
  if (unasked.length === 0) return null;
  const isAsked = unconfirmed.every(({ state }) => state !== "new");
  const [address = ""] = unasked;
  if (unasked.length > 1) return questionsText(unasked.length, isAsked);
  return isAsked
    ? t("Our question in {address} is still open.", { address })
    : t("The first mail brings a question to {address}.", { address });
}

function showCreated(alias: AliasWire, isCopied: boolean): void {
  const title = t("Alias Created");
  const address = addressOf(alias);
  const provider = readProvider();
  const next = provider === null ? whatNext(alias) : null;
  if (isCopied) {
    const copied =
      provider === null
        ? t("{address} is copied. It forwards from now on.", { address })
        : t("{address} is copied. It forwards once {provider} has it.", { address, provider: provider.name });
    return showToast({ title, description: next === null ? copied : t("Copied. {next}", { next }) });
  }
  const forwards =
    provider === null
      ? t("{address} forwards from now on.", { address })
      : t("{address} forwards once {provider} has it.", { address, provider: provider.name });
  const action = { label: t("Copy"), spoken: t("Copy {address}", { address }), onAct: () => void copyText(address) };
  showToast({ title, description: next ?? forwards, action });
}

const changing = (form: CreateForm) => (field: "alias" | "domain" | "forwardTo", text: string) =>
  form.setValue(field, text, { shouldValidate: form.formState.isSubmitted, shouldDirty: true });

interface TidyParts {
  form: CreateForm;
  domains: readonly string[];
  endTyping: () => void;
}

function tidying({ form, domains, endTyping }: TidyParts) {
  const change = changing(form);
  return {
    change,
    name() {
      const typed = form.getValues("alias") ?? "";
      const { alias, domain } = readName(typed, domains);
      if (domain !== undefined) change("domain", domain);
      if (alias !== typed) change("alias", alias);
    },
    /** Makes tokens of the typed destinations. @returns the tidied text */
    destinations(): string {
      endTyping();
      const typed = form.getValues("forwardTo") ?? "";
      const read = readDestinations(typed);
      if (read !== typed) change("forwardTo", read);
      return read;
    },
  };
}

function useSend(form: CreateForm, userId: string) {
  const create = useCreateAlias(userId);
  const refuse = ({ title, description, fields: wrong }: CreateFailure) => {
    for (const [name, message] of wrong) {
      const field = fields.find((known) => known === name);
      if (field !== undefined) form.setError(field, { message });
    }
    showFailure(title, description);
  };
  return async (values: CreateAliasBody): Promise<AliasWire | null> => {
    if (await isReservedName(values.alias)) {
      refuse(reservedFailure(values.alias));
      return null;
    }
    try {
      return await create.mutateAsync({ ...values, notes: values.notes === "" ? undefined : values.notes });
    } catch (error) {
      refuse(createFailure(error));
      return null;
    }
  };
}

interface Given {
  userId: string;
  domains: readonly string[];
  beginning: Beginning;
  /** Addresses in use by aliases or mailboxes. */
  known: readonly string[];
}

export function useCreateForm({ userId, domains, beginning, known }: Given) {
  const [held, setHeld] = useState<string | null>(null);
  const begun = beginningOf(userId, beginning, held);
  const form: CreateForm = useForm({
    resolver: zodResolver(createAliasBody) as Resolver<Typed, unknown, CreateAliasBody>,
    // The first values load after the fields show, and replace what nobody has changed.
    values: { alias: "", notes: "", ...begun },
    resetOptions: { keepDirtyValues: true, keepErrors: true, keepIsSubmitted: true },
  });
  const { alias = "", notes = "", domain = "", forwardTo = "" } = useWatch({ control: form.control });
  const shown = { alias, notes, domain, forwardTo };
  const { destinations, endTyping } = useDestinations(forwardTo, (text) => changing(form)("forwardTo", text));
  const tidy = tidying({ form, domains, endTyping });
  const { dirtyFields } = form.formState;
  const changed = Object.fromEntries(fields.filter((name) => dirtyFields[name]).map((name) => [name, shown[name]]));
  const restore = (kept: Readonly<Record<string, unknown>>) => {
    for (const name of fields) {
      const text = kept[name];
      if (typeof text === "string" && !form.getFieldState(name).isDirty)
        form.setValue(name, text, { shouldDirty: true });
    }
  };
  const { whenDraftRead } = useNewAliasDraft(changed, restore);
  const send = useSend(form, userId);
  const typo = useTypoQuestion(known, ({ typed, meant }) => {
    endTyping();
    tidy.change("forwardTo", replaceDestination(forwardTo, typed, meant));
  });
  const submit = async (element: HTMLFormElement) => {
    form.setValue("domain", domain || undefined);
    tidy.name();
    if (typo.askFirst(tidy.destinations())) return;
    const address = Promise.withResolvers<string>();
    // Copies before the first `await`: later the click no longer permits it.
    const copied = copyQuietly(address.promise);
    await form.handleSubmit(async (values) => {
      const created = await send(values);
      if (created === null) return;
      address.resolve(addressOf(created));
      markNewAlias(created.id);
      rememberChoice({ userId, domain: values.domain, forwardTo: values.forwardTo });
      form.reset({ alias: "", domain: values.domain, forwardTo: values.forwardTo, notes: "" }, resetAll);
      element.querySelector("input")?.focus();
      showCreated(created, await copied);
    })();
    address.reject(new Error("No alias was created"));
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void submit(event.currentTarget);
  };
  const onForwardFocus = () => setHeld(held ?? begun.forwardTo);
  return { form, shown, tidy, typo, destinations, onSubmit, onForwardFocus, whenDraftRead };
}

export type CreateState = ReturnType<typeof useCreateForm>;
