/** The whole-page wait. Inside a button use `PendingLabel`. */
export function PageSpinner() {
  return (
    <main id="main" className="loading page-loading">
      <div role="status" className="contents">
        <span className="spin" />
        Loading...
      </div>
    </main>
  );
}
