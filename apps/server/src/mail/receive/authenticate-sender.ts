/** The stage that says who a message is from: by SPF, DKIM, DMARC and ARC, or because this process wrote it. */
import { unstuff } from "@kauke/mail-rfc";
import type { MessageAuthentication } from "../../core/message/message.ts";
import { accept, defer, reject, type StageVerdict } from "../verdict.ts";
import type { ScreenedMessage } from "./arrived-message.ts";
import type { ToAuthenticate } from "./authenticate/authenticate.ts";
import type { Authentication } from "./authenticate/conclude-checks.ts";

export interface AuthenticateSenderDeps {
  /** `null`: not checked here. */
  authenticate: ((mail: ToAuthenticate) => Promise<Authentication>) | null;
}

/** An alias of ours, signed in, wrote it, or the preview inbox: nothing needs to be looked up. */
const provenByUs = {
  spf: "pass",
  dkim: "none",
  dmarc: "none",
  arc: "none",
  isAligned: true,
  results: null,
} as const satisfies MessageAuthentication;

/** @returns a refusal when the sender's domain asks for it, a deferral when it can't be asked */
export async function authenticateSender(
  message: ScreenedMessage,
  { authenticate }: AuthenticateSenderDeps,
): Promise<StageVerdict<ScreenedMessage>> {
  const { transaction, mail } = message;
  if (mail.isOurs ?? mail.isProven ?? false) return accept(withFindings(message, provenByUs));
  if (authenticate === null) return accept(message);
  const { found, refusal, isUnfinished } = await authenticate({
    ...transaction.envelope,
    raw: unstuff(transaction.wire),
  });
  const { spf, dkim, dmarc, arc } = found;
  const notes = [`spf=${spf} dkim=${dkim} dmarc=${dmarc} arc=${arc}`];
  if (refusal !== null) return { ...(refusal === "dmarc_reject" ? reject(refusal) : defer(refusal)), notes };
  return accept(withFindings(message, found, isUnfinished), notes);
}

/** The client's name was asked for when it connected, and is known by now in most cases. */
export async function nameClient(message: ScreenedMessage): Promise<StageVerdict<ScreenedMessage>> {
  const { transaction, mail } = message;
  if (mail.clientName === undefined) return accept(message);
  const envelope = { ...transaction.envelope, clientName: await mail.clientName };
  return accept({ ...message, transaction: { ...transaction, envelope } });
}

function withFindings(
  message: ScreenedMessage,
  authentication: MessageAuthentication,
  isProofUnfinished = false,
): ScreenedMessage {
  const { transaction } = message;
  const envelope = { ...transaction.envelope, authentication };
  return { ...message, transaction: { ...transaction, envelope, isProofUnfinished } };
}
