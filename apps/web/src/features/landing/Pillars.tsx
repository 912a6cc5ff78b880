/** The three promises, each with a symbol: Privacy First, Completely Free, Zero Logs Policy. */
export function Pillars() {
  return (
    <section className="page sec pillars-sec later">
      <div className="pillars">
        <article>
          <div className="art" aria-hidden="true">
            <span className="bar w-[5.4ch]" />
            @example.org
          </div>
          <h2>Privacy First</h2>
          <p>Websites get an alias. Your real address stays with you.</p>
        </article>
        <article>
          <div className="art" aria-hidden="true">
            $0.00
          </div>
          <h2>Completely Free</h2>
          <p>Free and unlimited. Make one alias or a thousand.</p>
        </article>
        <article>
          <div className="art" aria-hidden="true">
            mail.log: 0 B<span className="cursor" />
          </div>
          <h2>Zero Logs Policy</h2>
          <p>We keep zero e-mail logs. No address, no subject and no message is written to any log.</p>
        </article>
      </div>
    </section>
  );
}
