/** The vault at work: what it does, how long that takes here, and a bar that fills in that time. */
import { forecastText } from "./forecast-text.ts";

interface Props {
  doing: string;
  /** As `onForecast` told it. */
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
