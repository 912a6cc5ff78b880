/** All dependencies of the use cases. Each names those it needs: `Pick<CoreDeps, "users" | "clock">`. */

import type { RegistrationMode } from "@kauke/contract";
import type { RateLimitRules } from "../limits/named-limits.ts";
import type { RateLimitStore } from "../limits/rate.ts";
import type { Clock, Random } from "../runtime/ports.ts";
import type { AccountExportStore } from "./account-export.ts";
import type { AgeWorker } from "./age-worker.ts";
import type { AliasStore } from "./alias/alias.ts";
import type { ApiKeyStore } from "./api-key.ts";
import type { ChecklistStore } from "./checklist.ts";
import type { ClientNumberStore } from "./client-number.ts";
import type { ContactStore } from "./contact.ts";
import type { DeliveryStore } from "./delivery/delivery.ts";
import type { ConfirmationSettings, DestinationStore, MissingMailboxStore } from "./destination/destination.ts";
import type { AccountDomainStore } from "./domain/account-domain.ts";
import type { DomainDns } from "./domain/domain-dns.ts";
import type { MailDomains } from "./domain/mail-domains.ts";
import type { DomainRules } from "./domain/own-domains.ts";
import type { AttachedMail } from "./email-job/attached-mail.ts";
import type { EmailAttachmentStore, UploadsInFlight } from "./email-job/email-attachment.ts";
import type { EmailJobStore } from "./email-job/email-job.ts";
import type { EncryptionKeyStore } from "./encryption-key.ts";
import type { FirstStepsStore, SendTestMail } from "./first-steps.ts";
import type { ForwardingProvider } from "./forwarding/forwarding-provider.ts";
import type { ProviderAliasStore } from "./forwarding/provider-alias.ts";
import type { ImportStore } from "./import/import.ts";
import type { AliasSources, ServiceFetch } from "./import/imported-alias.ts";
import type { LabelStore } from "./label.ts";
import type { LeakGuard } from "./leak-guard.ts";
import type { LiveChanges } from "./live-changes.ts";
import type { LoginSessionStore } from "./login-session.ts";
import type { MailProfileLinkStore, TestSubmission } from "./mail-profile.ts";
import type { MailProgramSettings } from "./mail-program-settings.ts";
import type { MailboxStore } from "./mailbox/mailbox.ts";
import type { MessageBodies } from "./message/message.ts";
import type { NoticeStore } from "./notice.ts";
import type { OwnMailSettings } from "./own-mail.ts";
import type { InviteStore } from "./registration.ts";
import type { FederatedIssuer, SignInFlowStore } from "./sign-in/federated-issuer.ts";
import type { BrowserMac } from "./sign-in/known-browser.ts";
import type { SmtpCredentialStore } from "./smtp-credential.ts";
import type { SpoolSpace } from "./spool/spool-space.ts";
import type { AccountLinkStore } from "./user/account-link.ts";
import type { PasswordHasher, UserStore } from "./user/user.ts";
import type { WalletChallengeStore } from "./wallet/wallet-proof.ts";

export interface CoreStores {
  accountDomains: AccountDomainStore;
  accountExport: AccountExportStore;
  users: UserStore;
  firstSteps: FirstStepsStore;
  invites: InviteStore;
  accountLinks: AccountLinkStore;
  mailProfileLinks: MailProfileLinkStore;
  loginSessions: LoginSessionStore;
  apiKeys: ApiKeyStore;
  signInFlows: SignInFlowStore;
  walletChallenges: WalletChallengeStore;
  aliases: AliasStore;
  imports: ImportStore;
  destinations: DestinationStore;
  missingMailboxes: MissingMailboxStore;
  mailboxes: MailboxStore;
  clientNumbers: ClientNumberStore;
  smtpCredentials: SmtpCredentialStore;
  encryptionKeys: EncryptionKeyStore;
  labels: LabelStore;
  notices: NoticeStore;
  checklist: ChecklistStore;
  contacts: ContactStore;
  emailJobs: EmailJobStore;
  emailAttachments: EmailAttachmentStore;
  providerAliases: ProviderAliasStore;
  rateLimits: RateLimitStore;
  liveChanges: LiveChanges;
}

export interface CoreDeps extends CoreStores {
  federatedIssuer: FederatedIssuer | null;
  aliasSources: AliasSources;
  serviceFetch: ServiceFetch;
  deliveries: Pick<DeliveryStore, "enqueue">;
  bodies: Pick<MessageBodies, "put" | "putStream" | "read" | "delete">;
  attachedMail: AttachedMail;
  uploadsInFlight: UploadsInFlight;
  /** Octets of the largest message that this server sends. */
  maxMessageBytes: number;
  spoolSpace: Pick<SpoolSpace, "reserve">;
  hasher: PasswordHasher;
  browserMac: BrowserMac;
  /** HMAC-SHA-256 that signs alias endings offered to clients, with a server key of its own. */
  suffixMac: (data: string) => Buffer;
  ageWorker: AgeWorker;
  leakGuard: LeakGuard;
  forwarding: Pick<ForwardingProvider, "about">;
  /** `null` or absent when this process has no mail path. */
  testMail?: SendTestMail | null;
  /** Whether mail is delivered to the preview inbox. */
  isPreview?: boolean;
  /** Signs in at our own submission port; `null` with a forwarding provider. */
  testSubmission?: TestSubmission | null;
  clock: Clock;
  random: Random;
  registration: RegistrationMode;
  mailDomains: MailDomains;
  domainDns: DomainDns;
  domainRules: DomainRules;
  /** Ports of a server on the user's own machine; `null` for the standard ports 587 and 465. */
  localSmtpPorts: { submission: number; submissions: number } | null;
  /** `null`: mail programs do not set themselves up from here. */
  mailPrograms: MailProgramSettings | null;
  limitRules: RateLimitRules;
  ownMail: OwnMailSettings;
  /** `null`: mail is forwarded without confirmation (`KAUKE_LIMITS=off`). */
  confirmation: ConfirmationSettings | null;
  /** Seconds in which the owner can cancel a composed message. */
  undoSeconds: number;
}
