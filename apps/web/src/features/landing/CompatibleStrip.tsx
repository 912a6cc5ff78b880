/** The button pauses all motion on the page. */
import { Pause, Play } from "lucide-react";
import { t } from "../../texts/texts.ts";
import { useIsLive } from "../../ui/use-is-live.ts";
import type { Motion } from "./motion/motion.ts";
import { STRIP_COPIES, useStrip } from "./motion/use-strip.ts";

const providers = ["Proton Mail", "Tuta", "Gmail", "QQ Mail", "Outlook", "Mail.ru", "Yahoo"];

const items = Array.from({ length: STRIP_COPIES }, (_, copy) =>
  providers.map((name) => ({ name, key: `${name} ${copy}`, isCopy: copy > 0 })),
).flat();

export function CompatibleStrip({ motion: { isPaused, toggle } }: { motion: Motion }) {
  const { row, handlers } = useStrip(isPaused);
  const isLive = useIsLive();
  return (
    <section className="strip-wrap" aria-labelledby="compatible">
      <div className="page">
        <div className="strip-cap">
          <h2 id="compatible">{t("Compatible with")}</h2>
          <button
            type="button"
            className="icon-btn"
            aria-pressed={isPaused}
            aria-label={t("Pause moving content")}
            data-tip={isPaused ? t("Play") : t("Pause")}
            disabled={!isLive}
            onClick={toggle}
          >
            {isPaused ? <Play className="i" aria-hidden /> : <Pause className="i" aria-hidden />}
          </button>
        </div>
        <div className="strip" {...handlers}>
          <ul ref={row}>
            {items.map(({ name, key, isCopy }) => (
              <li key={key} aria-hidden={isCopy || undefined}>
                {name}
              </li>
            ))}
          </ul>
        </div>
      </div>
    </section>
  );
}
