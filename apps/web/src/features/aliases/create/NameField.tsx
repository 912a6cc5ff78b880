import { type AliasFormat, isAliasName } from "@kauke/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { useDomainChoices } from "../../../api/account-domains.ts";
import { useListedAliases } from "../../../api/aliases.ts";
import { t } from "../../../texts/texts.ts";
import { Select } from "../../../ui/Controls.tsx";
import { FieldError, verbatim } from "../../../ui/Field.tsx";
import { addressOf } from "../alias-text.ts";
import { isReservedName, reservedFailure } from "./create-failure.ts";
import { NameDice } from "./NameDice.tsx";
import type { CreateState } from "./use-create-form.ts";

/** Milliseconds without typing before a name is checked: `post` is reserved, `postcards` is not. */
const SETTLE_MS = 400;

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function useOwnAddresses(userId: string): ReadonlySet<string> {
  const { data } = useListedAliases(userId);
  return useMemo(() => new Set(data?.map((alias) => addressOf(alias).toLowerCase())), [data]);
}

/** Names of other accounts are not checked while typing, which would allow probing. */
function useNameProblem(userId: string, typed: string, domain: string): string | undefined {
  const name = typed.trim();
  const isJudged = useSettled(name) === name && isAliasName(name);
  const own = useOwnAddresses(userId);
  const { data: isReserved } = useQuery({
    queryKey: ["is-reserved-name", name.toLowerCase()],
    queryFn: () => isReservedName(name),
    enabled: isJudged,
  });
  if (!isJudged) return undefined;
  const address = addressOf({ alias: name, domain });
  if (own.has(address.toLowerCase())) return t("You already have {address}.", { address });
  return isReserved ? reservedFailure(name).description : undefined;
}

/** Types over the selected text, so that the browser's own Undo brings it back. @returns false where it can't */
const replaceSelection = (text: string): boolean => document.execCommand("insertText", false, text);

interface Props extends Pick<CreateState, "form" | "shown" | "tidy"> {
  userId: string;
  format: AliasFormat;
  /** Whether generated names may begin with a site's name. */
  hasSite: boolean;
  domains: readonly string[];
}

export function NameField({ form, shown, tidy, userId, format, hasSite, domains }: Props) {
  const id = useId();
  const { errors } = form.formState;
  const { alias, domain } = shown;
  const choices = useDomainChoices(domains);
  const problem = useNameProblem(userId, alias, domain);
  const nameError = errors.alias?.message ?? problem;
  const error = nameError ?? errors.domain?.message;
  const onName = (generated: string) => {
    form.clearErrors("alias");
    input.current?.focus();
    input.current?.select();
    if (!replaceSelection(generated)) tidy.change("alias", generated);
  };
  const input = useRef<HTMLInputElement | null>(null);
  const { ref, ...name } = form.register("alias", { onBlur: tidy.name });
  return (
    <div className="field">
      <label htmlFor={id}>{t("Alias name and domain")}</label>
      <div className={alias.trim() === "" ? "join" : "join is-named"}>
        <span className="named">
          <input
            className="input mono"
            id={id}
            placeholder="shop.k7"
            {...verbatim}
            aria-invalid={nameError ? true : undefined}
            aria-describedby={error ? `${id}-error` : undefined}
            // The paste event fires before the name field changes.
            onPaste={() => setTimeout(tidy.name)}
            {...name}
            ref={(element) => {
              ref(element);
              input.current = element;
            }}
          />
          <NameDice
            {...{ userId, domain, format, hasSite }}
            name={alias}
            onName={onName}
            onSiteMissing={(message) => form.setError("alias", { message }, { shouldFocus: true })}
          />
        </span>
        <span className="at" aria-hidden="true">
          @
        </span>
        <Select
          mono
          aria-label={t("Domain")}
          value={domain}
          onChange={(event) => tidy.change("domain", event.target.value)}
          options={choices}
        />
      </div>
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </div>
  );
}
