/**
 * Note below a mailbox that is suspended because its mail host reported that it does not exist, with a button that
 * resumes delivery.
 */
import { messageOf } from "../../api/api-error.ts";
import { useResumeMailbox } from "../../api/confirmations.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";

export function SuspendedMailbox({ userId, address }: { userId: string; address: string }) {
  const resume = useResumeMailbox(userId);
  const onClick = () =>
    resume.mutate(address, {
      onSuccess: () => showToast({ title: "Mailbox Resumed", description: `Mail goes to ${address} again.` }),
      onError: (error) => showFailure("Not Resumed", messageOf(error, "The mailbox could not be resumed")),
    });
  return (
    <span className="gone">
      Suspended: its mail host says there is no such mailbox.{" "}
      <button
        type="button"
        className="link"
        disabled={resume.isPending}
        aria-label={`Try again: ${address}`}
        onClick={onClick}
      >
        {resume.isPending ? "Resuming..." : "Try again"}
      </button>
    </span>
  );
}
