import { useEffect, useMemo, useState } from "react";
import { useAccountDomains } from "../api/account-domains.ts";
import { useAliases } from "../api/aliases.ts";
import { useContacts } from "../api/contacts.ts";
import { useSendingAliases } from "../api/email-jobs.ts";
import { useUser } from "../api/session/session.ts";
import { ComposeForm } from "../features/compose/ComposeForm.tsx";
import { DraftsMenu } from "../features/compose/DraftsMenu.tsx";
import { isBlank } from "../features/compose/letter.ts";
import { beginLetters, useOpenLetter } from "../features/compose/letter-store.ts";
import { Outbox } from "../features/compose/Outbox.tsx";
import { Receipt } from "../features/compose/Receipt.tsx";
import type { Person } from "../features/compose/RecipientsRow.tsx";
import { NoSendingAliases } from "../features/compose/SenderHint.tsx";
import { sendersOf } from "../features/compose/senders.ts";
import type { ComposeProps } from "../features/compose/use-send.ts";
import { takeWantedSender } from "../features/compose/wanted-sender.ts";
import { t } from "../texts/texts.ts";
import { LoadFailed } from "../ui/LoadFailed.tsx";

const nobody: readonly Person[] = [];

function Letters({ userId, senders }: ComposeProps) {
  const { letter, openedAs, sent } = useOpenLetter();
  useEffect(() => takeWantedSender(senders), [senders]);
  const { data: people = nobody } = useContacts();
  // A form that follows a receipt, or another letter, takes the focus.
  const [first] = useState({ openedAs });
  const [hasShownReceipt, setShownReceipt] = useState(false);
  if (sent !== null && !hasShownReceipt) setShownReceipt(true);
  if (sent !== null) return <Receipt sent={sent} senders={senders} />;
  // The form stays while there is a letter, even if the last alias was deleted.
  if (senders?.length === 0 && isBlank(letter)) return <NoSendingAliases />;
  const takesFocus = openedAs !== first.openedAs || hasShownReceipt;
  return <ComposeForm key={openedAs} userId={userId} senders={senders} people={people} takesFocus={takesFocus} />;
}

function Content({ userId }: { userId: string }) {
  const ready = useSendingAliases(userId);
  const all = useAliases(userId);
  const { data: own } = useAccountDomains();
  const senders = useMemo(
    () =>
      ready.data === undefined || all.data === undefined ? undefined : sendersOf(ready.data, all.data, own?.domains),
    [ready.data, all.data, own],
  );
  const failed = [ready, all].filter(({ data, error }) => data === undefined && error !== null);
  return (
    <>
      {failed[0] === undefined ? (
        <Letters userId={userId} senders={senders} />
      ) : (
        <div className="card">
          <LoadFailed
            heading="h2"
            title={t("Your aliases could not be loaded")}
            error={failed[0].error}
            onRetry={() => failed.forEach(({ refetch }) => void refetch())}
          />
        </div>
      )}
      <Outbox userId={userId} senders={senders} />
    </>
  );
}

export function ComposePage() {
  const user = useUser();
  useEffect(() => beginLetters(user.id), [user.id]);
  return (
    <>
      <DraftsMenu />
      <Content userId={user.id} />
    </>
  );
}
