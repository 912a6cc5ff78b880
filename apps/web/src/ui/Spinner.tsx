export function NeedsScript({ what }: { what: string }) {
  return (
    <noscript>
      <p className="note note-plain needs-script">
        {what} needs JavaScript. Please switch it on and load the page again.
      </p>
    </noscript>
  );
}

/** A spinner below a heading. In buttons use `SubmitButton`. */
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

export function PageSpinner() {
  return (
    <main id="main">
      <ContentSpinner />
    </main>
  );
}
