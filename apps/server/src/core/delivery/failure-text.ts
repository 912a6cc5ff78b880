/** Why a destination did not accept a message, in words for its owner. */
import type { FailureCode } from "./delivery.ts";

export const failureText: Record<FailureCode, string> = {
  unreachable: "its mail host could not be reached",
  timed_out: "its mail host did not answer in time",
  connection_lost: "the connection to its mail host broke",
  dns_failed: "its domain could not be looked up",
  no_mail_host: "its domain takes no mail",
  address_not_allowed: "it leads to a private or local network address",
  mailbox_unknown: "there is no such mailbox",
  mailbox_full: "the mailbox is full",
  too_large: "the message is too large for it",
  try_later: "its mail host kept asking us to come back later",
  refused_by_policy: "its mail host refused the message by its rules",
  refused_content: "its mail host refused what the message holds",
  login_failed: "our relay did not let us sign in",
  tls_failed: "no secure connection to it could be made",
  not_supported: "its mail host can't take messages of this kind",
  webhook_status: "it did not answer with success",
  webhook_gone:
    "it answered that it is gone for good (410). It is paused until you save where the alias forwards again",
  not_confirmed: "it is not confirmed yet, and takes little mail until then",
  not_wanted: "whoever reads it says that it is not yours",
  not_sealed: "it could not be encrypted to your key",
  expired: "it did not take the message in the time allowed",
  spool_lost: "it could not be read back from our store",
};
