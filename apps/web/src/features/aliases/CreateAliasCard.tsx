/**
 * Form that creates an alias: name and domain in one line, destinations, notes, and a preview of what will forward
 * where.
 */
import { zodResolver } from "@hookform/resolvers/zod";
import { aliasMessages, createAliasBody, limits } from "@kauke/contract";
import { ArrowRight } from "lucide-react";
import { type BaseSyntheticEvent, useId, useState } from "react";
import { useForm } from "react-hook-form";
import type * as z from "zod";
import { useCreateAlias } from "../../api/aliases.ts";
import { useDomains } from "../../api/domains.ts";
import { FieldError, TextField } from "../../ui/Field.tsx";
import { Select } from "../../ui/Select.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { addressOf, notesLeft, validEntries } from "./alias-text.ts";
import { type CreateFailure, createFailure, reservedFailure } from "./create-failure.ts";
import { isReservedName } from "./reserved-name.ts";

const formSchema = createAliasBody.omit({ domain: true });
type FormValues = z.infer<typeof formSchema>;

function useCreateForm(userId: string, domain: string) {
  const create = useCreateAlias(userId);
  const form = useForm<FormValues>({
    resolver: zodResolver(formSchema),
    defaultValues: { alias: "", forwardTo: "", notes: "" },
  });
  const [domainError, setDomainError] = useState<string>();
  const refuse = ({ title, description, fields }: CreateFailure) => {
    for (const [field, message] of fields) {
      if (field === "domain") setDomainError(message);
      else if (field === "alias" || field === "forwardTo" || field === "notes") form.setError(field, { message });
    }
    showFailure(title, description);
  };
  const send = async (values: FormValues, event?: BaseSyntheticEvent) => {
    setDomainError(domain === "" ? aliasMessages.domainRequired : undefined);
    if (domain === "") return;
    if (await isReservedName(values.alias)) return refuse(reservedFailure(values.alias));
    try {
      const notes = values.notes === "" ? undefined : values.notes;
      const alias = await create.mutateAsync({ ...values, domain, notes });
      showToast({ title: "Alias Created", description: `${addressOf(alias)} forwards from now on.` });
      form.reset({ alias: "", forwardTo: values.forwardTo, notes: "" });
      if (event?.target instanceof HTMLFormElement) event.target.querySelector("input")?.focus();
    } catch (error) {
      refuse(createFailure(error));
    }
  };
  return { form, domainError, onSubmit: form.handleSubmit(send) };
}

function PreviewLine({ alias, domain, forwardTo }: { alias: string; domain: string; forwardTo: string }) {
  const destinations = validEntries(forwardTo);
  return (
    <div className="preview">
      <span className="hl">{addressOf({ alias: alias.trim() || "alias", domain: domain || "…" })}</span>
      <ArrowRight className="i" aria-label="forwards to" role="img" />
      <span className="wrap-anywhere min-w-0">
        {destinations.length === 0 ? "destination" : destinations.join(", ")}
      </span>
    </div>
  );
}

interface NameFieldProps {
  form: ReturnType<typeof useCreateForm>["form"];
  domains: readonly string[];
  domain: string;
  domainError: string | undefined;
  onDomain: (domain: string) => void;
}

function NameField({ form, domains, domain, domainError, onDomain }: NameFieldProps) {
  const id = useId();
  const error = form.formState.errors.alias?.message ?? domainError;
  return (
    <div className="field">
      <label htmlFor={id}>Alias name and domain</label>
      <div className="join">
        <input
          className="input mono"
          id={id}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={form.formState.errors.alias ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          {...form.register("alias")}
        />
        <span className="at" aria-hidden="true">
          @
        </span>
        <Select mono aria-label="Domain" value={domain} onChange={(event) => onDomain(event.target.value)}>
          {domains.map((domain) => (
            <option key={domain}>{domain}</option>
          ))}
        </Select>
      </div>
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </div>
  );
}

function DomainsMissing({ onRetry }: { onRetry: () => void }) {
  return (
    <p className="hint">
      The domains could not be loaded.{" "}
      <button type="button" className="link" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}

export function CreateAliasCard({ userId }: { userId: string }) {
  const titleId = useId();
  const domains = useDomains();
  const [picked, setPicked] = useState<string>();
  const domain = picked ?? domains.data?.[0] ?? "";
  const { form, domainError, onSubmit } = useCreateForm(userId, domain);
  const { errors, isSubmitting } = form.formState;
  const { alias, forwardTo, notes = "" } = form.watch();
  return (
    <form className="card" onSubmit={onSubmit} noValidate aria-labelledby={titleId}>
      <div className="card-head">
        <h2 id={titleId}>Create alias</h2>
      </div>
      <div className="card-body create">
        <div className="grid gap-1.5">
          <NameField
            form={form}
            domains={domains.data ?? []}
            domain={domain}
            domainError={domainError}
            onDomain={setPicked}
          />
          {domains.isError ? <DomainsMissing onRetry={() => domains.refetch()} /> : null}
        </div>
        <TextField
          label="Forward to"
          mono
          inputMode="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="you@example.org"
          error={errors.forwardTo?.message}
          {...form.register("forwardTo")}
        />
        <TextField
          label={
            <>
              Notes <span className="opt">optional</span>
            </>
          }
          aside={<span className="count">{notesLeft(notes)}</span>}
          maxLength={limits.notesMax}
          autoComplete="off"
          error={errors.notes?.message}
          {...form.register("notes")}
        />
      </div>
      <div className="card-foot">
        <PreviewLine alias={alias} domain={domain} forwardTo={forwardTo} />
        <SubmitButton className="btn-primary" pending={isSubmitting} pendingLabel="Creating...">
          Create Alias
        </SubmitButton>
      </div>
    </form>
  );
}
