/** Catches what a page throws while rendering, a chunk that no longer exists after an update included. */
import { Component, type ReactNode } from "react";
import { Mask } from "../ui/Mask.tsx";

export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <main id="main" className="page lost">
        <Mask eyes="shut" />
        <h1>Something went wrong</h1>
        <p className="muted">This page could not be shown. Loading it again usually helps.</p>
        <button type="button" className="btn btn-primary mt-3" onClick={() => location.reload()}>
          Reload
        </button>
      </main>
    );
  }
}
