import { NeedsScript } from "./NeedsScript.tsx";

/** The wait for a page whose heading stands already. Inside a button use `SubmitButton`. */
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

/** The whole-page wait. */
export function PageSpinner() {
  return (
    <main id="main">
      <ContentSpinner />
    </main>
  );
}
