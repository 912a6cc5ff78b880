/**
 * Replaces what could not be rendered with a retry button and a link home. If a chunk is gone after an update, the page
 * reloads once.
 */
import { Component, type ReactNode } from "react";
import { Mask } from "../ui/Mask.tsx";
import { PageSpinner } from "../ui/Spinner.tsx";
import { isMissingChunk, reloadOnce } from "./missing-chunk.ts";

interface State {
  failure: "none" | "error" | "chunk";
  isReloading: boolean;
}

export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failure: "none", isReloading: false };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failure: isMissingChunk(error) ? "chunk" : "error" };
  }

  override componentDidCatch(error: unknown): void {
    if (isMissingChunk(error) && reloadOnce()) this.setState({ isReloading: true });
  }

  /**
   * Renders again; after a missing chunk reloads, because the browser remembers failed imports until the page is left.
   */
  readonly #tryAgain = () => {
    if (this.state.failure === "chunk") location.reload();
    else this.setState({ failure: "none" });
  };

  override render(): ReactNode {
    const { failure, isReloading } = this.state;
    if (failure === "none") return this.props.children;
    if (isReloading) return <PageSpinner />;
    return (
      <main id="main" className="page lost" tabIndex={-1}>
        <Mask eyes="shut" />
        <h1>Something went wrong</h1>
        <p className="muted" role="alert">
          {failure === "chunk"
            ? "This page could not be loaded. Check your connection, then try again."
            : "This page could not be shown. Trying again usually helps."}
        </p>
        <div className="acts">
          <button type="button" className="btn btn-primary" onClick={this.#tryAgain}>
            Try again
          </button>
          <a className="btn" href="/home">
            Back to start
          </a>
        </div>
      </main>
    );
  }
}
