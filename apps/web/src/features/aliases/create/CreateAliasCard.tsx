import "../../../app/zod-jitless.ts";

import { limits } from "@kauke/contract";
import { useId, useMemo } from "react";
import { useDomains, useListedAliases } from "../../../api/aliases.ts";
import { useAccountDefaults, useMailboxes } from "../../../api/mailboxes.ts";
import { t } from "../../../texts/texts.ts";
import { describedBy, FieldError } from "../../../ui/Field.tsx";
import { TryAgain } from "../../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../../ui/SubmitButton.tsx";
import { notesLeft } from "../alias-text.ts";
import { ForwardField } from "./ForwardField.tsx";
import { NameField } from "./NameField.tsx";
import { firstDestination, offersOf } from "./offered-destinations.ts";
import { type CreateState, useCreateForm } from "./use-create-form.ts";
import { useSharedSite } from "./use-shared-site.ts";
import { useWantedName } from "./wanted-name.ts";

function Notes({ form, shown }: Pick<CreateState, "form" | "shown">) {
  const id = useId();
  const error = form.formState.errors.notes?.message;
  return (
    <div className="field notes">
      <div className="notes-head">
        <span>
          <label htmlFor={id}>{t("Notes")}</label> <span className="opt">{t("optional")}</span>
        </span>
        <span className="count" id={`${id}-left`}>
          {notesLeft(shown.notes)}
        </span>
      </div>
      <input
        id={id}
        className="input"
        maxLength={limits.notesMax}
        autoComplete="off"
        // Phones show the field once it is needed, and CSS can't see an empty field without a placeholder.
        placeholder=" "
        aria-describedby={`${id}-left`}
        {...describedBy(`${id}-error`, error)}
        {...form.register("notes")}
      />
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </div>
  );
}

const noDomains: readonly string[] = [];

function useOffer(userId: string) {
  const domains = useDomains();
  const { data: aliases } = useListedAliases(userId);
  const { data: mailboxes } = useMailboxes();
  const { data: defaults } = useAccountDefaults();
  const offers = useMemo(() => offersOf(mailboxes ?? [], aliases ?? []), [mailboxes, aliases]);
  const beginning = {
    domain: domains.data?.find((domain) => domain === defaults?.domain) ?? domains.data?.[0] ?? "",
    forwardTo: firstDestination(mailboxes ?? []),
  };
  return {
    domains,
    offers,
    beginning,
    format: defaults?.format ?? "characters",
    hasSite: defaults?.siteInName ?? false,
  };
}

export function CreateAliasCard({ userId }: { userId: string }) {
  const { domains, offers, beginning, format, hasSite } = useOffer(userId);
  const own = domains.data ?? noDomains;
  const known = useMemo(() => offers.map(({ destination }) => destination), [offers]);
  const { form, shown, tidy, typo, destinations, onSubmit, onForwardFocus, whenDraftRead } = useCreateForm({
    userId,
    domains: own,
    beginning,
    known,
  });
  useWantedName((name) => {
    if (name !== "") tidy.change("alias", name);
    tidy.name();
    form.setFocus("alias");
  });
  useSharedSite({ userId, form, shown, tidy, whenDraftRead });
  return (
    <form
      className={shown.alias === "" ? "card make" : "card make is-named"}
      onSubmit={onSubmit}
      noValidate
      aria-label={t("Create alias")}
    >
      <div className="grid gap-1.5 min-w-0">
        <NameField {...{ userId, form, shown, tidy, format, hasSite }} domains={own} />
        {domains.isError ? (
          <p className="hint">
            {t("The domains could not be loaded.")} <TryAgain onClick={domains.refetch} />
          </p>
        ) : null}
      </div>
      <ForwardField {...{ form, tidy, typo, destinations, offers, onForwardFocus }} />
      <Notes {...{ form, shown }} />
      <SubmitButton className="btn-primary" pending={form.formState.isSubmitting} pendingLabel={t("Creating...")}>
        {t("Create Alias")}
      </SubmitButton>
    </form>
  );
}
