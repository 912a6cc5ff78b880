import { Component, type ReactNode } from "react";
import { t } from "../texts/texts.ts";
import { Mask } from "../ui/Mask.tsx";
import { PageSpinner } from "../ui/Spinner.tsx";

/** After an update old chunks are gone, so the page reloads once; a mark in the history entry prevents a loop. */
interface Marked {
  reloadedForChunk?: boolean;
}

/** Error messages of a failed dynamic import, by browser. */
const messages =
  /dynamically imported module|Importing a module script failed|Unable to preload CSS|expected a JavaScript.* module script/i;

function isMissingChunk(error: unknown): boolean {
  return error instanceof Error && messages.test(error.message);
}

/** @returns false if the page was reloaded before, or the browser is offline */
function reloadOnce(): boolean {
  const state = (history.state ?? {}) as Marked;
  if (state.reloadedForChunk === true || !navigator.onLine) return false;
  history.replaceState({ ...state, reloadedForChunk: true }, "");
  location.reload();
  return true;
}

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

  /** A missing chunk needs a reload: browsers remember failed imports. */
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
        <h1>{t("Something went wrong")}</h1>
        <p className="muted" role="alert">
          {failure === "chunk"
            ? t("This page could not be loaded. Check your connection, then try again.")
            : t("This page could not be shown. Trying again usually helps.")}
        </p>
        <div className="acts">
          <button type="button" className="btn btn-primary" onClick={this.#tryAgain}>
            {t("Try again")}
          </button>
          <a className="btn" href="/home">
            {t("Back to start")}
          </a>
        </div>
      </main>
    );
  }
}
