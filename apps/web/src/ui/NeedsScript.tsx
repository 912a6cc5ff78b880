/** What a browser without JavaScript is told on pages that can do nothing without it. */
export function NeedsScript({ what }: { what: string }) {
  return (
    <noscript>
      <p className="note note-plain needs-script">
        {what} needs JavaScript. Please switch it on and load the page again.
      </p>
    </noscript>
  );
}
