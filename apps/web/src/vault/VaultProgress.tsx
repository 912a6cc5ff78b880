import { plural } from "../texts/plural.ts";
import { t } from "../texts/texts.ts";

interface Props {
  doing: string;
  /** Estimated seconds of the job; `null` until estimated. */
  forecastSeconds: number | null;
}

export function VaultProgress({ doing, forecastSeconds }: Props) {
  return (
    <div className="vault-progress">
      <div role="status">
        <p>{doing}</p>
        <p className="hint">{forecastText(forecastSeconds)}</p>
      </div>
      <div className="bar" aria-hidden="true">
        {forecastSeconds === null ? null : <i style={{ animationDuration: `${forecastSeconds}s` }} />}
      </div>
    </div>
  );
}

const SLOW_SECONDS = 20;

export function forecastText(seconds: number | null): string {
  if (seconds === null) return t("Measuring this device…");
  if (seconds < 1.5) return t("About a second on this device.");
  const rounded = Math.round(seconds);
  if (seconds <= SLOW_SECONDS)
    return plural(rounded, "About {count} second on this device.", "About {count} seconds on this device.", {
      count: rounded,
    });
  const isLong = rounded >= 90;
  const count = isLong ? Math.round(seconds / 60) : roundTo(rounded, 5);
  return isLong
    ? plural(
        count,
        "About {count} minute: this browser is slow at this. Security is not reduced; keep the page open.",
        "About {count} minutes: this browser is slow at this. Security is not reduced; keep the page open.",
        { count },
      )
    : plural(
        count,
        "About {count} second: this browser is slow at this. Security is not reduced; keep the page open.",
        "About {count} seconds: this browser is slow at this. Security is not reduced; keep the page open.",
        { count },
      );
}

function roundTo(value: number, step: number): number {
  return Math.round(value / step) * step;
}
