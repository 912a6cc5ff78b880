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
  if (seconds <= SLOW_SECONDS) return t("About {rounded} seconds on this device.", { rounded });
  const time =
    rounded < 90
      ? t("{rounded} seconds", { rounded: roundTo(rounded, 5) })
      : t("{seconds} minutes", { seconds: Math.round(seconds / 60) });
  return t("About {time}: this browser is slow at this. Security is not reduced; keep the page open.", { time });
}

function roundTo(value: number, step: number): number {
  return Math.round(value / step) * step;
}
