/** What an alias can do besides forwarding, each part folded away until it is wanted. */
import type { AliasWire } from "@kauke/contract";
import { ChevronDown } from "lucide-react";
import { type ReactNode, useId } from "react";
import { t } from "../../../texts/texts.ts";
import { SmtpPanel } from "../../smtp-credentials/SmtpPanel.tsx";
import { WebhookSecretCard } from "../../smtp-credentials/WebhookSecretCard.tsx";
import { destinationText, entriesOf, isUrl } from "../alias-text.ts";
import { EncryptedForwarding, useSealingText } from "../row/AliasSettings.tsx";
import { DisplayName, useNameText } from "./DisplayName.tsx";
import { type Fold as FoldName, setFold, usePanelState } from "./panel-state.ts";
import { WriteToSomebody } from "./WriteToSomebody.tsx";

interface Props {
  name: FoldName;
  title: string;
  text: string;
  children: ReactNode;
}

function Fold({ name, title, text, children }: Props) {
  const id = useId();
  const isOpen = usePanelState().folds.has(name);
  return (
    <section className="fold">
      <h3>
        <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setFold(name, !isOpen)}>
          <span>
            <b>{title}</b> <small>{text}</small>
          </span>
          <ChevronDown className="i" aria-hidden />
        </button>
      </h3>
      <div className="in" id={id} hidden={!isOpen}>
        {isOpen ? children : null}
      </div>
    </section>
  );
}

export function PanelFolds({ alias }: { alias: AliasWire }) {
  const sealing = useSealingText(alias);
  const nameText = useNameText(alias);
  const hasWebhook = entriesOf(destinationText(alias)).some(isUrl);
  return (
    <>
      <Fold name="name" title={t("Display name")} text={nameText}>
        <DisplayName alias={alias} />
      </Fold>
      <Fold
        name="smtp"
        title={t("Send from this alias")}
        text={t("From Compose here, or from any mail program with these.")}
      >
        <SmtpPanel alias={alias} />
      </Fold>
      <Fold
        name="write"
        title={t("Write to somebody new")}
        text={t("Get an address that reaches them as {alias}.", { alias: alias.alias })}
      >
        <WriteToSomebody alias={alias} />
      </Fold>
      <Fold name="sealing" title={t("Forward encrypted")} text={sealing}>
        <EncryptedForwarding alias={alias} />
      </Fold>
      {hasWebhook ? (
        <Fold name="webhook" title={t("Webhook signature")} text={t("Shows a webhook that a call comes from here.")}>
          <WebhookSecretCard aliasId={alias.id} />
        </Fold>
      ) : null}
    </>
  );
}
