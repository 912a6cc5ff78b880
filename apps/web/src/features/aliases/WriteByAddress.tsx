/** Setting of one alias: whether its owner may write from a mail program to `alias+person=host.example@domain`. */
import type { AliasWire } from "@kauke/contract";
import { useId } from "react";
import { useUpdateAlias } from "../../api/aliases.ts";
import { messageOf } from "../../api/api-error.ts";
import { Switch } from "../../ui/Switch.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { addressOf } from "./alias-text.ts";

const TITLE = "Write from your mail program by address";

export function WriteByAddress({ alias }: { alias: AliasWire }) {
  const id = useId();
  const update = useUpdateAlias(alias.userId);
  const onChange = (writeByAddress: boolean) => {
    if (update.isPending) return;
    update.mutate(
      { aliasId: alias.id, body: { writeByAddress } },
      {
        onSuccess: (saved) => showToast({ title: "Alias Updated", description: addressOf(saved) }),
        onError: (error) => showFailure("Update Failed", messageOf(error, "Failed to update alias")),
      },
    );
  };
  const isOn = update.isPending ? update.variables.body.writeByAddress : alias.writeByAddress;
  return (
    <div className="smtp alias-setting" role="group" aria-labelledby={id}>
      <div>
        <h3 id={id}>{TITLE}</h3>
        <p>
          What you send to{" "}
          <span className="mono">
            {alias.alias}+ann=planner.example@{alias.domain}
          </span>{" "}
          from a confirmed mailbox goes to ann@planner.example from this alias. Whoever can send as that mailbox can
          write as the alias too.
        </p>
      </div>
      <Switch checked={isOn ?? false} label={TITLE} onChange={onChange} />
    </div>
  );
}
