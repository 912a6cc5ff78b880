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
      <p>Search covers the alias, where it forwards, the notes and the labels.</p>
      <button type="button" className="btn btn-sm" onClick={onClear}>
        Clear search
      </button>
    </div>
  );
}

const nothing = {
  all: { title: "No aliases", text: "Create one above." },
  active: { title: "No alias is active", text: "The switch of an alias activates it." },
  paused: { title: "No alias is paused", text: "Mail to a paused alias is silently dropped." },
  pinned: { title: "No alias is pinned", text: "Select aliases, then press Pin: they are listed first." },
  unconfirmed: { title: "No alias waits for a confirmation", text: "Every mailbox has answered." },
  label: { title: "No alias has this label", text: "Select aliases, then press Label." },
};

export function NothingHere({ filter, onAll }: { filter: keyof typeof nothing; onAll: () => void }) {
  const { title, text } = nothing[filter];
  return (
    <div className="empty">
      <h3>{title}</h3>
      <p>{text}</p>
      <button type="button" className="btn btn-sm" onClick={onAll}>
        Show all aliases
      </button>
    </div>
  );
}
