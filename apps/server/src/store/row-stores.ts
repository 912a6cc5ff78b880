import type { BounceSenderStore } from "../core/bounce-sender.ts";
import type { CertificateRecords } from "../core/certificate.ts";
import type { CoreStores } from "../core/core-deps.ts";
import type { DomainRecheckStore, ProvenDomains } from "../core/domain/account-domain.ts";
import type { PolicyCertificateStore } from "../core/domain/policy-certificates.ts";
import type { ProviderInventory } from "../core/forwarding/provider-inventory.ts";
import type { MailProbeStore } from "../core/probe/probe.ts";
import type { ReplyPathStore, SentAnswerStore } from "../core/reply-path.ts";
import { liveChanges } from "./live-changes.ts";
import { type DeliveryRepository, deliveryStore } from "./queue/deliveries.ts";
import { accountExportStore } from "./rows/accounts/account-export.ts";
import { accountLinkStore } from "./rows/accounts/account-links.ts";
import { apiKeyStore } from "./rows/accounts/api-keys.ts";
import { firstStepsStore } from "./rows/accounts/first-steps.ts";
import { inviteStore } from "./rows/accounts/invites.ts";
import type { ReleasedAddresses } from "./rows/accounts/released-addresses.ts";
import { userStore } from "./rows/accounts/users.ts";
import { aliasStore } from "./rows/aliases/aliases.ts";
import { bounceSenderStore } from "./rows/bounce-senders.ts";
import { certificateRecordStore } from "./rows/certificate-records.ts";
import { checklistStore } from "./rows/checklist.ts";
import { clientNumberStore } from "./rows/client-numbers.ts";
import { contactStore } from "./rows/contacts.ts";
import { accountDomainStore } from "./rows/domains/account-domains.ts";
import { domainRecheckStore } from "./rows/domains/domain-rechecks.ts";
import { type OperatorDomainStore, operatorDomainStore } from "./rows/domains/operator-domains.ts";
import { policyCertificateStore } from "./rows/domains/policy-certificates.ts";
import { emailAttachmentStore } from "./rows/email-attachments.ts";
import { emailJobStore } from "./rows/email-jobs.ts";
import { encryptionKeyStore } from "./rows/encryption-keys.ts";
import { importStore } from "./rows/imports/imports.ts";
import { labelStore } from "./rows/labels.ts";
import { mailProbeStore } from "./rows/mail-probes.ts";
import { mailProfileLinkStore } from "./rows/mail-profile-links.ts";
import { destinationStore } from "./rows/mailboxes/destinations.ts";
import { mailboxStore } from "./rows/mailboxes/mailboxes.ts";
import { missingMailboxStore } from "./rows/mailboxes/missing-mailboxes.ts";
import { noticeStore } from "./rows/notices.ts";
import { type CounterStore, counterStore, type OperatorStore, operatorStore } from "./rows/operator-store.ts";
import { type ProviderAliasRows, providerAliasStore } from "./rows/provider-aliases.ts";
import { providerInventory } from "./rows/provider-inventory.ts";
import { rateLimitStore } from "./rows/rate-limits.ts";
import { replyPathStore, sentAnswerStore } from "./rows/reply-paths.ts";
import { signInFlowStore, walletChallengeStore } from "./rows/sign-in/anonymous-tokens.ts";
import { loginSessionStore } from "./rows/sign-in/login-sessions.ts";
import { smtpCredentialStore } from "./rows/smtp-credentials.ts";
import type { StoreContext } from "./store-context.ts";

export interface RowStores extends CoreStores {
  deliveries: DeliveryRepository;
  domainRechecks: DomainRecheckStore;
  policyCertificates: PolicyCertificateStore;
  replyPaths: ReplyPathStore;
  bounceSenders: BounceSenderStore;
  certificateRecords: CertificateRecords;
  mailProbes: MailProbeStore;
  providerAliases: ProviderAliasRows;
  providerInventory: ProviderInventory;
  sentAnswers: SentAnswerStore;
  counters: CounterStore;
  operator: OperatorStore;
  operatorDomains: OperatorDomainStore;
}

interface Parts {
  released: ReleasedAddresses;
  forgetBodies(messageIds: readonly string[]): Promise<void>;
  aliasesInFlight?: (() => string[]) | undefined;
  planDeletion?: ((at: Date) => void) | undefined;
  provenDomains?: Pick<ProvenDomains, "find"> | undefined;
}

export function rowStores(
  context: StoreContext,
  { released, forgetBodies, aliasesInFlight, planDeletion, provenDomains }: Parts,
): RowStores {
  return {
    accountDomains: accountDomainStore(context, { forgetBodies, aliasesInFlight }),
    domainRechecks: domainRecheckStore(context),
    policyCertificates: policyCertificateStore(context),
    accountExport: accountExportStore(context),
    users: userStore(context, { released, forgetBodies }),
    accountLinks: accountLinkStore(context, { forgetBodies }),
    mailProfileLinks: mailProfileLinkStore(context),
    firstSteps: firstStepsStore(context),
    invites: inviteStore(context),
    loginSessions: loginSessionStore(context),
    apiKeys: apiKeyStore(context),
    signInFlows: signInFlowStore(context),
    walletChallenges: walletChallengeStore(context),
    imports: importStore(context, { released, forgetBodies }),
    aliases: aliasStore(context, { released, forgetBodies, planDeletion, provenDomains }),
    destinations: destinationStore(context),
    mailboxes: mailboxStore(context),
    missingMailboxes: missingMailboxStore(context),
    clientNumbers: clientNumberStore(context),
    smtpCredentials: smtpCredentialStore(context),
    encryptionKeys: encryptionKeyStore(context),
    labels: labelStore(context),
    rateLimits: rateLimitStore(context),
    notices: noticeStore(context),
    checklist: checklistStore(context),
    replyPaths: replyPathStore(context),
    bounceSenders: bounceSenderStore(context),
    certificateRecords: certificateRecordStore(context),
    mailProbes: mailProbeStore(context),
    providerAliases: providerAliasStore(context),
    providerInventory: providerInventory(context),
    sentAnswers: sentAnswerStore(context),
    contacts: contactStore(context),
    emailJobs: emailJobStore(context, { forgetBodies }),
    emailAttachments: emailAttachmentStore(context, { forgetBodies }),
    deliveries: deliveryStore(context, { forgetBodies }),
    liveChanges: liveChanges(context),
    counters: counterStore(context),
    operator: operatorStore(context),
    operatorDomains: operatorDomainStore(context),
  };
}
