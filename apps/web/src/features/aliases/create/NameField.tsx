/** Name and domain of a new alias in one line. */
import { useId } from "react";
import { FieldError } from "../../../ui/Field.tsx";
import { Select } from "../../../ui/Select.tsx";
import { useNameProblem } from "./name-problem.ts";
import type { CreateState } from "./use-create-form.ts";

interface Props extends Pick<CreateState, "form" | "shown" | "tidy"> {
  userId: string;
  domains: readonly string[];
}

export function NameField({ form, shown, tidy, userId, domains }: Props) {
  const id = useId();
  const { errors } = form.formState;
  const { alias, domain } = shown;
  const problem = useNameProblem(userId, alias, domain);
  const nameError = errors.alias?.message ?? problem;
  const error = nameError ?? errors.domain?.message;
  const name = form.register("alias", { onBlur: tidy.name });
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
          aria-invalid={nameError ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          // Read once the pasted text is in the field
          onPaste={() => setTimeout(tidy.name)}
          {...name}
        />
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
