import "../app/zod-jitless.ts";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { useLoginSessions, useSignInWays } from "../api/session/sign-in.ts";
import { normalizePath } from "../app/path.ts";
import { AppearanceCard } from "../features/account/AppearanceCard.tsx";
import { DeleteAccountCard } from "../features/account/DeleteAccountCard.tsx";
import { ForwardEncryptedCard, OutgoingCard } from "../features/account/MailCards.tsx";
import { SessionsCard } from "../features/account/SessionsCard.tsx";
import { SettingsGroup } from "../features/account/SettingsGroup.tsx";
import { BackToIndex, SettingsIndex } from "../features/account/SettingsIndex.tsx";
import { SignInCard } from "../features/account/SignInCard.tsx";
import { firstPart, type SettingsPart, settingsParts } from "../features/account/settings-index.ts";
import { useNamedRow } from "../features/account/use-named-row.ts";
import { ApiKeysCard } from "../features/api-keys/ApiKeysCard.tsx";
import { DomainsCard } from "../features/domains/DomainsCard.tsx";
import { EncryptionKeysCard } from "../features/encryption-keys/EncryptionKeysCard.tsx";
import { DefaultsCard } from "../features/mailboxes/DefaultsCard.tsx";
import { MailboxesCard } from "../features/mailboxes/MailboxesCard.tsx";
import { MoveCards } from "../features/move/MoveCards.tsx";
import { PeopleCard } from "../features/people/PeopleCard.tsx";

/** Each card is shown when those above it have their height, so that none moves. */
function AccountCards() {
  const ways = useSignInWays();
  const sessions = useLoginSessions();
  return (
    <>
      <SignInCard />
      {ways.isPending ? null : <SessionsCard />}
      {ways.isPending || sessions.isPending ? null : (
        <>
          <AppearanceCard />
          <DeleteAccountCard />
        </>
      )}
    </>
  );
}

const cards: Readonly<Record<SettingsPart["path"], ReactNode>> = {
  "/settings": <EncryptionKeysCard />,
  "/settings/mail": (
    <>
      <OutgoingCard />
      <ForwardEncryptedCard />
      <PeopleCard />
    </>
  ),
  "/settings/mailboxes": <MailboxesCard />,
  "/settings/domains": <DomainsCard />,
  "/settings/new-aliases": <DefaultsCard />,
  "/settings/programs": <ApiKeysCard />,
  "/settings/account": <AccountCards />,
  "/settings/data": <MoveCards />,
};

export function SettingsPage() {
  const [location] = useLocation();
  const part = settingsParts.find(({ path }) => path === normalizePath(location)) ?? firstPart;
  useNamedRow(part.path);
  const isFirst = part === firstPart;
  return (
    <div className={isFirst ? "settings" : "settings settings-next"}>
      <SettingsIndex path={part.path} />
      <div>
        {isFirst ? null : <BackToIndex />}
        <SettingsGroup title={part.heading ?? part.title}>{cards[part.path]}</SettingsGroup>
      </div>
    </div>
  );
}
