/** Settings of the account. */
import "../app/zod-jitless.ts";

import { ForwardEncryptedCard } from "../features/account/ForwardEncryptedCard.tsx";
import { OutgoingCard } from "../features/account/OutgoingCard.tsx";
import { SessionsCard } from "../features/account/SessionsCard.tsx";
import { SettingsGroup } from "../features/account/SettingsGroup.tsx";
import { SignInCard } from "../features/account/SignInCard.tsx";
import { AppearanceCard } from "../features/appearance/AppearanceCard.tsx";
import { EncryptionKeysCard } from "../features/encryption-keys/EncryptionKeysCard.tsx";
import { MoveGroup } from "../features/move/MoveGroup.tsx";

export function SettingsPage() {
  return (
    <>
      <SettingsGroup title="Encryption and mail">
        <EncryptionKeysCard />
        <ForwardEncryptedCard />
        <OutgoingCard />
      </SettingsGroup>
      <SettingsGroup title="Account">
        <SignInCard />
        <SessionsCard />
        <AppearanceCard />
      </SettingsGroup>
      <MoveGroup />
    </>
  );
}
