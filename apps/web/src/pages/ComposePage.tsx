import "../app/zod-jitless.ts";

import { useMemo } from "react";
import { useAliases } from "../api/aliases.ts";
import { messageOf } from "../api/api-error.ts";
import { useSendingAliases } from "../api/email-jobs.ts";
import { useUser } from "../api/session/session.ts";
import { ComposeForm } from "../features/compose/ComposeForm.tsx";
import { draftOf } from "../features/compose/drafts.ts";
import { NoSendingAliases, SendingAliasesFailed } from "../features/compose/SenderHint.tsx";
import { sendersOf } from "../features/compose/senders.ts";
import { UnsentMail } from "../features/compose/UnsentMail.tsx";

function Content({ userId }: { userId: string }) {
  const ready = useSendingAliases(userId);
  const all = useAliases(userId);
  const senders = useMemo(
    () => (ready.data === undefined || all.data === undefined ? undefined : sendersOf(ready.data, all.data)),
    [ready.data, all.data],
  );
  const failed = [ready, all].filter(({ data, error }) => data === undefined && error !== null);
  if (failed[0] !== undefined)
    return (
      <SendingAliasesFailed
        message={messageOf(failed[0].error, "Please try again.")}
        onRetry={() => failed.forEach(({ refetch }) => void refetch())}
      />
    );
  // Stays with a draft, even if the last alias was deleted.
  if (senders?.length === 0 && draftOf(userId) === null) return <NoSendingAliases />;
  return <ComposeForm userId={userId} senders={senders} />;
}

export function ComposePage() {
  const user = useUser();
  return (
    <>
      <UnsentMail userId={user.id} />
      <Content userId={user.id} />
    </>
  );
}
