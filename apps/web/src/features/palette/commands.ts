/** The commands of the palette that do not act on an existing alias. */
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
} from "lucide-react";

interface Page {
  path: string;
}

interface Prefix {
  /** Text put into the palette's field, after which the user types the alias, e.g. `pause `. */
  text: string;
}

export interface Command {
  title: string;
  icon: LucideIcon;
  /**
   * Effect of the command: opens a page, puts the beginning of a longer command into the field, or shows the form for a
   * new alias.
   */
  does: Page | Prefix | "create";
}

export const createCommand: Command = { title: "Create alias", icon: Plus, does: "create" };

const commands: readonly Command[] = [
  { title: "Copy an address", icon: Copy, does: { text: "copy " } },
  { title: "Pause an alias", icon: CirclePause, does: { text: "pause " } },
  { title: "Activate an alias", icon: CirclePlay, does: { text: "activate " } },
  { title: "Go to Aliases", icon: Mail, does: { path: "/dashboard" } },
  { title: "Go to Compose", icon: PenLine, does: { path: "/compose" } },
  { title: "Go to Decrypt", icon: LockOpen, does: { path: "/decrypt" } },
  { title: "Go to Settings", icon: Settings, does: { path: "/settings" } },
  { title: "Go to Move in", icon: FileInput, does: { path: "/move" } },
];

/** Finds commands: each typed word must begin a word of the command. Without typed words all commands match. */
export function findCommands(typed: string): Command[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const fits = ({ title }: Command) => words.every((word) => ` ${title.toLowerCase()}`.includes(` ${word}`));
  return commands.filter(fits);
}
