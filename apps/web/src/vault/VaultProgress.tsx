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
  if (seconds === null) return "Measuring this device…";
  if (seconds < 1.5) return "About a second on this device.";
  const rounded = Math.round(seconds);
  if (seconds <= SLOW_SECONDS) return `About ${rounded} seconds on this device.`;
  const time = rounded < 90 ? `${roundTo(rounded, 5)} seconds` : `${Math.round(seconds / 60)} minutes`;
  return `About ${time}: this browser is slow at this. Security is not reduced; keep the page open.`;
}

function roundTo(value: number, step: number): number {
  return Math.round(value / step) * step;
}
