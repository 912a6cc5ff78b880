/** The commands of the palette that are about no alias that exists. */
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
  /** Put into the field, where the alias is then typed. */
  text: string;
}

export interface Command {
  title: string;
  icon: LucideIcon;
  /** A page to go to, the beginning of a longer command, or the form for a new alias. */
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

/** Commands of which a word begins with each typed word; all of them if nothing is typed. */
export function findCommands(typed: string): Command[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const fits = ({ title }: Command) => words.every((word) => ` ${title.toLowerCase()}`.includes(` ${word}`));
  return commands.filter(fits);
}
