/** Compose Email: the form, or what is missing before the user can send. */
import "../app/zod-jitless.ts";

import { messageOf } from "../api/api-error.ts";
import { useSendingAliases } from "../api/email-jobs.ts";
import { useUser } from "../api/session/session.ts";
import { ComposeForm } from "../features/compose/ComposeForm.tsx";
import { NoSendingAliases, SendingAliasesFailed } from "../features/compose/NoSendingAliases.tsx";
import { WaitingMail } from "../features/compose/WaitingMail.tsx";

function Content({ userId }: { userId: string }) {
  const { data, error, refetch } = useSendingAliases(userId);
  if (error !== null && data === undefined)
    return <SendingAliasesFailed message={messageOf(error, "Please try again.")} onRetry={() => void refetch()} />;
  if (data?.length === 0) return <NoSendingAliases />;
  return <ComposeForm userId={userId} aliases={data} />;
}

export function ComposePage() {
  const user = useUser();
  return (
    <>
      <WaitingMail userId={user.id} />
      <Content userId={user.id} />
    </>
  );
}
