/** The same four senders twice: one address for all, and one alias for each. */
import { t } from "../../texts/texts.ts";

const senders = ["shop.example", "news.example", "forum.example", "bank.example"] as const;

const leaky = "forum.example";

function OneForAll() {
  return (
    <table className="all" aria-hidden="true">
      <tbody>
        {senders.map((sender, index) => (
          <tr key={sender} className={sender === leaky ? "leak" : undefined}>
            <td>{sender}</td>
            <td>{sender === leaky ? <em>{t("leaked")}</em> : null}</td>
            {index === 0 ? (
              <td rowSpan={senders.length}>
                <span>jonas@example.org</span>
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const aliases = ["shop.k7", "news.7h2", "forum.q4", "bank.lt"] as const;

function OneEach({ domain }: { domain: string }) {
  return (
    <table className="own" aria-hidden="true">
      <tbody>
        {senders.map((sender, index) => (
          <tr key={sender} className={sender === leaky ? "cut" : undefined}>
            <td>{sender}</td>
            <td>{sender === leaky ? <em>{t("paused")}</em> : null}</td>
            <td>
              <span>
                {aliases[index]}@{domain}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Attack({ domain }: { domain: string }) {
  return (
    <section className="page sec attack-sec later">
      <div className="sec-head">
        <h2 className="h2">{t("Your Email Privacy Under Attack")}</h2>
        <p className="lead">
          {t("One leaked list is enough to tie your accounts together. It only works when they all share an address.")}
        </p>
      </div>
      <div className="versus">
        <article className="card">
          <h3>{t("The problem")}</h3>
          <p>
            {t("Every shop, newsletter and forum holds the same address. One of them leaks, and all of them are you.")}
          </p>
          <OneForAll />
        </article>
        <article className="card">
          <h3>{t("The solution")}</h3>
          <p>
            {t(
              "Each of them gets its own alias. When one leaks, pause it: mail to it is silently dropped and the rest go on.",
            )}
          </p>
          <OneEach domain={domain} />
        </article>
      </div>
    </section>
  );
}
