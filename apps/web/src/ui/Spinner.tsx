import { NeedsScript } from "./NeedsScript.tsx";

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
