import { Copy, Info } from "lucide-react";
import { type ReactNode, useEffect, useId, useState } from "react";
import { clientsGuidePath } from "../../app/page-settings.ts";
import { rich, t } from "../../texts/texts.ts";
import { Button, IconButton } from "../../ui/Controls.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { copySecret, copyText } from "../../ui/text/copy-text.ts";
import { PartFailed, usePart } from "../../ui/use-part.tsx";
import { qrText } from "./new-api-key.ts";

const loadQr = async () => (await import("../../ui/QrCode.tsx")).QrCode;

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

interface LeaveProps {
  name: string;
  onLeave: () => void;
  onClose: () => void;
}

/** Asks before leaving a new key that was not copied yet. */
function LeaveKeyDialog({ name, onLeave, onClose }: LeaveProps) {
  return (
    <Dialog
      hasToChoose
      title={t("Close without copying the key?")}
      description={t("{name} is not shown again. A program that does not have it yet needs another key.", { name })}
      onClose={onClose}
    >
      <footer>
        <Button onClick={onLeave}>{t("Close")}</Button>
        {/* The button back to the key has the focus: a key pressed by habit must not leave the page. */}
        <Button look="primary" autoFocus onClick={onClose}>
          {t("Back to the Key")}
        </Button>
      </footer>
    </Dialog>
  );
}

interface Props {
  name: string;
  secret: string;
  onClose: () => void;
}

export function NewKeyShown({ name, secret, onClose }: Props) {
  const { origin } = window.location;
  const { part: qr, hasFailed } = usePart(true, loadQr);
  const [isCopied, setIsCopied] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  useEffect(() => {
    if (isCopied) return;
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", onLeave);
    return () => window.removeEventListener("beforeunload", onLeave);
  }, [isCopied]);
  const onCopy = async () => {
    if (await copySecret(Promise.resolve(secret), t("API key {name}", { name }))) setIsCopied(true);
  };
  return (
    <Dialog
      hasToChoose
      title={t("Your new API key")}
      description={t("{name}: copy it into the program now. It is not shown again.", { name })}
      onClose={onClose}
      onEscape={() => (isCopied ? onClose() : setIsAsking(true))}
    >
      <div className="body">
        <div className="key-entries">
          <Entry label={t("Server address")} text={origin}>
            <IconButton icon={Copy} label={t("Copy address")} onClick={() => void copyText(origin)} />
          </Entry>
          <Entry label={t("API key")} text={secret}>
            <Button
              isSmall
              look="ink"
              icon={Copy}
              // The Copy button gets the focus, since the form that had it is gone.
              autoFocus
              onClick={() => void onCopy()}
            >
              {t("Copy Key")}
            </Button>
          </Entry>
        </div>
        {hasFailed ? <PartFailed what={t("The QR code")} canReload={false} /> : null}
        <div className="qr-box">
          {qr === null ? null : <qr.component text={qrText(origin, secret)} label={t("server address and key")} />}
        </div>
        <div className="note note-plain">
          <Info className="i" aria-hidden />
          <div>
            {rich(
              "In the program, choose addy.io or SimpleLogin with a server of your own, and enter address and key. The QR code contains both, for apps that scan it. See the <a>guide</a>.",
              {
                a: (inner) => (
                  <a className="link" href={clientsGuidePath} target="_blank" rel="noopener">
                    {inner}
                  </a>
                ),
              },
            )}
          </div>
        </div>
      </div>
      <footer>
        <Button look="primary" onClick={onClose}>
          {t("Done")}
        </Button>
      </footer>
      {isAsking ? <LeaveKeyDialog name={name} onLeave={onClose} onClose={() => setIsAsking(false)} /> : null}
    </Dialog>
  );
}
