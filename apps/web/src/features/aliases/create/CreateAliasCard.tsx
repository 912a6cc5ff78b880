import { limits } from "@kauke/contract";
import { ArrowRight } from "lucide-react";
import { useId, useMemo } from "react";
import { useAliases, useDomains } from "../../../api/aliases.ts";
import { useAccountDefaults, useMailboxes } from "../../../api/mailboxes.ts";
import { TextField } from "../../../ui/Field.tsx";
import { TryAgain } from "../../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../../ui/SubmitButton.tsx";
import { addressOf, notesLeft, validEntries } from "../alias-text.ts";
import { ForwardField } from "./ForwardField.tsx";
import { NameField } from "./NameField.tsx";
import { firstDestination, mailboxesToOffer, offeredDestinations } from "./offered-destinations.ts";
import { type CreateState, useCreateForm } from "./use-create-form.ts";
import { useWantedName } from "./wanted-name.ts";

function PreviewLine({ alias, domain, forwardTo }: CreateState["shown"]) {
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

const noDomains: readonly string[] = [];

function useOffer(userId: string) {
  const domains = useDomains();
  const { data: aliases } = useAliases(userId);
  const { data: mailboxes } = useMailboxes();
  const { data: defaults } = useAccountDefaults();
  const boxes = useMemo(() => mailboxesToOffer(mailboxes ?? []), [mailboxes]);
  const offered = useMemo(() => offeredDestinations(boxes, aliases ?? []), [boxes, aliases]);
  const beginning = {
    domain: domains.data?.find((domain) => domain === defaults?.domain) ?? domains.data?.[0] ?? "",
    forwardTo: firstDestination(mailboxes ?? []),
  };
  return {
    domains,
    offered,
    beginning,
    format: defaults?.format ?? "characters",
    hasSite: defaults?.siteInName ?? false,
  };
}

export function CreateAliasCard({ userId }: { userId: string }) {
  const titleId = useId();
  const { domains, offered, beginning, format, hasSite } = useOffer(userId);
  const own = domains.data ?? noDomains;
  const { form, shown, tidy, typo, onSubmit, onForwardFocus } = useCreateForm({
    userId,
    domains: own,
    beginning,
    known: offered,
  });
  const { errors, isSubmitting } = form.formState;
  useWantedName((name) => {
    if (name !== "") tidy.change("alias", name);
    tidy.name();
    form.setFocus("alias");
  });
  return (
    <form className="card" onSubmit={onSubmit} noValidate aria-labelledby={titleId}>
      <div className="card-head">
        <h2 id={titleId}>Create alias</h2>
      </div>
      <div className="card-body create">
        <div className="grid gap-1.5">
          <NameField {...{ userId, form, shown, tidy, format, hasSite }} domains={own} />
          {domains.isError ? (
            <p className="hint">
              The domains could not be loaded. <TryAgain onClick={domains.refetch} />
            </p>
          ) : null}
        </div>
        <ForwardField {...{ form, shown, tidy, typo, offered, onForwardFocus }} />
        <TextField
          label={
            <>
              Notes <span className="opt">optional</span>
            </>
          }
          aside={<span className="count">{notesLeft(shown.notes)}</span>}
          maxLength={limits.notesMax}
          autoComplete="off"
          error={errors.notes?.message}
          {...form.register("notes")}
        />
      </div>
      <div className="card-foot">
        <PreviewLine {...shown} />
        <SubmitButton className="btn-primary" pending={isSubmitting} pendingLabel="Creating...">
          Create Alias
        </SubmitButton>
      </div>
    </form>
  );
}
