/** Shown on /compose instead of the form if the user has no alias, or if the aliases could not be loaded. */
import { Link } from "wouter";
import { Mask } from "../../ui/Mask.tsx";

export function NoSendingAliases() {
  return (
    <div className="card">
      <div className="empty">
        <Mask className="m" />
        <h2>No Email Aliases Available</h2>
        <p>To send from an alias:</p>
        <ol>
          <li>Create an alias in the Dashboard</li>
          <li>Come back here and write</li>
          <li>Sending makes SMTP credentials for it</li>
        </ol>
        <Link className="btn btn-primary" href="/dashboard">
          Go to Dashboard
        </Link>
      </div>
    </div>
  );
}

export function SendingAliasesFailed({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <div className="card">
      <div className="empty" role="alert">
        <Mask className="m" eyes="shut" />
        <h2>Your aliases could not be loaded</h2>
        <p>{message}</p>
        <button type="button" className="btn" onClick={onRetry}>
          Try again
        </button>
      </div>
    </div>
  );
}
