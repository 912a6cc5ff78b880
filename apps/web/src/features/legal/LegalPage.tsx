/**
 * Layout of About, the legal pages, the Transparency Report and the guides: title, figures, table of contents, and the
 * text beside it. Rendering never accesses `window`, so that the pages can be prerendered.
 */
import { Fragment, type ReactNode } from "react";
import { Link } from "wouter";
import { useCurrentPart } from "./use-current-part.ts";

export interface LegalPart {
  /** Anchor of a section of the page, e.g. `what-we-keep`. */
  id: string;
  title: string;
  body: ReactNode;
}

interface Props {
  title: string;
  lead: string;
  /** The page's key figures, at most three. */
  figures?: readonly (readonly [words: string, figure: string | number])[];
  parts: readonly LegalPart[];
}

export function LegalPage({ title, lead, figures = [], parts }: Props) {
  const current = useCurrentPart(parts);
  return (
    <main id="main" className="page prose-page" tabIndex={-1}>
      <div className="title">
        <h1>{title}</h1>
        <p>{lead}</p>
      </div>
      {figures.length > 0 && <Figures figures={figures} />}
      <div className="prose-grid">
        <nav className="toc" aria-label="On this page">
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

/** Table of two columns; the second contains a figure or a time. */
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

/** Link to another of our pages, within a sentence. */
export function PageLink({ to, children }: { to: string; children: string }) {
  return (
    <Link className="link" href={to}>
      {children}
    </Link>
  );
}
