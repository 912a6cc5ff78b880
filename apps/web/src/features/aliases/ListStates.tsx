/** Empty states of the alias list. */
import { Mask } from "../../ui/Mask.tsx";

export function NoAliases({ onCreate }: { onCreate: () => void }) {
  return (
    <div className="empty">
      <Mask className="m" />
      <h3>No aliases yet</h3>
      <p>Create one above and use it in place of your address. Its mail is forwarded to the mailbox you choose.</p>
      <button type="button" className="btn" onClick={onCreate}>
        Create your first alias
      </button>
    </div>
  );
}

export function NoMatch({ query, onClear }: { query: string; onClear: () => void }) {
  return (
    <div className="empty">
      <h3 className="wrap-anywhere">No aliases match “{query}”</h3>
      <p>Search covers the alias, where it forwards and the notes.</p>
      <button type="button" className="btn btn-sm" onClick={onClear}>
        Clear search
      </button>
    </div>
  );
}
