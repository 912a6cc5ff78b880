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

/** Spinner below a heading that is already shown. Inside a button use `SubmitButton`. */
export function ContentSpinner() {
  return (
    <div className="loading page-loading">
      <div role="status" className="contents">
        <span className="spin" />
        Loading...
      </div>
      <NeedsScript what="This page" />
    </div>
  );
}

/** Spinner for a whole page. */
export function PageSpinner() {
  return (
    <main id="main">
      <ContentSpinner />
    </main>
  );
}
