/** Groups and rows of the settings, for their index and for the command palette. */
import type { SettingsGroupName } from "@kauke/contract/settings-groups";
import { AtSign, FileInput, Inbox, KeyRound, type LucideIcon, PlugZap, Send, UserRound } from "lucide-react";

export interface SettingsRow {
  title: string;
  /** Id of the card's heading that contains the row. */
  id: string;
}

export interface SettingsPart {
  path: "/settings" | `/settings/${SettingsGroupName}`;
  title: string;
  /** Above the group's cards, if not the title, which is one of the cards'. */
  heading?: string;
  icon: LucideIcon;
  rows: readonly SettingsRow[];
}

export const firstPart: SettingsPart = {
  path: "/settings",
  title: "Encryption",
  icon: KeyRound,
  rows: [{ title: "Encryption keys", id: "encryption-keys" }],
};

export const settingsParts: readonly SettingsPart[] = [
  firstPart,
  {
    path: "/settings/mail",
    title: "Mail",
    icon: Send,
    rows: [
      { title: "Leak guard", id: "outgoing" },
      { title: "Alias in quoted lines", id: "outgoing" },
      { title: "Forward encrypted", id: "forwarded" },
      { title: "Remember people", id: "people" },
    ],
  },
  {
    path: "/settings/mailboxes",
    title: "Mailboxes",
    heading: "Where your mail goes",
    icon: Inbox,
    rows: [{ title: "Mailboxes", id: "mailboxes" }],
  },
  {
    path: "/settings/new-aliases",
    title: "New aliases",
    heading: "How aliases begin",
    icon: AtSign,
    rows: [
      { title: "Default domain", id: "defaults" },
      { title: "Generated names", id: "defaults" },
      { title: "Site name in generated names", id: "defaults" },
    ],
  },
  {
    path: "/settings/programs",
    title: "Programs",
    icon: PlugZap,
    rows: [{ title: "API keys", id: "api-keys" }],
  },
  {
    path: "/settings/account",
    title: "Account",
    icon: UserRound,
    rows: [
      { title: "Sign-in", id: "sign-in" },
      { title: "Change e-mail", id: "sign-in" },
      { title: "Change password", id: "sign-in" },
      { title: "Wallet and Google sign-in", id: "sign-in" },
      { title: "Signed-in devices", id: "sessions" },
      { title: "Appearance and theme", id: "appearance" },
      { title: "Delete account", id: "delete-account" },
    ],
  },
  {
    path: "/settings/data",
    title: "Move and data",
    icon: FileInput,
    rows: [
      { title: "Move in", id: "move-in" },
      { title: "Move out", id: "move-out" },
      { title: "Download your data", id: "your-data" },
    ],
  },
];

/** Hashes by which a sign-in at the issuer returns. */
const ofSignIn = /^(?:google-|signed-in-for-)/;

/** The part with the row that an address names; addresses from when all parts were one page name them, too. */
export function partOfAnchor(anchor: string): SettingsPart | undefined {
  const id = ofSignIn.test(anchor) ? "sign-in" : anchor;
  return settingsParts.find(({ rows }) => rows.some((row) => row.id === id));
}
