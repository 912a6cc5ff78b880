/** The name that correspondents see for aliases of an own domain that have none of their own. */
import type { AccountDomainWire } from "@kauke/contract";
import { ChevronDown } from "lucide-react";
import { useId, useState } from "react";
import { useChangeDomain } from "../../api/account-domains.ts";
import { t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { NameForm } from "../display-name/NameForm.tsx";

export function NamePart({ domain: { id: domainId, shownDomain, displayName } }: { domain: AccountDomainWire }) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const change = useChangeDomain();
  const save = async (name: string) => {
    await change.mutateAsync({ domainId, body: { displayName: name } });
    showToast({ title: t("Display Name Changed") });
  };
  return (
    <section className="domain-appear" aria-label={`${t("Display name")}: ${shownDomain}`}>
      <div className="domain-head">
        <div>
          <h5 id={`${id}-title`}>{t("Display name")}</h5>
          <p>{displayName === null ? t("None: people see the address alone.") : <bdi>{displayName}</bdi>}</p>
        </div>
        <div className="acts">
          <Button
            isSmall
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            aria-label={t("Change the display name of {domain}", { domain: shownDomain })}
            onClick={() => setIsOpen(!isOpen)}
          >
            {t("Change")}
            <ChevronDown className="i" aria-hidden />
          </Button>
        </div>
      </div>
      {isOpen ? (
        <div id={id} className="domain-records">
          <p>{t("Aliases on this domain send with this name, unless they have one of their own.")}</p>
          <NameForm
            className="appear-form"
            saved={displayName ?? ""}
            inherited=""
            address={`shop@${shownDomain}`}
            isPending={change.isPending}
            save={save}
          />
        </div>
      ) : null}
    </section>
  );
}
