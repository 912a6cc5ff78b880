/** Settings of the account. */
import { ExportCard } from "../features/account/ExportCard.tsx";
import { OutgoingCard } from "../features/account/OutgoingCard.tsx";
import { SealingCard } from "../features/account/SealingCard.tsx";
import { AppearanceCard } from "../features/appearance/AppearanceCard.tsx";
import { EncryptionKeysCard } from "../features/encryption-keys/EncryptionKeysCard.tsx";

export function SettingsPage() {
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="title">
        <h1>Settings</h1>
        <p>Generate and manage your encryption settings.</p>
      </div>
      <div className="stack">
        <EncryptionKeysCard />
        <SealingCard />
        <OutgoingCard />
        <AppearanceCard />
        <ExportCard />
      </div>
    </main>
  );
}
