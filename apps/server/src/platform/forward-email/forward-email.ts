/** The forwarding provider with the REST API of Forward Email. */
import { createHash } from "node:crypto";
import type { CallProvider } from "../../core/forwarding/call-provider.ts";
import {
  type BringInput,
  type Brought,
  type ForwardingProvider,
  type KnownRecord,
  nothingKnown,
  type ProviderRecord,
} from "../../core/forwarding/forwarding-provider.ts";
import { type ApiResponse, apiClient, type CallApi } from "./api-client.ts";

export function forwardEmailProvider(call: CallProvider, settings: { url: URL; key: string }): ForwardingProvider {
  const api = apiClient(call, settings);
  return {
    about: { name: "Forward Email", smtpHost: settings.url.hostname.replace(/^api\./, "smtp.") },
    account: null,
    bring: (input, signal) => bring(api, input, signal),
  };
}

async function bring(api: CallApi, { aliasId, wanted, known }: BringInput, signal: AbortSignal): Promise<Brought> {
  if (wanted === null) return { kind: "done", isSure: true, known: nothingKnown };
  const path = `/v1/domains/${encodeURIComponent(wanted.domain)}/aliases`;
  return brought(await api({ method: "POST", path, body: recordBody(aliasId, wanted) }, signal), wanted, known);
}

function recordBody(aliasId: string, { name, recipients, isEnabled, codeIfDisabled }: ProviderRecord) {
  return {
    name,
    recipients,
    description: `kauke:${aliasId}`,
    labels: [],
    is_enabled: isEnabled,
    error_code_if_disabled: codeIfDisabled,
    has_recipient_verification: false,
    has_imap: false,
    has_pgp: false,
  };
}

function brought(response: ApiResponse, wanted: ProviderRecord, known: KnownRecord): Brought {
  if (response.kind === "failed") return { ...response, kind: "failed", isSure: !response.isUncertain, known };
  const { id } = Object(response.json) as { id?: unknown };
  if (response.status > 299 || typeof id !== "string")
    return { kind: "failed", problem: "refused", retryAfterSeconds: null, isSure: true, known };
  const mark = createHash("sha256").update(JSON.stringify(wanted)).digest("base64url");
  return {
    kind: "done",
    isSure: true,
    known: { ...known, providerId: id, address: `${wanted.name}@${wanted.domain}`, mark },
  };
}
