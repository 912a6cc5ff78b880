/** What several sections of the admin page are made of. */
import { Check, CircleAlert, Copy, Minus, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { t } from "../../texts/texts.ts";
import { IconButton } from "../../ui/Controls.tsx";
import { Skeleton } from "../../ui/LoadFailed.tsx";
import { copyText } from "../../ui/text/copy-text.ts";
import { timeText } from "../../ui/text/time-text.ts";

export type LineMark = "ok" | "warn" | "fix" | "wait" | "none";

const marks = {
  ok: { Icon: Check, words: t("Good") },
  warn: { Icon: TriangleAlert, words: t("Worth knowing") },
  fix: { Icon: CircleAlert, words: t("To fix") },
  none: { Icon: Minus, words: t("Not known") },
} as const;

/** The state of a line, in a shape of its own besides the colour. */
export function StateMark({ mark }: { mark: LineMark }) {
  if (mark === "wait")
    return (
      <span className="mark-wait" role="img" aria-label={t("Not yet")}>
        <i />
      </span>
    );
  const { Icon, words } = marks[mark];
  return <Icon className={`i i-20 mark-${mark}`} role="img" aria-label={words} />;
}

/** The mark beside one big sentence. */
export function VerdictMark({ mark }: { mark: LineMark }) {
  if (mark === "wait") return <span className="spin" />;
  return (
    <span className={`verdict-mark is-${mark}`}>
      <StateMark mark={mark} />
    </span>
  );
}

const domainsCommand = "`kauke domains`";

const sectionTitles: Readonly<Record<string, string>> = {
  Overview: t("Overview"),
  Queue: t("Queue"),
  Domains: t("Domains"),
  Certificates: t("Certificates"),
};

function Part({ text }: { text: string }) {
  if (!/^[`[]/.test(text)) return text;
  const inner = text.slice(1, -1);
  const isDomains = text === domainsCommand;
  if (text.startsWith("`") && !isDomains) return <code>{inner}</code>;
  return (
    <Link className="link" href={`/admin?section=${isDomains ? "domains" : inner.toLowerCase()}`}>
      {isDomains ? <code>{inner}</code> : (sectionTitles[inner] ?? inner)}
    </Link>
  );
}

const parts = /(`[^`]+`|\[(?:Overview|Queue|Domains|Certificates)\])/;

/**
 * Text whose parts in backticks are code, as the checks write them. `[Domains]` links to that section, and so does the
 * command that prints the same records.
 */
export function Sentences({ text }: { text: string }) {
  return text.split(parts).map((part, at) => (
    // The parts of one text never move.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <Part key={at} text={part} />
  ));
}

export const Time = ({ iso }: { iso: string }) => <time dateTime={iso}>{timeText(iso)}</time>;

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A command to type on the server. */
export function CommandLine({ command }: { command: string }) {
  return (
    <div className="command">
      <code>{command}</code>
      <IconButton
        icon={Copy}
        label={t("Copy")}
        fullLabel={t("Copy {command}", { command })}
        onClick={() => void copyText(command)}
      />
    </div>
  );
}

export function LoadingRows({ widths = [24, 18, 21] }: { widths?: readonly number[] }) {
  return (
    <ul className="admin-rows" aria-hidden="true">
      {widths.map((width) => (
        <li key={width}>
          <Skeleton w={`${width}ch`} />
        </li>
      ))}
    </ul>
  );
}
