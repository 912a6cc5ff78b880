/** Messages are decrypted in the browser only. */
import "../app/zod-jitless.ts";
import { Tabs } from "radix-ui";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { Link } from "wouter";
import { useEncryptionKeys } from "../api/encryption-keys.ts";
import { AutoForm } from "../features/decrypt/AutoForm.tsx";
import { takeIncoming, useIncoming } from "../features/decrypt/incoming.ts";
import { ManualForm } from "../features/decrypt/ManualForm.tsx";
import { ResultCard } from "../features/decrypt/ResultCard.tsx";
import { type Decryption, useDecrypt } from "../features/decrypt/use-decrypt.ts";
import { type EncryptedInput, useEncrypted } from "../features/decrypt/use-encrypted.ts";
import { t } from "../texts/texts.ts";
import { Button } from "../ui/Controls.tsx";
import { Empty, LoadFailed } from "../ui/LoadFailed.tsx";

const noKeys = (
  <Empty
    heading="h2"
    eyes="open"
    title={t("No Encryption Keys Available")}
    text={t(
      "Create a key in Settings to decrypt with a master password, or use Manual Decrypt with a key of your own.",
    )}
  >
    <Link className="btn btn-primary" href="/settings">
      {t("Go to Settings")}
    </Link>
  </Empty>
);

interface AutoProps {
  query: ReturnType<typeof useEncryptionKeys>;
  encrypted: EncryptedInput;
  decryption: Decryption;
}

function Auto({ query, ...props }: AutoProps) {
  const { data: keys, error, refetch } = query;
  if (keys === undefined && error !== null)
    return <LoadFailed heading="h2" title={t("Your keys could not be loaded")} error={error} onRetry={refetch} />;
  return keys?.length === 0 ? noKeys : <AutoForm keys={keys} {...props} />;
}

type Method = "auto-decrypt" | "manual-decrypt";

/** Takes what was dropped or pasted on another page, or beside the form. */
function useArriving(encrypted: EncryptedInput, onArrival: () => void): void {
  const incoming = useIncoming();
  const arrive = useEffectEvent(() => {
    const taken = takeIncoming();
    if (taken === null) return;
    onArrival();
    void encrypted.arrive(taken);
  });
  useEffect(() => {
    if (incoming !== null) arrive();
  }, [incoming]);
}

/** The form is a line while its result is shown; a tab opens it again. */
function useFormState(decryption: Decryption, encrypted: EncryptedInput) {
  const messages = decryption.result?.messages ?? null;
  const [reopenedAt, setReopenedAt] = useState<typeof messages>(null);
  const { used } = encrypted;
  useEffect(() => {
    if (messages !== null) used();
  }, [messages, used]);
  return { isLine: messages !== null && reopenedAt !== messages, reopen: () => setReopenedAt(messages) };
}

export function DecryptPage() {
  const decryption = useDecrypt();
  const encrypted = useEncrypted();
  const query = useEncryptionKeys();
  const [method, setMethod] = useState<Method | null>(null);
  const [cleared, setCleared] = useState(0);
  const { isLine, reopen } = useFormState(decryption, encrypted);
  const form = useRef<HTMLElement>(null);
  // Text that arrives has no use on a tab that can't decrypt it.
  const usual = query.data?.length === 0 && encrypted.arrivals > 0 ? "manual-decrypt" : "auto-decrypt";
  const shown = method ?? usual;
  const focusIn = (selector: string) =>
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(selector)?.focus());
  const clear = () => {
    decryption.clear();
    encrypted.clear();
    // The passwords' fields are uncontrolled: remounting empties them.
    setCleared((count) => count + 1);
  };
  const onClear = () => {
    clear();
    focusIn("[role=tab][data-state=active]");
  };
  const onAnother = () => {
    clear();
    focusIn("[role=tabpanel][data-state=active] .encrypted textarea");
  };
  useArriving(encrypted, decryption.clear);
  return (
    <div className={isLine ? "panes decrypted" : "panes"}>
      <section className="card" aria-label={t("Method and message")} ref={form}>
        <Tabs.Root value={shown} onValueChange={(value) => setMethod(value as Method)} className="methods">
          <div className="methods-head">
            <Tabs.List className="tabs" aria-label={t("Method")}>
              <Tabs.Trigger value="auto-decrypt" onClick={reopen}>
                {t("Auto Decrypt")}
              </Tabs.Trigger>
              <Tabs.Trigger value="manual-decrypt" onClick={reopen}>
                {t("Manual Decrypt")}
              </Tabs.Trigger>
            </Tabs.List>
            {isLine ? (
              <Button isSmall look="primary" onClick={onAnother}>
                {t("Another message")}
              </Button>
            ) : null}
          </div>
          <Tabs.Content value="auto-decrypt" tabIndex={-1} forceMount hidden={isLine || undefined}>
            <Auto key={cleared} {...{ query, encrypted, decryption }} />
          </Tabs.Content>
          <Tabs.Content value="manual-decrypt" tabIndex={-1} forceMount hidden={isLine || undefined}>
            <ManualForm key={cleared} {...{ encrypted, decryption }} />
          </Tabs.Content>
        </Tabs.Root>
      </section>
      <ResultCard decryption={decryption} onClear={onClear} />
    </div>
  );
}
