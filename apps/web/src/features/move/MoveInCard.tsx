/** Card in Settings with the link to the page that imports aliases and keeps the address-change checklist. */
import { Link } from "wouter";

export function MoveInCard() {
  return (
    <section className="card" aria-labelledby="move-in">
      <div className="card-head">
        <h3 id="move-in">Move in</h3>
      </div>
      <div className="card-body setting action">
        <div>
          <h4>Aliases of other services, and the sites that know them</h4>
          <p>
            Import from SimpleLogin, addy.io, Firefox Relay, Forward Email and Mailx, then change your address site by
            site with a checklist.
          </p>
        </div>
        <Link className="btn" href="/move">
          Move in
        </Link>
      </div>
    </section>
  );
}
