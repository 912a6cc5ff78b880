/**
 * Sentences of the public pages that depend on who forwards the mail. Pages are prerendered with our own engine's, which
 * the server replaces by the provider's: no sentence may be part of another, or contain markup.
 */
import { gdprArticles, mailDays } from "./legal-facts.ts";
import { product, retentionDays } from "./limits.ts";

const days = (count: number): string => `${count} day${count === 1 ? "" : "s"}`;

/** Functions, because a test replaces the constants while it runs. */
const byEngine = () => ({
  privacyShort: `${product.name} stores what it needs to forward your mail, sealed, until you delete it. Mail goes through and does not stay. No log holds an address, a subject, a word of a message or a network address.`,
  privacyArrival:
    "A message is taken into memory, its header is rewritten so that neither side sees the other's real address, and it is passed on while the sender is still connected. When every destination has taken it, nothing of it remains here.",
  privacyWaiting: `When a destination doesn't answer, or not in time, the message is kept sealed together with its envelope: who sent it, from which machine, and where it goes. It is deleted with its last delivery, or after about ${days(mailDays.undelivered)} unless the operator of this server has set another schedule.`,
  privacyReplies:
    "Answers go through reply addresses. What leads them back to your correspondent is stored so that only the reply address itself opens it; a list of the people who wrote to you can't be made from the database.",
  privacyPostmaster: `goes to the operator; where no mailbox is set for it, it is kept sealed until it is read, ${days(retentionDays.technicalLogs)} at the longest.`,
  privacyConfirmation: "to ask whether it is yours.",
  privacySending:
    "Mail sent with SMTP credentials keeps no such record. Header fields that reveal your device or time zone are removed.",
  privacyAnswers: "People you answer see the alias, never the mailbox behind it.",
  privacyOthers: `${product.name} forwards with its own engine. If the operator uses a relay for outgoing mail, forwarding is carried out through that third-party forwarding provider, which sees the messages and where they go.`,
  privacyEncrypted: "to be sure of the content, encrypt it, or have forwarded mail encrypted to your key.",
  termsFairUse: "each new mailbox is asked, gets only a few messages until it confirms, and none when it says no.",
  termsUndelivered: `A message that a destination does not take is tried again for about ${days(mailDays.undelivered)} unless the operator has set another schedule; then it is deleted and you are notified.`,
  termsForwarding:
    "Forwarding is done by our own engine or, where the operator has set one up, carried out through a third-party forwarding provider.",
  gdprProcessor: "and its makers see none of the data on a server that somebody else runs.",
  gdprPostmaster: "any alias domain it offers; that mailbox is always accepted.",
  gdprDeletion: "the files in which that mail waited follow by themselves. Nobody can bring them back, we included.",
  transparencyLogs: `${product.name} keeps zero e-mail logs. What remains has an end date; these are the latest ones.`,
  transparencyRecords:
    "No record says who wrote to an alias, or about what. The entries that route replies back show when a correspondent first wrote. Who that is can be decrypted only with the reply address itself, which is in the mail you received and not here. Mail that has been passed on is not here any more.",
  transparencyForwarding: `${product.name} has a mail engine of its own. It takes a message, rewrites its header so that your real address stays hidden, and passes it on while the sender is still connected. An operator may use a relay for outgoing mail; then forwarding is carried out through that third-party forwarding provider, which sees the message and where it goes, as every mail host on the way does.`,
  docsAlias: "The alias forwards at once.",
  docsConfirm:
    "The first time something is forwarded to a mailbox, it gets one message that asks “Is this mailbox yours?”. Until its link is opened the mailbox takes only a few messages a day.",
  docsAnswer:
    "Forwarded mail shows a reply address in place of its sender. Answer as usual: the answer is sent as your alias, without your real address. If your message still contains that address, in a signature for example, it is refused and the refusal says in which line.",
  docsWebhooks:
    "gets each message as JSON by POST, signed as Standard Webhooks describes; the secret is in the alias' panel. A response of 410 pauses it.",
  smtpPrograms:
    "Thunderbird and Outlook: add an account, and enter the alias and its password. They find the servers by themselves; if not, enter the values from the table.",
  smtpProfile:
    "iPhone, iPad and Mac: press “iPhone, iPad, Mac” in the SMTP panel, and scan the code or open the link. It works once, for ten minutes. The device says that the profile is not signed.",
  smtpIncoming:
    "Most programs want an incoming server, so there is one: POP3 at the same server, port 995 with SSL/TLS. Its inbox always stays empty, since mail to the alias arrives in the mailbox that it forwards to.",
  smtpTest: "“Test connection” in the SMTP panel tells whether name, certificate and password are right.",
  smtpPassword: "535: user name or password are not those of the panel, or the alias is paused.",
  smtpFrom: "553: the From of the message is not the alias you signed in as.",
  smtpLeak: "550: the message contains the address the alias forwards to. The response says in which line.",
  clientsReverse:
    "Reverse aliases can't be listed: this server keeps no readable list of the people you write to. Answer forwarded mail, or write on Compose.",
  movingConfirm: "Mailboxes are asked for confirmation when the first mail is forwarded to them, as always.",
  landingReply: "Reply anonymously",
});

