import type { AliasWire } from "@kauke/contract";
import { type FormEvent, useState } from "react";
import { t } from "../../../texts/texts.ts";
import { Button, Switch } from "../../../ui/Controls.tsx";
import { TextField, verbatim } from "../../../ui/Field.tsx";
import { copyText } from "../../../ui/text/copy-text.ts";
import { NeedsEngine, useForwarding } from "../../forwarding/NeedsEngine.tsx";
import { sendAddress } from "../alias-text.ts";
import { useSaveAlias } from "../row/AliasSettings.tsx";

const SWITCH = t("Write from your mail program by address");

function AddressForm({ alias, onCopied }: { alias: AliasWire; onCopied: () => void }) {
  const [person, setPerson] = useState("");
  const [error, setError] = useState<string>();
  const made = sendAddress(alias, person);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if ("error" in made) return setError(made.error);
    void copyText(made.address);
    onCopied();
  };
  return (
    <form className="write-form" noValidate onSubmit={onSubmit}>
      <TextField
        label={t("Their e-mail address")}
        type="email"
        mono
        {...verbatim}
        placeholder="ann@planner.example"
        value={person}
        error={error}
        onChange={({ target }) => {
          setPerson(target.value);
          setError(undefined);
        }}
      />
      {"error" in made ? null : <output className="addr">{made.address}</output>}
      <Button type="submit" isSmall look="ink">
        {t("Copy Address")}
      </Button>
    </form>
  );
}

/** Makes an address such as `alias+person=host.example@domain`, which the owner's mail program can write to. */
export function WriteToSomebody({ alias }: { alias: AliasWire }) {
  const provider = useForwarding();
  const { save, pending } = useSaveAlias(alias, t("Alias Updated"));
  if (provider !== null) return <NeedsEngine provider={provider} />;
  const isOn = pending?.writeByAddress ?? alias.writeByAddress;
  return (
    <>
      <AddressForm alias={alias} onCopied={() => isOn || save({ writeByAddress: true })} />
      <div className="alias-setting">
        <p>
          {t(
            "What a confirmed mailbox sends to that address arrives from this alias. Copying switches it on. Whoever can send as that mailbox can write as the alias too.",
          )}
        </p>
        <Switch checked={isOn} label={SWITCH} onChange={(writeByAddress) => save({ writeByAddress })} />
      </div>
    </>
  );
}
