/**
 * What the preview inbox shows to a browser without the token from the link printed at the start. An HTML document
 * without script.
 */
import { Mask } from "../ui/Mask.tsx";

export function PreviewLockedPage() {
  return (
    <main id="main" className="page lost" tabIndex={-1}>
      <Mask eyes="shut" />
      <span className="label">403</span>
      <h1>Preview inbox</h1>
      <p className="muted">
        The preview inbox shows everybody's mail, so it opens with a link of its own. Open the one that the server
        printed when it started:
      </p>
      <p>
        <code>/preview?token=…</code>
      </p>
      <p className="muted">
        The token is also in the file <code>preview.token</code> of the data directory.
      </p>
      <a className="btn btn-primary mt-3" href="/">
        Back to start
      </a>
    </main>
  );
}
