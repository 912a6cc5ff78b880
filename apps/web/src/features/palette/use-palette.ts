import type { AliasWire } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import {
  CirclePause,
  CirclePlay,
  Copy,
  FileInput,
  LockOpen,
  type LucideIcon,
  Mail,
  PenLine,
  Plus,
  Settings,
  ShieldCheck,
} from "lucide-react";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import { useAliases } from "../../api/aliases.ts";
import { useLabels } from "../../api/labels.ts";
import { useUser } from "../../api/session/session.ts";
import { normalizePath } from "../../app/path.ts";
import { t } from "../../texts/texts.ts";
import { copyText } from "../../ui/text/copy-text.ts";
import { settingsParts } from "../account/settings-index.ts";
import { closeAlias, openAlias, useOpenAliasId } from "../aliases/alias-location.ts";
import { addressOf } from "../aliases/alias-text.ts";
import { askForName } from "../aliases/create/wanted-name.ts";
import { switchAlias } from "../aliases/switch-alias.ts";
import { readEarlyText } from "./early-keys.ts";
import { closePalette } from "./palette-store.ts";
import { indexForPalette, rankAliases, readQuery, type Verb, verbNames, wantedBy } from "./rank-aliases.ts";

interface Page {
  path: string;
}

interface Prefix {
  /** Text that is put into the field, e.g. `pause `. */
  text: string;
}

interface Command {
  title: string;
  icon: LucideIcon;
  does: Page | Prefix | "create";
  isForAdmins?: true;
}

const createCommand: Command = { title: t("Create alias"), icon: Plus, does: "create" };

const commands: readonly Command[] = [
  { title: t("Copy an address"), icon: Copy, does: { text: `${verbNames.copy} ` } },
  { title: t("Pause an alias"), icon: CirclePause, does: { text: `${verbNames.pause} ` } },
  { title: t("Activate an alias"), icon: CirclePlay, does: { text: `${verbNames.activate} ` } },
  { title: t("Go to Aliases"), icon: Mail, does: { path: "/dashboard" } },
  { title: t("Go to Compose"), icon: PenLine, does: { path: "/compose" } },
  { title: t("Go to Decrypt"), icon: LockOpen, does: { path: "/decrypt" } },
  { title: t("Go to Settings"), icon: Settings, does: { path: "/settings" } },
  { title: t("Go to Move in"), icon: FileInput, does: { path: "/move" } },
  { title: t("Go to Admin"), icon: ShieldCheck, does: { path: "/admin" }, isForAdmins: true },
];

/** Rows of the settings, found by what is typed; a title that is its group's own is listed once. */
const settings: readonly Command[] = settingsParts.flatMap(({ path, title, icon, rows }) =>
  rows.map((row) => ({
    title:
      row.title === title
        ? t("Settings: {group}", { group: title })
        : t("Settings: {group}, {setting}", { group: title, setting: row.title }),
    icon,
    does: { path: `${path}#${row.id}` },
  })),
);

/** Finds commands: each typed word must begin a word of the command. */
function findCommands(typed: string, isAdmin: boolean | undefined): Command[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const fits = ({ title }: Command) => words.every((word) => ` ${title.toLowerCase()}`.includes(` ${word}`));
  const all = typed === "" ? commands : [...commands, ...settings];
  return all.filter((command) => fits(command) && (isAdmin || !command.isForAdmins));
}

/** Maximum aliases listed for a typed text, and for an empty one. */
const SHOWN = 20;
const SHOWN_FIRST = 5;

export type Entry = { kind: "alias"; alias: AliasWire; verb: Verb } | { kind: "command"; command: Command };

export interface Group {
  title: string;
  entries: Entry[];
}

const none: AliasWire[] = [];

function useIndex() {
  const { data, error, isFetching, refetch } = useAliases(useUser().id);
  const aliases = data ?? none;
  const hasLabels = useMemo(() => aliases.some(({ labels }) => labels.length > 0), [aliases]);
  const { data: labels } = useLabels(hasLabels);
  const index = useMemo(
    () => indexForPalette(aliases, new Map(labels?.map((label) => [label.id, label]))),
    [aliases, labels],
  );
  const state = data !== undefined ? "ready" : error !== null && !isFetching ? "failed" : "loading";
  return { index, state, error, refetch } as const;
}

const titles: Record<Verb, string> = {
  open: t("Aliases"),
  copy: t("Copy the address"),
  pause: t("Pause"),
  activate: t("Activate"),
};

const entryOf = (command: Command): Entry => ({ kind: "command", command });

/** Groups commands first, unless an alias' name begins with the typed text. */
function groupsOf(index: ReturnType<typeof useIndex>["index"], text: string, isAdmin: boolean | undefined): Group[] {
  const { verb, typed } = readQuery(text);
  const isFirst = verb === "open" && typed === "";
  const { aliases, hasName } = rankAliases(index, {
    typed,
    wanted: wantedBy[verb],
    limit: isFirst ? SHOWN_FIRST : SHOWN,
  });
  const found: Group = { title: titles[verb], entries: aliases.map((alias) => ({ kind: "alias", alias, verb })) };
  if (verb !== "open") return [found];
  const create = entryOf(createCommand);
  const commands: Group = { title: t("Commands"), entries: findCommands(typed, isAdmin).map(entryOf) };
  if (isFirst) return [found, { ...commands, entries: [create, ...commands.entries] }];
  const made: Group = { title: t("New"), entries: [create] };
  return hasName ? [found, commands, made] : [commands, found, made];
}

export function usePalette() {
  const [text, setText] = useState(readEarlyText);
  const [place, setPlace] = useState(0);
  const client = useQueryClient();
  const [location, navigate] = useLocation();
  const isPanelOpen = useOpenAliasId() !== null;
  const { index, state, error, refetch } = useIndex();
  const { isAdmin } = useUser();
  const groups = useMemo(
    () => groupsOf(index, text, isAdmin).filter(({ entries }) => entries.length > 0),
    [index, text, isAdmin],
  );
  const entries = groups.flatMap((group) => group.entries);
  const { verb, typed } = readQuery(text);

  const type = (typedText: string) => {
    setText(typedText);
    setPlace(0);
  };
  const goTo = (path: string) => {
    const isHere = normalizePath(location) === path || (path === "/dashboard" && normalizePath(location) === "/");
    if (!isHere) navigate(path);
    else if (isPanelOpen) closeAlias();
  };
  const run = ({ does }: Command) => {
    if (does !== "create" && "text" in does) return type(does.text);
    closePalette();
    if (does === "create") askForName(typed);
    goTo(does === "create" ? "/dashboard" : does.path);
  };
  const apply = (alias: AliasWire, wanted: Verb) => {
    closePalette();
    if (wanted === "open") openAlias(alias.id);
    else if (wanted === "copy") void copyText(addressOf(alias));
    else void switchAlias(client, alias, wanted === "activate");
  };
  /** @param wanted verb other than the typed one */
  const choose = (entry: Entry | undefined, wanted?: Verb) => {
    if (entry === undefined) return;
    if (entry.kind === "command") run(entry.command);
    else apply(entry.alias, wanted ?? entry.verb);
  };
  const active = Math.min(place, entries.length - 1);
  return { text, type, verb, typed, groups, entries, active, setPlace, choose, state, error, refetch };
}

export type Palette = ReturnType<typeof usePalette>;
