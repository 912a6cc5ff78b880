/** What Auto Decrypt shows instead of its form while the keys load, or if there are none. */
import { Link } from "wouter";
import { Mask } from "../../ui/Mask.tsx";

export function NoKeys() {
  return (
    <div className="empty">
      <Mask className="m" />
      <h2>No Encryption Keys Available</h2>
      <p>Create a key in Settings to decrypt with a master password, or use Manual Decrypt with a key of your own.</p>
      <Link className="btn btn-primary" href="/settings">
        Go to Settings
      </Link>
    </div>
  );
}

export function KeysLoading() {
  return (
    <div className="empty" role="status">
      <span className="spin" />
      <p>Loading...</p>
    </div>
  );
}
