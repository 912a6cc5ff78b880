/** Message for browsers without JavaScript, on pages that do not work without it. */
export function NeedsScript({ what }: { what: string }) {
  return (
    <noscript>
      <p className="note note-plain needs-script">
        {what} needs JavaScript. Please switch it on and load the page again.
      </p>
    </noscript>
  );
}
