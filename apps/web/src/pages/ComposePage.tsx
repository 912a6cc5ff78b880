import "../app/zod-jitless.ts";

import { useMemo } from "react";
import { useAliases } from "../api/aliases.ts";
import { useSendingAliases } from "../api/email-jobs.ts";
import { useUser } from "../api/session/session.ts";
import { ComposeForm } from "../features/compose/ComposeForm.tsx";
import { draftOf } from "../features/compose/drafts.ts";
import { NoSendingAliases } from "../features/compose/SenderHint.tsx";
import { sendersOf } from "../features/compose/senders.ts";
import { UnsentMail } from "../features/compose/UnsentMail.tsx";
import { LoadFailed } from "../ui/LoadFailed.tsx";

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
      <div className="card">
        <LoadFailed
          heading="h2"
          title="Your aliases could not be loaded"
          error={failed[0].error}
          onRetry={() => failed.forEach(({ refetch }) => void refetch())}
        />
      </div>
    );
  // The form stays while there is a draft, even if the last alias was deleted.
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
