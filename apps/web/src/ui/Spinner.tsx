import { t } from "../texts/texts.ts";

export function NeedsScript({ what }: { what: string }) {
  return (
    <noscript>
      <p className="note note-plain needs-script">
        {t("{what} needs JavaScript. Please switch it on and load the page again.", { what })}
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
        {t("Loading...")}
      </div>
      <NeedsScript what={t("This page")} />
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
