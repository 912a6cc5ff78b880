/**
 * How long this server keeps its technical logs. Only its operator knows: the setting `KAUKE_LOG_DAYS` comes with the
 * page as `<meta name="logs-kept" content="90 days">`.
 */
import { pagePlaceholders, retentionDays } from "@kauke/contract";

export function readLogsKept(): string {
  if (import.meta.env.SSR) return pagePlaceholders.logsKept;
  const meta = document.querySelector<HTMLMetaElement>('meta[name="logs-kept"]');
  return meta?.content || `${retentionDays.technicalLogs} days`;
}
