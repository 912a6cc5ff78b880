/** Groups and rows of the settings, for their index and for the command palette. */
import type { SettingsGroupName } from "@kauke/contract/settings-groups";
import { AtSign, FileInput, Globe, Inbox, KeyRound, type LucideIcon, PlugZap, Send, UserRound } from "lucide-react";
import { t } from "../../texts/texts.ts";

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
  title: t("Encryption"),
  icon: KeyRound,
  rows: [{ title: t("Encryption keys"), id: "encryption-keys" }],
};

export const settingsParts: readonly SettingsPart[] = [
  firstPart,
  {
    path: "/settings/mail",
    title: t("Mail"),
    icon: Send,
    rows: [
      { title: t("Leak guard"), id: "outgoing" },
      { title: t("Alias in quoted lines"), id: "outgoing" },
      { title: t("Forward encrypted"), id: "forwarded" },
      { title: t("Remember people"), id: "people" },
    ],
  },
  {
    path: "/settings/mailboxes",
    title: t("Mailboxes"),
    heading: t("Where your mail goes"),
    icon: Inbox,
    rows: [{ title: t("Mailboxes"), id: "mailboxes" }],
  },
  {
    path: "/settings/domains",
    title: t("Domains"),
    icon: Globe,
    rows: [{ title: t("Own domains"), id: "domains" }],
  },
  {
    path: "/settings/new-aliases",
    title: t("New aliases"),
    heading: t("How aliases begin"),
    icon: AtSign,
    rows: [
      { title: t("Default domain"), id: "defaults" },
      { title: t("Generated names"), id: "defaults" },
      { title: t("Site name in generated names"), id: "defaults" },
    ],
  },
  {
    path: "/settings/programs",
    title: t("Programs"),
    icon: PlugZap,
    rows: [{ title: t("API keys"), id: "api-keys" }],
  },
  {
    path: "/settings/account",
    title: t("Account"),
    icon: UserRound,
    rows: [
      { title: t("Sign-in"), id: "sign-in" },
      { title: t("Change e-mail"), id: "sign-in" },
      { title: t("Change password"), id: "sign-in" },
      { title: t("Wallet and Google sign-in"), id: "sign-in" },
      { title: t("Signed-in devices"), id: "sessions" },
      { title: t("Appearance and theme"), id: "appearance" },
      { title: t("Language"), id: "appearance" },
      { title: t("Delete account"), id: "delete-account" },
    ],
  },
  {
    path: "/settings/data",
    title: t("Move and data"),
    icon: FileInput,
    rows: [
      { title: t("Move in"), id: "move-in" },
      { title: t("Move out"), id: "move-out" },
      { title: t("Download your data"), id: "your-data" },
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
