/**
 * Progress of a vault job: what is being done, the estimated time on this device, and a bar that fills in that time.
 */
import { forecastText } from "./forecast-text.ts";

interface Props {
  doing: string;
  /** Estimated seconds of the job; `null` until there is an estimate. */
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
