/** What the service worker shows in place of a page that can't be loaded: prerendered, without the app. */
import { product } from "@kauke/contract";
import { t } from "../texts/texts.ts";
import { Mark, Mask } from "../ui/Mask.tsx";

export function OfflinePage() {
  return (
    <>
      <header>
        <div className="page">
          <a className="logo" href="/home" aria-label={t("{product}, home")}>
            <Mark />
            {product.name}
          </a>
        </div>
      </header>
      <main id="main" className="page lost">
        <Mask eyes="shut" />
        <span className="label">{t("OFFLINE")}</span>
        <h1>{t("No Connection")}</h1>
        <p>{t("This page has to be loaded first. It opens by itself, as soon as there is a connection.")}</p>
        <ul>
          <li>
            <strong>{t("Nothing you typed is lost.")}</strong>{" "}
            {t("Letters, new aliases and changes wait encrypted in this browser, until you are back and signed in.")}
          </li>
          <li>
            <strong>{t("Aliases, letters and Decrypt can’t be opened meanwhile.")}</strong>{" "}
            {t("They come from the server each time: no copy of them stays on this device.")}
          </li>
        </ul>
        <button type="button">{t("Try again")}</button>
      </main>
    </>
  );
}
