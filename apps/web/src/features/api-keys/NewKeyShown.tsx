/** A new API key, shown once: the values to enter in a program, and a QR code of them. */
import { Copy, Info } from "lucide-react";
import { type ReactNode, useId } from "react";
import { clientsGuidePath } from "../../app/links.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { IconButton } from "../../ui/IconButton.tsx";
import { copySecret, copyText } from "../../ui/text/copy-text.ts";
import { useLate } from "../../ui/use-late.ts";
import { qrText } from "./new-api-key.ts";

const loadQr = async () => (await import("../../ui/qr/QrCode.tsx")).QrCode;

function Entry({ label, text, children }: { label: string; text: string; children: ReactNode }) {
  const id = useId();
  return (
    <div className="key-entry" role="group" aria-labelledby={id}>
      <span className="caption" id={id}>
        {label}
      </span>
      <code>{text}</code>
      {children}
    </div>
  );
}

interface Props {
  name: string;
  secret: string;
  onClose: () => void;
}

export function NewKeyShown({ name, secret, onClose }: Props) {
  const { origin } = window.location;
  const qr = useLate(true, loadQr);
  return (
    <Dialog
      hasToChoose
      title="Your new API key"
      description={`${name}: copy it into the program now. It is not shown again.`}
      onClose={onClose}
    >
      <div className="body">
        <div className="key-entries">
          <Entry label="Server address" text={origin}>
            <IconButton icon={Copy} label="Copy address" onClick={() => void copyText(origin)} />
          </Entry>
          <Entry label="API key" text={secret}>
            <button
              type="button"
              className="btn btn-ink btn-sm"
              // The form that had the focus has been replaced by this view
              autoFocus
              onClick={() => void copySecret(Promise.resolve(secret), `API key ${name}`)}
            >
              <Copy className="i" aria-hidden />
              Copy Key
            </button>
          </Entry>
        </div>
        <div className="qr-box">
          {qr === null ? null : <qr.component text={qrText(origin, secret)} label="server address and key" />}
        </div>
        <div className="note note-plain">
          <Info className="i" aria-hidden />
          <div>
            In the program, choose addy.io or SimpleLogin with a server of your own, and enter address and key. The QR
            code contains both, for apps that scan it. See the{" "}
            <a className="link" href={clientsGuidePath} target="_blank" rel="noopener">
              guide
            </a>
            .
          </div>
        </div>
      </div>
      <footer>
        <button type="button" className="btn btn-primary" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
