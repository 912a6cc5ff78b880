import { NeedsScript } from "./NeedsScript.tsx";

/** The whole-page wait. Inside a button use `SubmitButton`. */
export function PageSpinner() {
  return (
    <main id="main" className="loading page-loading">
      <div role="status" className="contents">
        <span className="spin" />
        Loading...
      </div>
      <NeedsScript what="This page" />
    </main>
  );
}
