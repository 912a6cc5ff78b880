/** Checks of one domain: by its button, and by themselves while its records are shown and DNS lacks some. */
import type { AccountDomainWire } from "@kauke/contract";
import { useEffect, useEffectEvent, useState } from "react";
import { useCheckDomain } from "../../api/account-domains.ts";
import { ApiError } from "../../api/api-error.ts";
import { messageOf } from "../../api/error-text.ts";
import { t } from "../../texts/texts.ts";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { foundText, isWaiting } from "./domain-text.ts";
import { repeatCheck } from "./recheck.ts";

const statesOf = ({ state, records }: AccountDomainWire): string =>
  [state, ...records.map((record) => record.state)].join();

/** Whether a check has proven the domain, for the first time or again. */
const isNewlyProven = (before: AccountDomainWire, after: AccountDomainWire): boolean =>
  after.state === "proven" && before.state !== "proven";

function showWorks(before: AccountDomainWire["state"], { shownDomain: domain }: AccountDomainWire): void {
  showToast(
    before === "failing"
      ? { title: t("Domain Works Again"), description: t("The records of {domain} are right again.", { domain }) }
      : { title: t("Domain Works"), description: t("Mail to {domain} is accepted from now on.", { domain }) },
  );
}

export function useDomainCheck(domain: AccountDomainWire, isShown: boolean) {
  const check = useCheckDomain();
  /** Why the domain does not become the account's, which DNS alone can't change. */
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isAsked, setIsAsked] = useState(false);
  const run = async (): Promise<AccountDomainWire | Error> => {
    try {
      const checked = await check.mutateAsync(domain.id);
      setRefusal(null);
      if (isNewlyProven(domain, checked)) showWorks(domain.state, checked);
      return checked;
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) setRefusal(messageOf(error, ""));
      return error as Error;
    }
  };
  const onTime = useEffectEvent(async () => {
    const before = statesOf(domain);
    const checked = check.isPending ? domain : await run();
    return !(checked instanceof Error) && statesOf(checked) !== before;
  });
  const isRepeated = isShown && isWaiting(domain);
  useEffect(() => (isRepeated ? repeatCheck(() => onTime()) : undefined), [isRepeated]);
  const onCheck = async () => {
    setIsAsked(true);
    const checked = await run();
    setIsAsked(false);
    if (!(checked instanceof Error)) {
      if (!isNewlyProven(domain, checked)) showToast({ title: t("Checked"), description: foundText(checked) });
    } else if (!(checked instanceof ApiError && checked.status === 409))
      showFailure(t("Not Checked"), refusalText(checked, t("DNS could not be asked. Please try again.")));
  };
  return { onCheck: () => void onCheck(), isAsked, refusal, isRepeated };
}
