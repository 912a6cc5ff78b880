import type { EncryptionKeyWire } from "@kauke/contract";
import { Copy, Download, Trash2 } from "lucide-react";
import { IconButton } from "../../ui/IconButton.tsx";
import { copyText } from "../../ui/text/copy-text.ts";
import { dayText } from "../../ui/text/time-text.ts";

interface Props {
  encryptionKey: EncryptionKeyWire;
  /** Whether the request that makes this key the default is in flight. */
  pending: boolean;
  onMakeDefault: () => void;
  onDownload: () => void;
  onDelete: () => void;
}

export function KeyRow({ encryptionKey, pending, onMakeDefault, onDownload, onDelete }: Props) {
  const { keyName, publicKey, createdAt, isDefault } = encryptionKey;
  return (
    <li>
      <div className="name">
        <span>{keyName}</span>
        {isDefault ? <span className="tag">default</span> : null}
        {publicKey.startsWith("age1pq1") ? <span className="tag">post-quantum</span> : null}
      </div>
      <div className="pub">
        <code>{publicKey}</code>
        <IconButton
          icon={Copy}
          label="Copy public key"
          fullLabel={`Copy public key of ${keyName}`}
          onClick={() => void copyText(publicKey, `Public key of ${keyName}`)}
        />
      </div>
      <time dateTime={createdAt}>{dayText(createdAt)}</time>
      <div className="acts">
        {isDefault ? null : (
          <button
            type="button"
            className="btn btn-quiet btn-sm"
            aria-label={`Make default: ${keyName}`}
            disabled={pending}
            onClick={onMakeDefault}
          >
            Make default
          </button>
        )}
        <IconButton icon={Download} label="Download" fullLabel={`Download ${keyName}`} onClick={onDownload} />
        <IconButton
          icon={Trash2}
          label="Delete"
          fullLabel={`Delete ${keyName}`}
          className="danger"
          onClick={onDelete}
        />
      </div>
    </li>
  );
}
