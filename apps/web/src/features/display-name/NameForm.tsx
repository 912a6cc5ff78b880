/** A name that correspondents see beside an address, with how they see it while it is typed. */
import { cleanDisplayName, displayNameProblem } from "@kauke/contract";
import { type FormEvent, useState } from "react";
import { fieldMessages } from "../../api/error-text.ts";
import { rich, t } from "../../texts/texts.ts";
import { TextField } from "../../ui/Field.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";

/** @example Jonas of Own <me@own.example> */
export function SeenFrom({ name, address }: { name: string; address: string }) {
  if (name === "") return <span className="addr">{address}</span>;
  return (
    <>
      <bdi>{name}</bdi> <span className="addr">{`<${address}>`}</span>
    </>
  );
}

interface Props {
  className: string;
  /** Empty: none. */
  saved: string;
  /** The name that counts while this one is empty. */
  inherited: string;
  address: string;
  isPending: boolean;
  save: (displayName: string) => Promise<unknown>;
}

export function NameForm({ className, saved, inherited, address, isPending, save }: Props) {
  // Until something is typed, the field follows what is saved, e.g. when a change is undone.
  const [typed, setTyped] = useState<string | null>(null);
  const [error, setError] = useState<string>();
  const name = cleanDisplayName(typed ?? saved);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const problem = displayNameProblem(name);
    setError(problem ?? undefined);
    if (problem !== null || isPending) return;
    try {
      if (name !== saved) await save(name);
      setTyped((now) => (now === typed ? null : now));
    } catch (failure) {
      const [, message] = fieldMessages(failure).find(([field]) => field === "displayName") ?? [];
      setError(message ?? refusalText(failure as Error, t("Failed to save the setting")));
    }
  };
  return (
    <form className={className} onSubmit={(event) => void onSubmit(event)} noValidate>
      <TextField
        label={t("Display name")}
        autoComplete="off"
        spellCheck={false}
        placeholder={inherited}
        value={typed ?? saved}
        error={error}
        onChange={({ target }) => {
          setTyped(target.value);
          setError(undefined);
        }}
      />
      {displayNameProblem(name) === null ? (
        <output className="hint">
          {rich("Correspondents see: {from}", {
            from: <SeenFrom key="from" name={name === "" ? inherited : name} address={address} />,
          })}
        </output>
      ) : null}
      <SubmitButton className="btn-sm" pending={isPending} pendingLabel={t("Saving...")}>
        {t("Save Name")}
      </SubmitButton>
    </form>
  );
}
