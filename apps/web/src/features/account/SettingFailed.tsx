import { messageOf } from "../../api/api-error.ts";

/** Shown in a card in place of a row that could not be loaded. */
export function SettingFailed({ title, error, onRetry }: { title: string; error: Error; onRetry: () => void }) {
  return (
    <div className="card-body setting" role="alert">
      <div>
        <h4>{title}</h4>
        <p>{messageOf(error, "Please try again.")}</p>
      </div>
      <button type="button" className="btn" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}
