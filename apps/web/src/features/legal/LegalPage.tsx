/** Legal pages are prerendered, so rendering never touches `window`. */
import { Fragment, type ReactNode, useEffect, useState } from "react";
import { Link } from "wouter";
import { language, t } from "../../texts/texts.ts";

export interface LegalPart {
  /** The section's anchor, e.g. `what-we-keep`. */
  id: string;
  title: string;
  body: ReactNode;
}

interface Props {
  title: string;
  lead: string;
  /** At most three figures that the page states first. */
  figures?: readonly (readonly [words: string, figure: string | number])[];
  parts: readonly LegalPart[];
  /** The page is in English in every language. */
  isEnglish?: boolean;
}

export function LegalPage({ title, lead, figures = [], parts, isEnglish = false }: Props) {
  const current = useCurrentPart(parts);
  const isForeign = isEnglish && language() !== "en";
  return (
    <main id="main" className="page prose-page" tabIndex={-1} lang={isForeign ? "en" : undefined}>
      <div className="title">
        <h1>{title}</h1>
        <p>{lead}</p>
      </div>
      {isForeign && (
        <p className="note note-plain" lang={language()}>
          {t("This page is in English only, so that what it promises says the same to everybody.")}
        </p>
      )}
      {figures.length > 0 && <Figures figures={figures} />}
      <div className="prose-grid">
        <nav className="toc" aria-label={t("On this page")}>
          {parts.map(({ id, title: words }) => (
            <a key={id} href={`#${id}`} aria-current={id === current ? "true" : undefined}>
              {words}
            </a>
          ))}
        </nav>
        <article className="prose">
          {parts.map(({ id, title: words, body }) => (
            <Fragment key={id}>
              <h2 id={id} tabIndex={-1}>
                {words}
              </h2>
              {body}
            </Fragment>
          ))}
        </article>
      </div>
    </main>
  );
}

function Figures({ figures }: Required<Pick<Props, "figures">>) {
  return (
    <dl className="figures">
      {figures.map(([words, figure]) => (
        <div key={words}>
          <dt>{words}</dt>
          <dd>{figure}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Table of facts, whose second column has a figure or a time. */
export function FactTable({
  heads: [first, second],
  rows,
}: {
  heads: readonly [string, string];
  rows: readonly (readonly [what: string, fact: string | number])[];
}) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          <th scope="col">{second}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([what, fact]) => (
          <tr key={what}>
            <td>{what}</td>
            <td>{fact}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function PageLink({ to, children }: { to: string; children: string }) {
  return (
    <Link className="link" href={to}>
      {children}
    </Link>
  );
}

/** Pixels below the window's edge at which a heading is reached; more than the headings' scroll margin. */
const READING_LINE = 112;

/** The part being read: the last one whose heading has passed; at the page's end the last part. */
function useCurrentPart(parts: readonly { id: string }[]): string | undefined {
  const [current, setCurrent] = useState(parts[0]?.id);
  const ids = parts.map(({ id }) => id).join(" ");
  useEffect(() => {
    const names = ids.split(" ");
    followAddress(names);
    let frame = 0;
    const look = () => {
      frame = 0;
      setCurrent(partAtLine(names));
    };
    const onScroll = () => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    look();
    window.addEventListener("scroll", onScroll, { passive: true });
    window.addEventListener("resize", onScroll);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener("scroll", onScroll);
      window.removeEventListener("resize", onScroll);
    };
  }, [ids]);
  return current;
}

/** Scrolls to the address' hash, which the browser could not: the text was not rendered yet. */
function followAddress(ids: readonly string[]): void {
  const wanted = window.location.hash.slice(1);
  if (!ids.includes(wanted)) return;
  const heading = document.getElementById(wanted);
  heading?.scrollIntoView({ behavior: "instant" });
  heading?.focus({ preventScroll: true });
}

function partAtLine(ids: readonly string[]): string | undefined {
  const { scrollY, innerHeight } = window;
  const isAtEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
  if (isAtEnd) return ids.at(-1);
  const passed = ids.filter((id) => (document.getElementById(id)?.getBoundingClientRect().top ?? 0) <= READING_LINE);
  return passed.at(-1) ?? ids[0];
}
