/** The form for a new alias as it looks until its code has loaded: same height, nothing to press. */
import { ArrowRight } from "lucide-react";
import { t } from "../../../texts/texts.ts";
import { notesLeft } from "../alias-text.ts";

export function CreateAliasSkeleton() {
  return (
    <div className="card make" aria-hidden="true" inert>
      <div className="grid gap-1.5 min-w-0">
        <div className="field">
          <label>{t("Alias name and domain")}</label>
          <div className="join">
            <span className="named">
              <input className="input mono" placeholder="shop.k7" />
            </span>
            <span className="at">@</span>
            <span className="select">
              <select className="input mono" />
            </span>
          </div>
        </div>
      </div>
      <div className="field forward">
        <label>{t("Forward to")}</label>
        <div className="forward-box">
          <div className="tokens">
            <ArrowRight className="i arrow" />
            <input placeholder="you@example.org" />
          </div>
        </div>
      </div>
      <div className="field notes">
        <div className="notes-head">
          <span>
            <label>{t("Notes")}</label> <span className="opt">{t("optional")}</span>
          </span>
          <span className="count">{notesLeft("")}</span>
        </div>
        <input className="input" placeholder=" " />
      </div>
      <span className="btn btn-primary">{t("Create Alias")}</span>
    </div>
  );
}
