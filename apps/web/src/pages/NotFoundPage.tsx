import { Link } from "wouter";
import { t } from "../texts/texts.ts";
import { Mask } from "../ui/Mask.tsx";

/** A missing page, whose mask has closed eyes. */
export function NotFoundPage() {
  return (
    <main id="main" className="page lost" tabIndex={-1}>
      <Mask eyes="shut" />
      <span className="label">404</span>
      <h1>{t("Page Not Found")}</h1>
      <p className="muted">{t("This address does not lead anywhere.")}</p>
      <Link className="btn btn-primary mt-3" href="/">
        {t("Back to start")}
      </Link>
    </main>
  );
}
