/** Says which mail made an alias by itself, and what can be done with it. */
import type { AliasWire } from "@kauke/contract";
import { Ban, Check, Tag } from "lucide-react";
import { useRef, useState } from "react";
import { useUpdateAlias } from "../../../api/aliases.ts";
import { messageOf } from "../../../api/error-text.ts";
import { useRefuseAlias } from "../../../api/refuse-alias.ts";
import { t } from "../../../texts/texts.ts";
import { Button } from "../../../ui/Controls.tsx";
import { ConfirmDialog } from "../../../ui/Dialog.tsx";
import { refusalText } from "../../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../../ui/toast-store.ts";
import { closeAlias } from "../alias-location.ts";
import { addressOf, madeByText } from "../alias-text.ts";
import { setLabelling } from "./panel-state.ts";

function RefuseDialog({ alias, onClose }: { alias: AliasWire; onClose: () => void }) {
  const refuse = useRefuseAlias(alias.userId);
  const isGone = useRef(false);
  const address = addressOf(alias);
  const onConfirm = () =>
    refuse.mutate(alias.id, {
      onSuccess: () => {
        isGone.current = true;
        showToast({ title: t("Alias Refused"), description: address });
        onClose();
        closeAlias();
      },
      onError: (error) =>
        showFailure(t("Alias Not Refused"), refusalText(error, t("The alias could not be refused. Please try again."))),
    });
  return (
    <ConfirmDialog
      title={t("Delete and refuse for good")}
      description={t(
        "{address} is deleted, and mail to it is refused from now on. Settings list the name, if you change your mind.",
        { address },
      )}
      label={t("Delete and Refuse")}
      pending={refuse.isPending}
      pendingLabel={t("Deleting...")}
      returnTo={() => (isGone.current ? document.querySelector<HTMLElement>(".list h2") : null)}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  );
}

export function MadeByMailPart({ alias }: { alias: AliasWire }) {
  const update = useUpdateAlias(alias.userId);
  const [isRefusing, setIsRefusing] = useState(false);
  const part = useRef<HTMLElement>(null);
  const text = madeByText(alias);
  if (text === null) return null;
  const onKeep = () => {
    const panel = part.current?.closest<HTMLElement>("[tabindex]");
    // Callbacks of React Query's `mutate` don't run once the component is gone.
    update.mutateAsync({ aliasId: alias.id, body: { madeByMail: null } }).then(
      () => {
        showToast({ title: t("Alias Kept"), description: addressOf(alias) });
        panel?.focus({ preventScroll: true });
      },
      (error) => showFailure(t("Update Failed"), messageOf(error, t("Failed to update alias"))),
    );
  };
  return (
    <section ref={part} className="made-by-mail" aria-label={t("How this alias was made")}>
      <p>{text}</p>
      <div className="acts">
        <Button isSmall icon={Check} disabled={update.isPending} onClick={onKeep}>
          {t("Keep")}
        </Button>
        <Button isSmall icon={Tag} onClick={() => setLabelling({ aliasId: alias.id, isCalled: true })}>
          {t("Label")}
        </Button>
        <Button isSmall icon={Ban} onClick={() => setIsRefusing(true)}>
          {t("Delete and Refuse for Good")}
        </Button>
      </div>
      {isRefusing ? <RefuseDialog alias={alias} onClose={() => setIsRefusing(false)} /> : null}
    </section>
  );
}
