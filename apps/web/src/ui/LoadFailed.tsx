/** Replaces content that could not be loaded: names it, shows the reason and a retry button. */
import { Mask } from "./Mask.tsx";

interface Props {
  title: string;
  message: string;
  /** Level of the heading on its page. */
  heading?: "h2" | "h3" | "h4";
  onRetry: () => void;
}

export function LoadFailed({ title, message, heading: Heading = "h3", onRetry }: Props) {
  return (
    <div className="empty" role="alert">
      <Mask className="m" eyes="shut" />
      <Heading>{title}</Heading>
      <p>{message}</p>
      <button type="button" className="btn" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}
