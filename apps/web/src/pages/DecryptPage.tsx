/** Messages are decrypted in the browser only. */
import "../app/zod-jitless.ts";
import { Tabs } from "radix-ui";
import { useState } from "react";
import { Link } from "wouter";
import { useEncryptionKeys } from "../api/encryption-keys.ts";
import { AutoForm } from "../features/decrypt/AutoForm.tsx";
import { ManualForm } from "../features/decrypt/ManualForm.tsx";
import { ResultCard } from "../features/decrypt/ResultCard.tsx";
import { type Decryption, useDecrypt } from "../features/decrypt/use-decrypt.ts";
import { Empty, LoadFailed } from "../ui/LoadFailed.tsx";

const noKeys = (
  <Empty
    heading="h2"
    eyes="open"
    title="No Encryption Keys Available"
    text="Create a key in Settings to decrypt with a master password, or use Manual Decrypt with a key of your own."
  >
    <Link className="btn btn-primary" href="/settings">
      Go to Settings
    </Link>
  </Empty>
);

const loadingKeys = (
  <div className="empty" role="status">
    <span className="spin" />
    <p>Loading...</p>
  </div>
);

function Auto({ decryption }: { decryption: Decryption }) {
  const { data: keys, error, refetch } = useEncryptionKeys();
  if (keys === undefined && error !== null)
    return <LoadFailed heading="h2" title="Your keys could not be loaded" error={error} onRetry={refetch} />;
  if (keys === undefined) return loadingKeys;
  return keys.length === 0 ? noKeys : <AutoForm keys={keys} decryption={decryption} />;
}

const autoTab = "auto-decrypt";

export function DecryptPage() {
  const decryption = useDecrypt();
  const [cleared, setCleared] = useState(0);
  const onClear = () => {
    decryption.clear();
    // The fields are uncontrolled: remounting empties them.
    setCleared((count) => count + 1);
    document.querySelector<HTMLElement>(".panes [role=tab][data-state=active]")?.focus();
  };
  return (
    <>
      <div className="panes">
        <section className="card" aria-label="Method and message">
          <Tabs.Root defaultValue={autoTab} className="methods">
            <Tabs.List className="tabs" aria-label="Method">
              <Tabs.Trigger value={autoTab}>Auto Decrypt</Tabs.Trigger>
              <Tabs.Trigger value="manual-decrypt">Manual Decrypt</Tabs.Trigger>
            </Tabs.List>
            <Tabs.Content value={autoTab} tabIndex={-1} forceMount>
              <Auto key={cleared} decryption={decryption} />
            </Tabs.Content>
            <Tabs.Content value="manual-decrypt" tabIndex={-1} forceMount>
              <ManualForm key={cleared} decryption={decryption} />
            </Tabs.Content>
          </Tabs.Root>
        </section>
        <ResultCard decryption={decryption} onClear={onClear} />
      </div>
    </>
  );
}
