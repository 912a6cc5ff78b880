/** Fields for the name and the domain of a new alias, in one line. */
import type { AliasFormat } from "@kauke/contract";
import { useId } from "react";
import { FieldError } from "../../../ui/Field.tsx";
import { Select } from "../../../ui/Select.tsx";
import { NameDice } from "./NameDice.tsx";
import { useNameProblem } from "./name-problem.ts";
import type { CreateState } from "./use-create-form.ts";

interface Props extends Pick<CreateState, "form" | "shown" | "tidy"> {
  userId: string;
  /** The account's default format of generated names. */
  format: AliasFormat;
  /** Whether generated names may begin with a site's name. */
  hasSite: boolean;
  domains: readonly string[];
}

export function NameField({ form, shown, tidy, userId, format, hasSite, domains }: Props) {
  const id = useId();
  const { errors } = form.formState;
  const { alias, domain } = shown;
  const problem = useNameProblem(userId, alias, domain);
  const nameError = errors.alias?.message ?? problem;
  const error = nameError ?? errors.domain?.message;
  const onName = (generated: string) => {
    form.clearErrors("alias");
    tidy.change("alias", generated);
    form.setFocus("alias");
  };
  const name = form.register("alias", { onBlur: tidy.name });
  return (
    <div className="field">
      <label htmlFor={id}>Alias name and domain</label>
      <div className="join">
        <span className="named">
          <input
            className="input mono"
            id={id}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            aria-invalid={nameError ? true : undefined}
            aria-describedby={error ? `${id}-error` : undefined}
            // The paste event fires before the text is in the field, so the field is tidied a task later
            onPaste={() => setTimeout(tidy.name)}
            {...name}
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
        <Select mono aria-label="Domain" value={domain} onChange={(event) => tidy.change("domain", event.target.value)}>
          {domains.map((own) => (
            <option key={own}>{own}</option>
          ))}
        </Select>
      </div>
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </div>
  );
}
