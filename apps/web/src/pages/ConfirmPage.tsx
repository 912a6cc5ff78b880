/**
 * /confirm/…: the page behind the links of a mailbox's confirmation message. Needs no sign-in; opening it changes
 * nothing.
 */
import { Link, useLocation } from "wouter";
import { ApiError, messageOf } from "../api/api-error.ts";
import { useConfirmation } from "../api/confirmations.ts";
import { normalizePath } from "../app/path.ts";
import { ConfirmationCard } from "../features/confirmation/ConfirmationCard.tsx";
import { readConfirmationPath } from "../features/confirmation/confirmation-path.ts";
import { Mask } from "../ui/Mask.tsx";
import { PageSpinner } from "../ui/Spinner.tsx";

function LinkOver() {
  return (
    <main id="main" className="page lost" tabIndex={-1}>
      <Mask eyes="shut" />
      <h1>Link not valid</h1>
      <p className="muted">This link is unknown, or its 30 days are over.</p>
      <Link className="btn mt-3" href="/">
        Back to start
      </Link>
    </main>
  );
}

function LoadFailed({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <main id="main" className="page lost" tabIndex={-1} role="alert">
      <Mask eyes="shut" />
      <h1>The link could not be checked</h1>
      <p className="muted">{message}</p>
      <button type="button" className="btn mt-3" onClick={onRetry}>
        Try again
      </button>
    </main>
  );
}

export function ConfirmPage() {
  const [location] = useLocation();
  const { token = "", isNotMine = false } = readConfirmationPath(normalizePath(location)) ?? {};
  const { data: standing, error, isFetching, refetch } = useConfirmation(token);
  if (standing !== undefined)
    return (
      <main id="main" className="page lost" tabIndex={-1}>
        <Mask eyes={standing.state === "refused" || standing.state === "blocked" ? "shut" : undefined} />
        <ConfirmationCard token={token} standing={standing} isNotMine={isNotMine} />
      </main>
    );
  if (error === null || isFetching) return <PageSpinner />;
  if (error instanceof ApiError && error.status === 404) return <LinkOver />;
  return <LoadFailed message={messageOf(error, "Please try again.")} onRetry={() => void refetch()} />;
}