export type ForwardingTexts = ReturnType<typeof byEngine>;

/** What the provider sees, for the pages that say it in full. */
const seen = (provider: string): string =>
  `${provider} sees your aliases' addresses and where they forward to, the messages with their senders, and the network addresses of the machines that send them. What you send as an alias goes through it too, and the password of an alias' SMTP credentials is set there. It learns no password of your account, no note, no label and no private key.`;

const byProvider = (provider: string): ForwardingTexts => ({
  privacyShort: `${product.name} stores what it needs to have your mail forwarded, sealed, until you delete it. The mail itself goes through ${provider}, the forwarding provider of this server, and not through here. No log of ours holds an address, a subject, a word of a message or a network address.`,
  privacyArrival: `Mail to your aliases goes to the servers of ${provider}, a third-party forwarding provider that the operator of this server has chosen, and from there to your destinations. None of it comes here.`,
  privacyWaiting: `So that ${provider} can do that, this server gives it each alias' address, its destinations, whether it is paused, and a random id. When an alias is deleted here, it is switched off there within seconds, and deleted as soon as ${provider} lets us.`,
  privacyReplies: `Forwarded mail shows its sender's own address. There are no reply addresses, and this server learns nothing of who wrote to you.`,
  privacyPostmaster: `goes through ${provider} too, to the operator.`,
  privacyConfirmation: "to ask whether it is yours. Until it is confirmed, nothing is forwarded to it.",
  privacySending: `Header fields that reveal your device or time zone are removed. Mail sent with SMTP credentials goes to ${provider} directly: nothing of it comes here, and we remove nothing from it.`,
  privacyAnswers:
    "People you write to as an alias see the alias, never the mailbox behind it. If you answer from the mailbox itself, they see that.",
  privacyOthers: `Forwarding is carried out through ${provider}, a third-party forwarding provider. ${seen(provider)} How long it keeps what, its own privacy policy says.`,
  privacyEncrypted: "to be sure of the content, encrypt it.",
  termsFairUse: "each new mailbox is asked, gets nothing until it confirms, and nothing when it says no.",
  termsUndelivered: `What becomes of a message that a destination does not take is up to ${provider}; you see no notice of it here.`,
  termsForwarding: `Forwarding is carried out through ${provider}, a third-party forwarding provider, whose own terms hold for its part.`,
  gdprProcessor: `and its makers see none of the data on a server that somebody else runs. ${provider} forwards the mail on the operator's behalf, as a processor (Article ${gdprArticles.processor}).`,
  gdprPostmaster: "any alias domain it offers.",
  gdprDeletion: `the files in which that mail waited follow by themselves. At ${provider} your aliases are switched off within seconds, and deleted as soon as it lets us. Nobody can bring them back, we included.`,
  transparencyLogs: `${product.name} keeps zero e-mail logs. What ${provider} records of the mail it forwards, its own policy says. What remains here has an end date; these are the latest ones.`,
  transparencyRecords: `No record here says who wrote to an alias, or about what: that mail never comes here. What ${provider} holds is not ours to hand over. We don't learn what it is asked for, and the counts above do not include that.`,
  transparencyForwarding: `On this server, forwarding is carried out through ${provider}, a third-party forwarding provider. Mail to your aliases goes to its servers and from there to your destinations. ${seen(provider)}`,
  docsAlias: `The alias forwards once it is set up at ${provider}, usually within seconds; until then its row says so.`,
  docsConfirm:
    "A mailbox that is new here gets one message that asks “Is this mailbox yours?”. Until its link is opened nothing is forwarded to it.",
  docsAnswer: `Forwarded mail shows its sender's own address, so an answer from your mailbox would show your real one. To answer as the alias, write on Compose, or from a mail program that sends with the alias' SMTP credentials. Reply addresses need ${product.name}'s own engine.`,
  docsWebhooks: `gets each message by POST, in the form that ${provider} documents. Signed calls need ${product.name}'s own engine.`,
  smtpPrograms:
    "Thunderbird and Outlook: add an account with the values from the table, which they may not find by themselves.",
  smtpProfile: `iPhone, iPad and Mac: enter the values by hand. This server makes no profile, since mail programs send through ${provider}.`,
  smtpIncoming: "As incoming server enter that of your real mailbox: mail to the alias arrives there.",
  smtpTest: `Send yourself a message to see whether it works. This server can't test the connection to ${provider}.`,
  smtpPassword: `Sign-in refused: user name or password are not those of the panel, or the alias is paused. A new password works once the alias is set up at ${provider}, usually within seconds.`,
  smtpFrom: "Sender refused: the From of the message is not the alias you signed in as.",
  smtpLeak: `Nothing refuses a message that contains your real address: mail programs send through ${provider}, where no leak guard looks. Mind signatures and quoted lines.`,
  clientsReverse: `Reverse aliases need ${product.name}'s own engine; this server forwards through ${provider}. Write on Compose.`,
  movingConfirm: "Mailboxes are asked for confirmation as soon as an alias forwards to them.",
  landingReply: "Send as your alias",
});

/** @param provider name of the forwarding provider; `null`: our own engine */
export function forwardingTexts(provider: string | null): ForwardingTexts {
  return provider === null ? byEngine() : byProvider(provider);
}
