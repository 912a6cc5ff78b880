import "../app/zod-jitless.ts";
import { AppearanceCard } from "../features/account/AppearanceCard.tsx";
import { ForwardEncryptedCard, OutgoingCard } from "../features/account/MailCards.tsx";
import { SessionsCard } from "../features/account/SessionsCard.tsx";
import { SettingsGroup } from "../features/account/SettingsGroup.tsx";
import { SignInCard } from "../features/account/SignInCard.tsx";
import { ApiKeysCard } from "../features/api-keys/ApiKeysCard.tsx";
import { EncryptionKeysCard } from "../features/encryption-keys/EncryptionKeysCard.tsx";
import { DefaultsCard } from "../features/mailboxes/DefaultsCard.tsx";
import { MailboxesCard } from "../features/mailboxes/MailboxesCard.tsx";
import { MoveGroup } from "../features/move/MoveGroup.tsx";

export function SettingsPage() {
  return (
    <>
      <SettingsGroup title="Encryption and mail">
        <EncryptionKeysCard />
        <ForwardEncryptedCard />
        <OutgoingCard />
      </SettingsGroup>
      <SettingsGroup title="Mailboxes and defaults">
        <MailboxesCard />
        <DefaultsCard />
      </SettingsGroup>
      <SettingsGroup title="Programs">
        <ApiKeysCard />
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
