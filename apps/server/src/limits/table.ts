/** Bounds of what strangers and accounts can use up, and the rows of docs/limits.md, which is generated from them. */
import { draftLimits, limits } from "@kauke/contract";
import {
  ADDRESSES_MAX,
  CORRESPONDENTS_MAX,
  headerLimits,
  SPF_EXPANDED_MAX,
  SPF_LOOKUPS_MAX,
  SPF_MACROS_MAX,
  SPF_RECORD_MAX,
  SPF_TERM_MAX,
  SPF_TERMS_MAX,
  SPF_VOIDS_MAX,
  STS_POLICY_LINES_MAX,
} from "@kauke/mail-rfc";
import type { BucketRule } from "./rate.ts";

const MIB = 1024 * 1024;

/**
 * @param figures named with their unit: `Ms`, `Bytes`, `Part` (of a whole), otherwise a count
 * @param row columns of docs/limits.md. `{name}`: a figure of the row or a named limit, `{row.figure}`: another row's
 */
const bound = <Figures extends Readonly<Record<string, number>>>(figures: Figures, row: string) => ({ figures, row });

const smtp = {
  smtpConnections: bound(
    { all: 1000, network: 200, block: 250, crowdedBlock: 125 },
    "SMTP connections of a listener, from the first byte, including those in a TLS handshake | {all} in a process | all, network, block | {network} a network, {block} a block, {crowdedBlock} a block once three quarters of all are open | the busiest first is closed with 421; connections receiving a message at a good rate come last, and one whose message waits for our reply is never closed | attacks/connections.test.ts",
  ),
  smtpLeaving: bound(
    { all: 256 },
    "SMTP clients that were turned away and do not close the connection | {all} | all | none | the oldest is disconnected | attacks/connections.test.ts",
  ),
  // Most handshakes take a few round trips.
  tlsHandshakes: bound(
    { all: 250, block: 100, timeoutMs: 30_000, slowMs: 3000 },
    "TLS handshakes in progress at a listener | {all}, {timeoutMs} each | all, block | {block} a block | a handshake of the same block that is older than {slowMs}; over all blocks, the busiest first | attacks/connections.test.ts",
  ),
  submissionSignIn: bound(
    { signInMs: 120_000 },
    "submission connections that have not signed in | {signInMs} | connection | as for SMTP connections | closed before those that have signed in | attacks/connections.test.ts",
  ),
  pop3Connections:
    "POP3 connections, whose mailbox is always empty | as for submission: the same limits of connections, handshakes, lines, errors, commands and times, and the same of wrong passwords, at a listener of its own | connection, network, block, account | as for submission | as for submission | pop3-session.test.ts",
  submissionConnections: bound(
    { account: 50 },
    "submission connections of an account | {account} at a listener | account | the account | a new one gets 454 | attacks/connections.test.ts",
  ),
  // Hosts may send long lists before they read replies (RFC 5321 §4.5.3.1.10). The socket is read during commands,
  // because a paused one buffers an object for each TLS record.
  smtpSession: bound(
    {
      errors: 20,
      commands: 300,
      extraRecipients: 1000,
      lineBytes: 2048,
      idleMs: 300_000,
      lineMs: 300_000,
      crowdedLineMs: 30_000,
      dataMs: 1_800_000,
      withoutMailMs: 1_800_000,
      unprocessedBytes: 131_072,
    },
    "SMTP session | {errors} errors, {commands} commands without mail, {extraRecipients} recipients more than a message may have, {lineBytes} a line, {idleMs} idle, {lineMs} for one line ({crowdedLineMs} while three quarters of all connections are open), {dataMs} for one message, {withoutMailMs} without one; {unprocessedBytes} sent while a command is in progress | session | none | the session ends | slow-senders.test.ts, attacks/commands.test.ts, attacks/one-byte-chunks.test.ts",
  ),
  smtpRates:
    "SMTP connections, recipients, messages and unknown recipients over time | {mail_connections_ip}, {mail_recipients_ip}, {mail_messages_ip}, {mail_unknown_ip} | block | a block | the block gets 421 or 451 | mail-limits.test.ts",
  mailToRoute: bound(
    { reservedPart: 1 / 50 },
    "mail to an alias, an account | {mail_alias}, {mail_account}; each concurrent session can exceed the limit by one message at most | alias, account, block | each; when a limit is used up, every block of client addresses still gets {reservedPart} of it | a block that has used its own part gets 451 | mail-limits.test.ts, attacks/fan-out.test.ts, attacks/destination.test.ts",
  ),
  mailToDestination: bound(
    { accountPart: 1 / 3, reservedPart: 1 / 50 },
    "mail sent to one mailbox or webhook | {mail_destination}, over all accounts | destination, account | an account {accountPart} (webhooks of one host together); every account always has {reservedPart} of its own | the account's mail waits in the queue; its senders get 250 | mail-limits.test.ts, attacks/destination.test.ts",
  ),
  unconfirmedForwards: bound(
    { mailbox: 20, pair: 15, account: 100 },
    "forwards a day to an unconfirmed mailbox | {mailbox}, over all accounts | destination, account | an account {pair} to one mailbox, {account} in all | the mail waits in the queue | test/confirmation.test.ts, attacks/destination.test.ts",
  ),
  // Some 2 MiB a limit when full.
  rateBuckets: bound(
    { keys: 20_000 },
    "token buckets of mail rates in memory | {keys} a limit | all | none | the least recently used; buckets that are more than half used up stay, up to a quarter of all | limits/rate.test.ts",
  ),
};

const oneMessage = {
  // RFC 5321 §6.3 asks for at least 100 hops.
  message: bound(
    { recipients: 100, hops: 100 },
    "message | `KAUKE_MAX_MESSAGE_BYTES`, {recipients} recipients, {hops} hops | message | none | refused | forwarding.test.ts",
  ),
  messageHeader: bound(
    {
      bytes: headerLimits.bytesMax,
      fields: headerLimits.fieldsMax,
      fieldBytes: headerLimits.fieldBytesMax,
      fieldLines: headerLimits.fieldLinesMax,
    },
    "header of a message, by any way in | {bytes}, {fields} fields; a field {fieldBytes} and {fieldLines} lines | message | none | refused with 552 before anything else reads it | attacks/event-loop.test.ts",
  ),
  headerAddresses: bound(
    { addresses: ADDRESSES_MAX },
    "addresses read from all header fields of one name | {addresses} | message | none | the rest are ignored | costs/linear-cost.test.ts",
  ),
  // RFC 8617 §4.2.1 allows 50 ARC sets; each seal covers the sets below. DNS names: RFC 1035 §3.1.
  signatures: bound(
    {
      signatures: 10,
      arcSets: 20,
      signatureBytes: 8192,
      tags: 100,
      signedNames: 200,
      nameOctets: 320,
      blanks: 64,
      signaturesBytes: 65_536,
    },
    "DKIM signatures and ARC sets that are checked | {signatures} (fewer over a header of more than 100 KiB) and {arcSets}; of each field {signatureBytes}, {tags} tags, {signedNames} signed names, names of {nameOctets} octets, {blanks} blanks in a row; {signaturesBytes} of signatures and of ARC fields; keys of 4,096 bits with an exponent of 32 | message | none | the rest are not checked | costs/linear-cost.test.ts, verification-cost.test.ts",
  ),
  spfRecord: bound(
    {
      octets: SPF_RECORD_MAX,
      terms: SPF_TERMS_MAX,
      termOctets: SPF_TERM_MAX,
      expandedOctets: SPF_EXPANDED_MAX,
      macros: SPF_MACROS_MAX,
      lookUps: SPF_LOOKUPS_MAX,
      voids: SPF_VOIDS_MAX,
    },
    "octets of an SPF record | {octets}; {terms} terms of {termOctets}, {expandedOctets} with macros expanded; {macros} macros; {lookUps} look-ups, {voids} void | record | none | the record is a permanent error | check-spf.test.ts, attacks/policy/hostile-dns.test.ts",
  ),
  // An RSA key of 16,384 bits has 2,750.
  txtRecord: bound(
    { octets: 4096 },
    "octets of a DKIM key, of a DMARC record | {octets} | record | none | an invalid key; a failed look-up | message-dns.test.ts",
  ),
  stsPolicy: bound(
    { lines: STS_POLICY_LINES_MAX, fileBytes: 65_536 },
    "lines of an MTA-STS policy | {lines}, of {fileBytes} | record | none | no policy | src/mta-sts.test.ts, sts-policies.test.ts",
  ),
  verificationTime:
    "processor time to verify a message | 100 ms for its header fields and its DNS records; over the body one pass for each canonicalization, however many signatures there are: up to 40 ms for a MiB of the shortest lines, in short turns of the event loop | message | none | none | verification-cost.test.ts, hash-body.test.ts",
  messageChecks: bound(
    { timeoutMs: 5000, graceMs: 1000 },
    "checks of one message (SPF, DKIM, DMARC, ARC) | {timeoutMs} in all; {graceMs} after it is authenticated | message | none | an unfinished check counts as unknown; under `reject` the message is deferred | attacks/policy/dmarc-by-slow-dns.test.ts",
  ),
  parserCost:
    "work on one input | linear in its size, for every parser | input | none | none | costs/linear-cost.test.ts",
  correspondents: bound(
    { correspondents: CORRESPONDENTS_MAX },
    "people in one forwarded message who get a reply address, in header and calendars | {correspondents}: author, 1,000 recipients and lists, organizers first | message | none | the rest are removed; To and Cc say how many, and above 80 KiB have no names, so that an answer to all fits into a field | crowds.test.ts, attacks/policy/calendar.test.ts",
  ),
  forwardedCalendars:
    "calendars of one forwarded message | 1 MiB, 1,000 lines with addresses; one alias' copy in each turn of the event loop | message | none | attached, not shown, or removed | attacks/policy/calendar-attached.test.ts, attacks/policy/calendar-load.test.ts",
  forwardedParts:
    "parts of one message searched for calendars | 1,000 parts, 20 levels, 80 ms of estimated processor time for all nested, decoded and signed content together ([why](decisions/2026-11-27-linear-cost.md)) | message | none | attached, not shown | attacks/policy/calendar-attached.test.ts, whole-message-cost.test.ts",
  replyParts:
    "parts of a reply or a submitted message | 1,000 parts, 20 levels, 80 ms of estimated processor time; 1 MiB of calendars, 256 KiB of reports | message | none | sent as written, after the leak guard | whole-message-cost.test.ts, attacks/event-loop.test.ts",
  quotedText:
    "text of one message searched for quoted lines | 1 MiB, 20,000 lines, 100,000 tags, 1,000 parts, 20 levels | message | none | left unchanged, so that the leak guard can refuse it | alias-in-quotes.test.ts, quote-cost.test.ts",
  unpackedContent:
    "leak guard: decompressed content of one message | 256 MiB, 50,000 members, 12 levels, an archive in an archive up to 32 MiB | message | none | the message is refused with 550 | attacks/policy/leak-guard.test.ts",
};

const work = {
  // Three times the longest measured search of a 25 MiB message.
  leakSearches: bound(
    { waiting: 64, account: 4, deadlineMs: 20_000 },
    "leak guard: searches | one at a time for {deadlineMs} at most; {waiting} wait | all, account | {account} waiting an account; next is the account that used the least time recently | the newest of the account with the most waiting, on a tie of the one that used the most time, gets 451 (429 for the compose form) | leak-guard-worker.test.ts, attacks/policy/leak-guard.test.ts",
  ),
  webhookBodies: bound(
    { waiting: 256, account: 16, deadlineMs: 1000 },
    "webhook bodies being built | one at a time for {deadlineMs} and 0.128 s for each MiB; {waiting} wait | all, account | {account} waiting an account; next is the account that used the least time recently | the newest of the account with the most waiting, on a tie of the one that used the most time, is retried later | webhook-body-maker.test.ts, attacks/webhooks.test.ts",
  ),
  messagesInMemory: bound(
    { networkPart: 1 / 4, blockPart: 1 / 2 },
    "messages in memory | 128 MiB, or four of the largest | all, network, block | {networkPart} a network, {blockPart} a block, at least one message | near the bound the slowest senders are disconnected, and senders that wait for destinations get their reply early, those of the busiest account first | slow-senders.test.ts, attacks/memory.test.ts",
  ),
  backgroundMessages: bound(
    { allPart: 1 / 2, accountPart: 1 / 4 },
    "acknowledged messages in memory while their attempts run | {allPart} of them | all, account, destination | an account and a destination {accountPart}, at least one message | over its share the newest is dropped from memory; over the half, or when new mail needs the space, one of the party that held the most bytes for the longest time; the mail is on disk | attacks/memory.test.ts",
  ),
  messageCopies: bound(
    { accountPart: 1 / 4 },
    "webhook bodies and encrypted copies in memory | the same amount again | all, account | an account {accountPart}, or one | the newest | attacks/memory.test.ts",
  ),
  // The largest mailing lists bring some hundred new authors a day.
  newCorrespondents: bound(
    { alias: 5000, account: 10_000, crowd: 100 },
    "new correspondents of an alias and of an account (each is a row that stays as long as the alias) | {alias} and {account} at once, then as many a day; messages with more than {crowd} get half; one with more than a process' part may overdraw a part that is unused | alias, account | the alias, the account | messages of new correspondents get 451, or wait in the queue if the message has other aliases; known correspondents are not affected | attacks/tables.test.ts, reply-book.test.ts",
  ),
  // Large mailing services write from a new address each time. A row of 200 bytes lives for 22 days.
  newBounceSenders: bound(
    { alias: 500, account: 1000 },
    "senders remembered because their address does not fit into a bounce address | {alias} and {account} at once, then as many a day | alias, account | the alias, the account | a bounce of their mail reaches the owner as a notice, not the sender | attacks/tables.test.ts, bounce-address.test.ts",
  ),
  // 200 rows take some 20 ms with the embedded database.
  replyRows: bound(
    { message: 20_000, turn: 200 },
    "reply addresses of one message, stored before it is sent | {message} for all its aliases, {turn} rows a statement and turn of the event loop | message, account | an account can have one message with more rows at a time | copies of further aliases, and the account's next message, wait | reply-book.test.ts, attacks/fan-out.test.ts",
  ),
  aliasCopies:
    "copies of one message for many aliases | one alias a turn of the event loop; addresses are read once | message | none | the message's sender waits | attacks/fan-out.test.ts",
  commitRows: bound(
    { rows: 64 },
    "deliveries written in one commit | {rows} rows, or those of one message (1,000 at most) | commit | none | they wait for the next commit | group-calls.test.ts, attacks/fan-out.test.ts",
  ),
};

const delivery = {
  // As long as three commands may take (RFC 5321 §4.5.3.2).
  attempt: bound(
    { deadlineMs: 900_000, totalMs: 1_800_000, speedBytes: 65_536, replyMs: 600_000 },
    "delivery attempt at a destination | {deadlineMs} at the destination before the message is sent, plus the time to send it at {speedBytes} a second; {totalMs} with all waiting; {replyMs} for the reply | attempt | none | it ends, and the queue retries | running-attempts.test.ts",
  ),
  slowAttempts: bound(
    {
      slowAfterMs: 10_000,
      slowReplyMs: 60_000,
      all: 256,
      account: 16,
      destination: 8,
      relayAll: 10,
      relayAccount: 4,
      relayDestination: 4,
    },
    "slow attempts, {slowAfterMs} at a destination without having sent their message | {all}; through a relay {relayAll} | all, account, destination, address | an account {account}, a destination and an address {destination}, through a relay {relayAccount} and {relayDestination}; an account's only attempt there does not count against a destination's or address's share | the busiest party's oldest; a destination that was slow for an account, or took {slowReplyMs} to reply to the message, gets 4, 2, 1 concurrent attempts of it | attacks/queue.test.ts, attacks/unanswered.test.ts",
  ),
  attempts: bound(
    { all: 1000, account: 200 },
    "attempts that run | {all}, twice that for accounts that have fewer than an equal share; an account that has none may always start one, and so may our own mail | all, account | an account {account} | new mail is queued without an attempt | limits/slots.test.ts, attacks/fan-out.test.ts",
  ),
  sentAttempts: bound(
    { all: 1000, account: 100 },
    "attempts that wait for the reply to their message | {all} | all, account | an account {account}; at one host see the connections to it | the busiest account's oldest | running-attempts.test.ts",
  ),
  workerSlots: bound(
    {
      slots: 32,
      account: 8,
      destination: 8,
      waiting: 256,
      waitingOfAccount: 16,
      ownSlots: 8,
      ownAccount: 2,
      ownDestination: 4,
      ownWaiting: 32,
      ownWaitingOfAccount: 4,
    },
    "attempts of the delivery worker that begin | {slots} in a process, and {ownSlots} for our own messages | all, account, destination | an account {account}, a destination (all domains of a provider once it is known) {destination}; of our own messages an account {ownAccount}, a destination {ownDestination}; an account without an attempt to a destination may exceed the destination's share | they wait in memory, {waiting} and {ownWaiting}, of an account {waitingOfAccount} and {ownWaitingOfAccount} or a third of the free places; next is the account that has the fewest | attacks/queue.test.ts, attacks/unanswered.test.ts, delivery-shares.test.ts, fair-claim.test.ts",
  ),
  webhookCalls: bound(
    { all: 200, party: 8, host: 20, waiting: 1000, waitingOfParty: 64 },
    "webhook calls | {all}, and {waiting} wait | all, account, host | an account {party}, {waitingOfParty} waiting; a host {host}, which an account without a call to it may exceed once the others have lasted a second | they wait; next is the account whose block (of registration) has the fewest, then the one that has the fewest itself | attacks/webhooks.test.ts, call-slots.test.ts",
  ),
  stsFetches: bound(
    { all: 32, party: 4, host: 1, waiting: 500, waitingOfParty: 32 },
    "MTA-STS policies being fetched | {all} in a process, {host} of a host; {waiting} wait | all, account | an account {party}, {waitingOfParty} waiting | others wait, next is the account whose block (of registration) has the fewest, then the one that has the fewest itself, and their mail is not sent meanwhile; an account does not wait behind another's fetches | sts-policies.test.ts",
  ),
  hostWaiting: bound(
    { host: 4000, account: 500 },
    "messages waiting for a connection to one host | {host} in a process | host, account | an account {account} | accounts are served in turns | smtp-pool.test.ts",
  ),
  hostConnections: bound(
    { address: 20, provider: 40, messages: 100, idle: 500, idleMs: 30_000 },
    "connections to one mail host or relay | {address} to an address, {provider} to a provider, {messages} messages on each; {idle} idle, {idleMs} each | address, provider, account | next is the account whose block (of registration) has the fewest, then the one that has the fewest itself; an account without one, and our own mail, may exceed these limits once the others have had their message for a second | messages wait; an extra connection is closed after its message, an idle one for another host of the provider | attacks/unanswered.test.ts, smtp-pool.test.ts",
  ),
  lateConnections: bound(
    { lateMs: 30_000, account: 4, block: 16 },
    "connections to one mail host or relay that wait more than {lateMs} for the reply to a message | they leave the limits of connections to one host | account, block | an account with one has {account} connections to the host in all; the accounts registered from a block that has one {block}, and the first of each | the account's further mail to the host waits in the queue, nobody else's | attacks/unanswered.test.ts, smtp-pool.test.ts",
  ),
  busyDestinations: bound(
    { known: 10_000, pauseMs: 1000, pauseMaxMs: 300_000, forgetMs: 900_000 },
    "destinations known to be overloaded, by the account whose message got the busy reply | {known} | all, account | for that account a pause of {pauseMs}, doubled each time up to {pauseMaxMs}, then 4, 2, 1 concurrent attempts for {forgetMs}; a mailbox's own 4xx pauses nothing | the least recently updated entry | attacks/unanswered.test.ts, limits/backoff.test.ts, running-attempts.test.ts",
  ),
  waitingMail: bound(
    { all: 100_000, destination: 5000, batch: 50, batchEveryMs: 1000 },
    "deliveries remembered for a destination that may recover | {all} | all, destination | {destination} for a destination, {batch} due every {batchEveryMs} | deliveries of the destination with the most wait for their retry schedule instead | destination-health.test.ts",
  ),
  missingMailboxes: bound(
    { account: 1000 },
    "counts of mailboxes that seem not to exist | 3 commits for a mailbox in a day | mailbox, account | {account} for an account | no further mailbox is counted | missing-mailboxes.test.ts, missing-mailbox.test.ts",
  ),
  unreadableMail:
    "queued mail that can't be read back, or of which no copy can be made | the retry schedule, then a notice | delivery | its row | none: other deliveries of the same claim continue | attacks/poison.test.ts, delivery/worker.test.ts",
  unstoredOutcomes: bound(
    { firstWaitMs: 250, longestWaitMs: 15_000 },
    "outcomes that the database can't store | those of attempts that were running; retried after {firstWaitMs} to {longestWaitMs} | attempt | none | none: no second attempt is started | attacks/database-trouble.test.ts",
  ),
};

const caches = {
  // Domains have many TXT records at one name, as proofs of ownership.
  dnsResponse: bound(
    { records: 64, txtRecords: 256, characters: 16_384 },
    "a DNS response | {records} records, {txtRecords} of TXT; {characters} characters of text | response | none | the look-up fails | resolver.test.ts",
  ),
  dnsCache: bound(
    { bytes: 16 * MIB, zoneBytes: MIB },
    "cache of DNS responses | {bytes}, 16,000 responses | all, domain | a domain {zoneBytes} | the least recently used of the domain with the most | dns-shares.test.ts, attacks/policy/hostile-dns.test.ts",
  ),
  dnsQueries: bound(
    { all: 2000, zone: 200 },
    "DNS look-ups without a response | {all} in a process | all, domain | a domain {zone} | the busiest domain's oldest fails | dns-shares.test.ts",
  ),
  cachedRoutes: bound(
    { bytes: 32 * MIB, ageMs: 60_000 },
    "cached routes of aliases (on PostgreSQL for {ageMs}); unknown addresses are not cached | {bytes}, about 20,000 ordinary ones | all, account | none; all of them fit if nobody else needs the space | the least recently used of the account with the most; the next message for them looks them up again | fair-map.test.ts, route-cache.test.ts",
  ),
  clientNameQueries: bound(
    { all: 200, block: 8, deadlineMs: 500 },
    'reverse DNS look-ups of connecting clients | {all} in a process without a response | all, block | a block {block} | a new client\'s name is not looked up: its Received field says "unknown". No mail waits longer than {deadlineMs}, counted from the connection | mail/inbound/client-names.test.ts, client-names.test.ts',
  ),
  clientNames: bound(
    { all: 10_000, block: 256, foundMs: 600_000, missedMs: 60_000 },
    "cached names of clients ({foundMs}; {missedMs} for a missing name) | {all} | all, block | a block {block} | the least recently used of the same block, or of the block that has the most | inbound/client-names.test.ts",
  ),
};

const disk = {
  spoolBytes: bound(
    { aliasPart: 1 / 2 },
    "undelivered mail on disk, in bytes | free space above `KAUKE_DISK_RESERVE_MIB` (1,024) | disk, account, alias | an account `KAUKE_SPOOL_ACCOUNT_MIB` (1,024), an alias {aliasPart} of it; below the reserve, a share of what is left of the reserve | senders to the accounts with the most undelivered mail get 452 first (409 for the compose form) | spool-space.test.ts, disk-reserve.test.ts, attacks/disk.test.ts",
  ),
  spooledDeliveries: bound(
    { alias: 1000 },
    "undelivered mail of an alias | {alias} deliveries | alias | the alias | its senders get 452 | spool-quota.test.ts",
  ),
  operatorMail: bound(
    { messages: 1000, bytes: 64 * MIB },
    "mail stored for the operator | {messages} messages and {bytes} | all, network, block | what a block has sent, by number and size | the oldest of the busiest network of the busiest block | attacks/tables.test.ts, limits/bytes.test.ts",
  ),
};

const reports = {
  complaintNotices:
    "complaints (ARF) at abuse@: notices to owners | shared with returned reports | alias, account | as returned reports | no further notice | test/bounces.test.ts",
  bounceNotices: bound(
    { alias: 1, aliasMs: 21_600_000, account: 30 },
    "reports returned to a bounce address: notices to owners | {alias} notice about an alias in {aliasMs} | alias, account | {account} a day to an account | no further notice | test/bounces.test.ts, attacks/policy/bounces.test.ts",
  ),
  bounceReports: bound(
    { pair: 3, sender: 5, alias: 10, account: 40 },
    "reports returned to a bounce address: reports that we send to senders | {pair} a day to one sender about one alias | sender, alias, account | {sender} a day to one sender, {alias} about one alias, {account} about one account | no further report | attacks/policy/bounces.test.ts",
  ),
  failureReports: bound(
    { address: 10 },
    "reports to the sender of mail that failed here | {address} a day | sender | none | no further report | attacks/policy/bounces.test.ts, limits/rate.test.ts",
  ),
  // The default of RFC 5230 §4.1.
  absenceNotes: bound(
    { everyDays: 7 },
    "absence notes sent from an alias | one to a correspondent in {everyDays} days | correspondent, account | `automatic_answer` of the account | taken and not sent | absence-notes.test.ts",
  ),
  notices: bound(
    { account: 1000 },
    "notices of an account | {account} | account, alias | its aliases | the oldest of the alias with the most | attacks/tables.test.ts",
  ),
};

const web = {
  autodiscover: bound(
    { bodyBytes: 8192 },
    "request of a mail program that looks up its settings | {bodyBytes} of body | request | none | refused with 413 | mail-program-settings.test.ts",
  ),
  httpSockets: bound(
    { all: 2000, network: 256, block: 1000, crowdedBlock: 500 },
    "HTTP sockets | {all} | all, network, block | {network} a network, {block} a block, {crowdedBlock} a block once three quarters of all are open; behind a trusted proxy by forwarded client | the busiest first: idle (keep-alive), slow headers, slow bodies, slow readers; never one whose request is being processed | attacks/http-connections.test.ts",
  ),
  streamMemory:
    "memory for a stream of strangers: a request, a response to us, SMTP in either direction, the operator's socket | twice the bytes received and 64 KiB, however they are cut | connection | a connection | small chunks are copied into blocks ([why](decisions/2026-11-27-linear-cost.md)) | attacks/one-byte-chunks.test.ts, byte-streams.test.ts",
  streamChunks:
    "chunks of an HTTP request, read or not, or of a response to us | 1,024, and one for every 64 bytes | connection | none | the connection is closed | attacks/chunk-bursts.test.ts, attacks/import-chunks.test.ts",
  unreadReplies: bound(
    { lines: 500 },
    "lines of replies by a mail host that nobody asked for | {lines} | connection | none | the connection is closed | attacks/one-byte-chunks.test.ts",
  ),
  // Browsers and proxies together send some forty header fields.
  httpRequest: bound(
    { bytes: limits.smallBodyMaxBytes, headerFields: 200, headersMs: 10_000, requestMs: 30_000 },
    "HTTP request | {bytes}, {headerFields} header fields of 16 KiB, headers in {headersMs}, whole in {requestMs} | request | none | the connection is closed | server.test.ts, attacks/http-connections.test.ts",
  ),
  pipelinedRequests: bound(
    { socket: 8 },
    "concurrent HTTP requests of one socket | {socket} | connection | the socket | the socket is closed, and the rest of its packet is not read | attacks/http-connections.test.ts",
  ),
  plainSockets: bound(
    { all: 500, network: 64, block: 250 },
    "sockets of the http port while https is on | {all} | all, network, block | {network} a network, {block} a block | as for HTTP sockets | attacks/https.test.ts",
  ),
  // A handshake is one or two round trips, and browsers have one for each connection.
  webHandshakes: bound(
    { all: 500, block: 100, timeoutMs: 10_000, slowMs: 3000 },
    "TLS handshakes in progress at the https listener | {all}, {timeoutMs} each | all, block | {block} a block | a handshake of the same block that is older than {slowMs}; over all blocks, the busiest first | attacks/https.test.ts",
  ),
  // Browsers wait for a free stream. Leaving a page resets those in progress. RFC 9113 §10.5 and CVE-2023-44487.
  http2Session: bound(
    {
      streams: 32,
      headerBytes: 16_384,
      resets: 100,
      resetsPerSecond: 10,
      controls: 100,
      controlsPerSecond: 10,
      faults: 100,
    },
    "HTTP/2 session | {streams} streams at once, {headerBytes} of header fields; {resets} streams that the client or a limit ends early, then {resetsPerSecond} a second; {controls} PING and SETTINGS frames, then {controlsPerSecond} a second; {faults} invalid frames and {faults} refused streams | connection | the session | the socket is closed; bodies and responses have the limits of HTTP/1.1, whose slow ones end the stream | attacks/https.test.ts",
  ),
  unreadResponses: bound(
    { bytes: 64 * MIB, networkBytes: 16 * MIB, stalledMs: 60_000 },
    "HTTP responses that the client does not read | {bytes}; {stalledMs} without a byte read | all, network | {networkBytes} a network | the largest of the busiest network | attacks/http-connections.test.ts",
  ),
  // Node has four threads for zlib, files and name look-ups.
  compressedTexts: bound(
    { all: 2 },
    "responses with long lists, compressed in threads | {all} at once | all | none | the next is sent uncompressed | compressed-text.test.ts",
  ),
  // Browsers have one for all tabs; one that gave way comes back after minutes.
  liveStreams: bound(
    { all: 5000, account: 20, beatMs: 25_000, quietMs: 300, longestMs: 1500 },
    "event streams (`GET /api/events`) | {all} in a process; an event when nothing has changed for {quietMs}, and {longestMs} after the first change at the latest; something every {beatMs}, by one timer for all | all, account | {account} an account | the oldest of the account, over all that of the account with the most; it is told to come back later. Its socket counts as idle, so it gives way to requests when sockets are scarce | live-streams.test.ts, live.test.ts",
  ),
  largeBodies: bound(
    { all: 32, account: 4, slowMs: 5000 },
    "HTTP bodies above 64 KiB, up to 1.8 MB, in flight | {all} | all, account | {account} an account | one that takes more than {slowMs}, of the busiest account | attacks/http-connections.test.ts",
  ),
  // The other connections to PostgreSQL stay free for mail and upkeep.
  databaseTurns: bound(
    { postgres: 6, waiting: 2000 },
    "the database, by web calls | one statement or transaction at once ({postgres} on PostgreSQL), {waiting} waiting | all, account, block | its time is charged to account and block of networks; next is who used the least recently, signed-in users every second turn; mail waits for the one that runs | the last of those with the most waiting gets 429 | caller-turns.test.ts, used-time.test.ts, attacks/account-reads.test.ts, attacks/web-flood.test.ts",
  ),
  loopSlices:
    "the event loop, by work on long lists of an account | slices of 4 ms, one for each iteration of the loop | all, account, block | charged and served as the database | they wait | slices.test.ts, attacks/account-reads.test.ts",
  aliasLists: bound(
    { bytes: 24 * MIB, listBytes: 6 * MIB, forMs: 60_000 },
    "lists of more than 200 aliases, unsealed in memory for {forMs} or until a change ([why](decisions/2026-11-27-turns.md)) | {bytes} of sealed bytes, about three times as many in memory | all, account | an account {listBytes} | the least recently used; a larger list is read anew each time, in pages of 200 | list-cache.test.ts, list-aliases.test.ts, attacks/account-reads.test.ts",
  ),
  publicTotals: bound(
    { everyMs: 60_000 },
    "the public totals | counted again after {everyMs} at the earliest, whoever asks | all | none | the former totals | kept-value.test.ts, attacks/public-totals.test.ts",
  ),
  acceptBacklog:
    "connections that wait to be accepted (one for each iteration of the event loop) | none of our own | all | none | long work waits while clients connect, up to 10 ms a turn ([why](decisions/2026-11-27-turns.md)) | slices.test.ts, attacks/sign-in-burst.test.ts",
  accountCalls: bound(
    { account: 4, waiting: 200 },
    "calls of one account | {account} in progress, {waiting} waiting | account | the account | the next gets 429 | account-calls.test.ts",
  ),
  // Rows of about 150 bytes.
  rateRows: bound(
    { rows: 500_000 },
    "stored counts of rate limits (rows) | {rows} | all, network | a few hundred a network in an hour, by the limits themselves | the oldest windows, at the hourly maintenance | rate-limits.test.ts",
  ),
};

const signIn = {
  accountsOfNetwork:
    "new accounts from one network | {register} | network, block | network and block | refused | attacks/tables.test.ts",
  signInsOfNetwork:
    "sign-ins from one network | {login_ip} | network, block | network and block | refused | sign-in/login.test.ts",
  signInsToAccount:
    "sign-ins to one account from one network | `login_account` {login_account.free} free, then 1, 2, 4 … {login_account.longestWaitSeconds} apart (free attempts / longest wait); forgotten after an hour | account and network | account and network | that network has to wait | attacks/sign-in.test.ts",
  wrongPasswordsOfBlock:
    "wrong passwords at one account from one block | {login_block} | account and block | account and block | the block is offered a link by mail | attacks/sign-in.test.ts",
  wrongPasswords:
    "wrong passwords at one account from all networks | {login_common} | account | the account; browsers that signed in before are counted apart | unknown browsers are offered a link by mail | attacks/sign-in.test.ts",
  knownBrowsers: bound(
    { browserEntries: 5 },
    "sign-ins to one account by browsers that signed in before | {login_known}, {login_browser}, wrong passwords in a row; a cookie holds {browserEntries} accounts | browser | the browser | it counts as an unknown browser | attacks/sign-in.test.ts",
  ),
  linkPasswords:
    "passwords tried with one sign-in link | {sign_in_link} | link | the link | the link ends | attacks/sign-in.test.ts",
  passwordHashes: bound(
    { jobs: 2, waiting: 64 },
    "passwords being hashed | {jobs} at a time; on a machine with two cores, or with one, 1; {waiting} wait of strangers and {waiting} of known browsers, sessions and links | all, block | the block that used the least time recently is next | the last of the busiest block gets 429; among blocks with equally many, of the one that used the most time | fair-queue.test.ts, attacks/sign-in.test.ts, attacks/sign-in-burst.test.ts",
  ),
  federatedSignIns:
    "federated sign-ins begun from one network | {google_ip} | network, block | network and block | refused | sign-in-failures.test.ts",
  openSignIns: bound(
    { open: 10_000 },
    "open federated sign-ins | {open} | all, network, block | none | the oldest of the busiest network of the busiest block | anonymous-tokens.test.ts",
  ),
  walletSteps:
    "steps of wallet sign-ins from one network, two to a sign-in; a first sign-in counts as a new account too | {wallet_ip} | network, block | network and block | refused | sign-in/wallet.test.ts",
  openChallenges:
    "open wallet challenges | {openSignIns.open} | all, network, block | none | the oldest of the busiest network of the busiest block | attacks/tables.test.ts, anonymous-tokens.test.ts",
  // A row of some 200 bytes, for 90 days at most.
  openInvites: bound(
    { open: 1000 },
    "open invitations to register | {open} | all | none: only the operator makes them | the command refuses another | attacks/registration.test.ts",
  ),
  // Reading and changing the queue by host opens the sealed target of each delivery.
  queueByHost: bound(
    { deliveries: 20_000, hosts: 500 },
    "deliveries that the operator's view of the queue reads, destination hosts that it shows | the {deliveries} due first, the {hosts} hosts with the most | all | none | the rest are not shown, retried or dropped by this call | queue-by-host.test.ts",
  ),
  // A row of some 300 bytes, for 30 days at most.
  operatorActs: bound(
    { rows: 10_000 },
    "recorded acts of operators | {rows} | all | none | the oldest of one party's most frequent acts is deleted | operator-store.test.ts",
  ),
  wrongInvites:
    "registrations with a wrong invitation | {register}, as registrations; a token has 160 random bits | network, block | network and block | refused | attacks/registration.test.ts",
  loginSessions: bound(
    { account: 100 },
    "open sessions of an account | {account} | account | the account | its least recently used session | attacks/tables.test.ts",
  ),
  linkRequests:
    "requests for password resets and sign-in links, and wrong links tried, from one network | {password_reset_ip}; a valid link is never refused | network, block | network and block | refused | sign-in/routes.test.ts",
  mailedLinks:
    "password resets to one mailbox, and as many sign-in links, whether it has an account or not | `password_reset_mailbox` {password_reset_mailbox.free}, then one every {password_reset_mailbox.longestWaitSeconds} (at once / longest wait) | mailbox | the mailbox and the kind of link | refused | sign-in/routes.test.ts",
  mailedLinksToUnproven:
    "password resets and sign-in links to a mailbox whose ownership nobody has proven, over all accounts and spellings | `password_reset_unproven` {password_reset_unproven.free}, then one every {password_reset_unproven.longestWaitSeconds} (at once / longest wait) | mailbox | the mailbox and the kind of link | the response is the same, but nothing is sent | sign-in/routes.test.ts",
  emailChanges:
    "links to a new sign-in e-mail, by one account | {email_change}; `password_reset_ip` counts them too | account, network, block | the account; network and block | refused | new-sign-in-email.test.ts",
  emailChangeLinks:
    "links to a new sign-in e-mail in one mailbox, over all accounts and spellings | {email_change_mailbox}; an account for which the mailbox is confirmed has only `email_change` | mailbox | the mailbox | refused | new-sign-in-email.test.ts",
  signInMethods:
    "wallets and Google accounts linked and removed by one account | {secret_change}; `wallet_ip`, `google_ip` | account, network, block | the account; network and block | refused | sign-in/method-routes.test.ts",
  emailConfirmations:
    "messages that ask a mailbox to confirm an account's e-mail, over all accounts | {email_confirmation_mailbox} | mailbox | the mailbox's plain spelling; all its other spellings together | refused | sign-in/routes.test.ts",
  mailboxConfirmations: bound(
    { waiting: 5 },
    "confirmation messages to one mailbox, over all accounts and spellings | {confirmation_mailbox} | mailbox, account | the mailbox; {waiting} waiting mailboxes an account | not sent; a user who confirms the same address as an account's e-mail needs no such message | test/confirmation.test.ts, destination/confirmation.test.ts",
  ),
  mailProfiles: bound(
    { account: limits.mailProfilesMax, minutes: limits.mailProfileMinutes },
    "links to configuration profiles of mail programs | {account} open ones an account, each for {minutes} minutes and one use; {secret_change} | account | the account | a new one ends the oldest | mail-profile.test.ts",
  ),
  smtpTests:
    "tests of the connection of SMTP credentials, by one account | {smtp_test} | account | the account | refused | mail-profile.test.ts",
  openLinks:
    "open links sent by mail | one of a kind for an account or a pair of account and mailbox | account | none | the newer one ends the older | account-links.test.ts",
};

const accounts = {
  aliases: bound(
    { account: limits.aliasesMax },
    "aliases of an account | {account}; {alias_create}, renames included | account | the account | refused | attacks/tables.test.ts",
  ),
  reservedAddresses: bound(
    { account: limits.releasedMax },
    "released addresses reserved for their former owner, 30 days | {account} an account, counting imports, and one batch of 500 for each concurrent call; a deleted account leaves all its used ones, at most 10,000 | account | the account | a used alias is deleted or renamed later (429, with the time) | attacks/reserved-names.test.ts, released-addresses.test.ts",
  ),
  importedAddresses: bound(
    { network: 4000, block: 16_000 },
    "reserved addresses that an import made and nobody used | the account's {reservedAddresses.account}, {network} a network and {block} a block, used ones counted | account, network, block | account, network, block | they are free at once | attacks/reserved-names.test.ts, released-addresses.test.ts",
  ),
  drafts: bound(
    {
      account: draftLimits.perAccountMax,
      bytes: draftLimits.perAccountMaxBytes,
      keptMs: draftLimits.keptDays * 86_400_000,
    },
    "drafts in a browser, encrypted | {account}, {bytes} with their files, {keptMs} | account | the account, by its browser | the account's oldest; others' never | drafts/draft-box.test.ts",
  ),
  ownDomains: bound(
    { account: limits.userDomainsMax, claimToldMs: 7 * 86_400_000 },
    "own domains of an account | {domain_add}; as many as `KAUKE_USER_DOMAINS` says, {account} at most; whoever holds a domain is told of others' claims once in {claimToldMs} | account | the account | refused | domains/routes.test.ts, takeover.test.ts",
  ),
  domainChecks: bound(
    { all: 16, waiting: 64, account: 8, answers: limits.domainAnswersShown, characters: limits.domainAnswerMax },
    "checks of the records of own domains | {domain_check}; {all} at once, {waiting} wait, {account} of an account; of what DNS returned for a record {answers} are stored, {characters} characters each | account, all | the account | 429 | domains/routes.test.ts, domain-records.test.ts",
  ),
  domainRechecks: bound(
    {
      everyMs: 86_400_000,
      spreadMs: 14_400_000,
      retryMs: 900_000,
      atOnce: 4,
      account: 1,
      leaseMs: 60_000,
      countedMs: 129_600_000,
      failingMs: 7 * 86_400_000,
      suspendedMs: 7 * 86_400_000,
      closedMs: 30 * 86_400_000,
    },
    "checks that nobody asked for of domains that an account holds | each {everyMs}, give or take half of {spreadMs}, after {retryMs} and later each time when DNS does not answer; {atOnce} at once in a process, {account} of an account in all, with a lease of {leaseMs}; mail goes on for {failingMs}, waits for {suspendedMs}, and the name is reserved for {closedMs} more, of which one check counts {countedMs} | account, all | in turns between accounts | domains are looked at later | domain-standing.test.ts, recheck-times.test.ts, domain-rechecks.test.ts, domain-worker.test.ts",
  ),
  policyCertificates: bound(
    { atOnce: 4, account: 1, pauseMs: 300_000, opened: 200, openedMs: 600_000, absentMs: 10_000 },
    "certificates of own domains' policy hosts (MTA-STS) | orders: {policy_order_account} an account, {policy_order_all} in all; {atOnce} at once in a process, {account} of an account; a failed one is repeated after minutes, then hours, and after a rate limit of the issuer all wait for {pauseMs}; {opened} certificates open in memory, for {openedMs}; one that is not there is looked for again after {absentMs} | account, all | the account | ordered later; the server's own certificates are ordered apart | test/policy-certificates.test.ts, policy-worker.test.ts, policy-contexts.test.ts",
  ),
  appearingAliases: bound(
    {
      known: 10_000,
      knownMs: 60_000,
      prefixes: limits.appearPrefixesMax,
      names: limits.neverNamesMax,
      rulesBytes: 4 * MIB,
    },
    "aliases that the first mail to them makes, on own domains | {alias_appear_domain} a domain, {alias_appear_account} an account; {prefixes} beginnings and {names} refused names a domain, {domain_change}; rules in memory {rulesBytes}; domains known to be open or closed {known}, for {knownMs} or until the next alias may appear | domain, account | the domain, the account | the name is refused as unknown; the account is told once a day and domain ({alias_appear_notice}) | appearing-aliases.test.ts, test/attacks/appearing.test.ts",
  ),
  checklistRows: bound(
    { account: limits.checklistMax },
    "sites added to a checklist, changes of one | {checklist_add}, {checklist_change}; {account} rows | account | the account | refused | account/checklist.test.ts",
  ),
  aliasChanges: "changes of aliases | {alias_change} | account | the account | refused | aliases/routes.test.ts",
  bulkChanges:
    "aliases in bulk changes | {alias_bulk}, and {alias_keep} kept from deletion, a request counting as 100 at least | account | the account | refused | bulk.test.ts",
  labels: bound(
    { account: limits.labelsMax, alias: limits.labelsPerAliasMax },
    "labels of an account | {account}, {alias} an alias | account | the account | refused | aliases/labels.test.ts",
  ),
  clientCalls:
    "calls of other services' clients | {client_list}, {client_activities}, {client_toggle}; {client_bulk} of 25 aliases at most | account | the account | refused | simplelogin/aliases.test.ts, addy/routes.test.ts",
  addedMailboxes: bound(
    { account: limits.addedMailboxesMax },
    "mailboxes that an account adds, each asked for confirmation | {account}; {mailbox_change}, removals and changes of defaults included; {mailboxConfirmations.waiting} waiting for confirmation | account | the account; mailboxes that its aliases forward to are listed besides | refused | mailboxes/routes.test.ts",
  ),
  generatedNames: bound(
    { tries: 20 },
    "names generated without creating an alias | {name_generate}; {tries} tries a call | account | the account | refused | generate.test.ts",
  ),
  destinationsOfAlias: bound(
    { alias: limits.destinationsMax },
    "destinations of an alias | {alias} | alias | none | refused | aliases/routes.test.ts",
  ),
  testMessages: bound(
    { all: 1000 },
    "test messages to aliases | {test_message}; {all} in memory, with how far they came | account, all | the account | refused; the oldest is forgotten | test/first-steps.test.ts",
  ),
  providerTries:
    "tries of an alias at the forwarding provider that an account asks for | {provider_try} | account | the account | refused | test/forwarding-provider.test.ts",
  secretChanges:
    "SMTP credentials, encryption keys and signing secrets created, changed or deleted | {secret_change} | account | the account | refused | smtp-credentials/routes.test.ts",
  imports: bound(
    {
      fileBytes: limits.importFileMaxBytes,
      unpackedBytes: limits.importUnpackedMaxBytes,
      rows: limits.importRowsMax,
      destinations: limits.importDestinationsMax,
      storedRows: limits.importStoredRowsMax,
    },
    "imports of an account | {import_create}; {fileBytes} a file, {unpackedBytes} unpacked, {rows} rows, {destinations} different destinations; stored rows {storedRows}, for a day; one runs at a time, and the limit of aliases holds | account | the account | refused (429 or 400); a new dry run replaces one that was not run | imports/routes.test.ts, read-import.test.ts, import-load-cost.test.ts",
  ),
  // Each needs up to about 30 MB of memory.
  importReadings: bound(
    { all: 4, waiting: 32, block: 8, slowMs: 3000, excusedBytes: 128 },
    "imports being read | {all}; {waiting} wait | all, account, block | an account one; {block} waiting a block, the block that used the least time recently is next | while one waits, the one that has waited longest for bytes, beyond {slowMs} and 1 ms for each {excusedBytes}, gets 429 | attacks/import-places.test.ts, reading-places.test.ts",
  ),
  namedByDryRuns:
    "addresses of others named by dry runs | {import_taken}, each dry run counted as one | account, network, block | the account; network and block | the rows are left to the run; those about the account's own addresses are not | attacks/import-names.test.ts",
  uncheckedRows:
    "rows left to an import's run, each decided for an alias of the account or as taken | {import_unchecked} | account, network, block | the account; network and block | the run is refused | attacks/import-names.test.ts",
  aliasExports:
    "files of aliases for other services | {alias_export}; read page by page, counted among the exports of own data | account | the account | refused | exports.test.ts",
  apiKeys: bound(
    { account: limits.apiKeysMax },
    "API keys of an account | {account}, {api_key_create}; calls by key count as the account's | account | the account | refused | api-keys/routes.test.ts, key-caller.test.ts",
  ),
  downloads: bound(
    { all: 32, account: 1, block: 16, crowdedBlock: 8 },
    "exports of an account's own data | {account_export}; read page by page as the client reads it; {all} open downloads, {account} of an account, {block} of a block of networks ({crowdedBlock} when crowded) | all, account, block | the account, the block | its older download ends; otherwise the one of the busiest block whose client has read nothing for the longest time | account/routes.test.ts, account-export.test.ts, downloads.test.ts",
  ),
  masterPasswords:
    "master passwords used: keys created, downloaded or decrypted with on the server | {master_password} | account | the account | refused | encryption-keys/routes.test.ts",
  manualDecryptions:
    "texts decrypted on the server with a key that is not stored | {decrypt_manual} | account | the account | refused | encryption-keys/decrypt.test.ts",
  encryptionKeys: bound(
    { account: limits.encryptionKeysMax },
    "encryption keys of an account | {account} | account | the account | refused | encryption-keys/routes.test.ts",
  ),
  ageJobs: bound(
    { waiting: 16, account: 2, deadlineMs: 30_000 },
    "age operations | one job at a time, {waiting} wait, {deadlineMs} each; keys tried on stanzas cost half a second in all | all, account | {account} waiting an account; next is the account that used the least time recently | the newest of the account with the most waiting, on a tie of the one that used the most time, gets 429 | workers/age-worker.test.ts, attacks/age-worker.test.ts, files.test.ts",
  ),
  sentMail:
    "recipients of composed mail; of submitted mail and of mail to reply and send addresses | {email_job_create} and {submission}, and messages {email_job_burst}; of absence notes and receipts {automatic_answer} | account | the account | refused, 451 in SMTP; a message with more recipients than are left is sent to nobody, and one that is deferred does not count | compose.test.ts, attacks/recipients.test.ts, attacks/answers.test.ts",
  contacts: bound(
    { account: limits.contactsMax },
    "people that an account wrote to | {account}, {contact_change} | account | the account | the one that was used longest ago is forgotten | account/contacts.test.ts",
  ),
  attachments: bound(
    { account: 4, count: 60, all: 8192 * MIB, idleMs: 30_000, uploadMs: 900_000 },
    "files attached to messages that are not sent yet, stored for a day | {email_attachment}; {account} times `KAUKE_MAX_MESSAGE_BYTES` and {count} files an account, within its share of undelivered mail; {all}; an upload lasts {uploadMs} and {idleMs} without a byte | all, account | the account; above the bound of the server an equal share for each account that has some | the accounts with the most get 409 | email-attachments.test.ts, attacks/attachments.test.ts",
  ),
  attachedMail: bound(
    { atOnce: 2, waiting: 32, account: 2 },
    "composed messages with files in memory | {atOnce} at once, {waiting} wait | all, account | {account} waiting an account; accounts take turns | 429 | attacks/attachments.test.ts",
  ),
  ownerSignatures:
    "remembered signatures of owners' answers | seven days, or until the signature expires | account | the account, as many as `submission` lets it send | none | sent-answers.test.ts, attacks/replayed-commands.test.ts",
  wrongSmtpPasswords:
    "wrong SMTP passwords | {smtp_login_ip} from one network, {smtp_login_account} at one user name | network, block, user name | network and block; the user name | the next wrong one gets 451; a right one is never refused | smtp-credential.test.ts, submission.test.ts",
  pageEvents: bound(
    { perMinute: 600, networks: 4096 },
    "page events counted | {perMinute} a minute, {networks} networks remembered | network | a network | not counted | account/analytics.test.ts",
  ),
};

/** Characters of a header that is pasted, or sent back, to prove how a mail host judged our mail. */
const PASTED_HEADER_MAX = 65_536;

const others = {
  decryptedHtml:
    "HTML of a decrypted message, in the browser | 1 MiB, 30,000 elements (a cell counts as the cells it spans), 200 levels, 20 MiB of pictures, each occurrence counted | message | none | the rest is not shown, and the page says so | element-writer.test.ts",
  blockedProcess:
    "processes of a group whose thread is blocked | a minute | process | the process | it is killed and started again | processes/process-group.test.ts",
  previewInbox: bound(
    { messages: 200, bytes: 64 * MIB },
    "preview inbox | {messages} messages, {bytes} | all | none | the oldest | preview-inbox.test.ts",
  ),
  providerCalls: bound(
    {
      atOnce: 4,
      callMs: 15_000,
      bringMs: 45_000,
      pauseMs: 5000,
      pauseMaxMs: 60_000,
      responseBytes: 8 * MIB,
      created: 100,
      passwords: 15,
    },
    "calls of the forwarding provider | {atOnce} aliases at once, for {bringMs} each; {callMs} and {responseBytes} for a response; once its limit was met, of new aliases {created} and of new SMTP passwords {passwords} an account in a day, while other accounts ask for some | account | in turns between accounts | later changes of the busiest account wait; after an outage or a refusal of everything, one try each {pauseMs} to {pauseMaxMs} | test/forwarding-provider.test.ts, hostile-provider.test.ts, call-gates.test.ts",
  ),
  providerComparison: bound(
    { everyMs: 86_400_000, leastMs: 21_600_000, runMs: 3_600_000, pages: 300 },
    "comparisons with the forwarding provider that nobody asked for | one each {everyMs}, after one that failed {leastMs}; each for {runMs} and {pages} pages of up to 1,000 copies | all | none: one of the processes compares | the comparison fails, and a line of the log says so | provider-comparison.test.ts",
  ),
  providerMail: bound(
    {
      messageBytes: 50 * MIB,
      statusReads: 50,
      refusals: 10,
      statusFreshMs: 5000,
      remembered: 10_000,
      settleMs: 60_000,
      reserved: 10,
      reservedPart: 1 / 10,
      contestedPart: 1 / 2,
      accountPart: 1 / 4,
      limitReadMs: 1_200_000,
    },
    "mail through the forwarding provider | {messageBytes} a message; {statusReads} readings at once of what became of messages, then as many a day, each of the newest 50, and good for {statusFreshMs}; {remembered} messages remembered; one whose call was lost is sent again after {settleMs}; of one account, {refusals} refused at once, then as many a day; {reservedPart} of the provider's daily limit, at least {reserved} messages, is reserved for our own mail, and read each {limitReadMs} | all, account | of the provider's daily limit, once less than {contestedPart} is left, an account {accountPart}; the account whose messages the provider refuses: its next ones wait; a reading tells of all messages | composed mail waits until the next reading of the limit; messages stay with the provider, and what became of them is learned later | provider-transport.test.ts, mail-reserve.test.ts, test/provider-sending.test.ts",
  ),
  mailProbes: bound(
    { open: 5, messages: 20, headerCharacters: PASTED_HEADER_MAX, partBytes: 4 * PASTED_HEADER_MAX, parts: 10 },
    "proofs of mail | {open} open, for a day; {messages} messages to each; of one, {parts} parts of {partBytes} are searched for a header, of which {headerCharacters} characters are read | all | none: only the operator starts them | the oldest goes; further messages are refused like those to an unknown address | test/probe.test.ts, mail-probes.test.ts",
  ),
  operatorSocket: bound(
    // A pasted header, with its characters escaped.
    { connections: 8, requestBytes: 4 * PASTED_HEADER_MAX, idleMs: 10_000 },
    "operator's socket | {connections} connections, {requestBytes} and {idleMs} for the request | all | none | the connection is closed | control-socket.test.ts, attacks/one-byte-chunks.test.ts",
  ),
};

const memory = {
  remembered: bound(
    {
      takenDeliveries: 50_000,
      takenMs: 3_600_000,
      replyAddresses: 50_000,
      bounceSenders: 50_000,
      spooledTo: 10_000,
      spoolOwners: 10_000,
      unconfirmed: 50_000,
      refusedClients: 10_000,
      reportedTo: 10_000,
      accountDkimKeys: 500,
    },
    "small caches | what destinations took before a failed commit {takenDeliveries}, for {takenMs}; reply addresses known to be stored {replyAddresses}; senders of bounce addresses known to be stored {bounceSenders}; aliases that recently spooled mail {spooledTo}; accounts and aliases whose bytes in the spool are known {spoolOwners} each; messages counted for unconfirmed mailboxes {unconfirmed}; clients turned away from submission before they sent a command {refusedClients}; senders who got a report {reportedTo}; own domains of accounts whose DKIM key is open {accountDkimKeys} | all | none | the oldest entry, which costs one more look-up or lets slightly more through | runtime/maps.test.ts, domain-keys.test.ts",
  ),
};

export const limitsTable = {
  "SMTP sessions and rates": smtp,
  "One message": oneMessage,
  "Work and memory for messages": work,
  Delivery: delivery,
  "DNS and caches": caches,
  Disk: disk,
  "Reports and notices": reports,
  "Web server and database": web,
  "Sign-in and links": signIn,
  Accounts: accounts,
  "The rest": others,
  "Small caches": memory,
};

type FiguresOf<Rows> = {
  [Name in keyof Rows]: Rows[Name] extends { figures: infer Figures } ? Figures : never;
};

function figuresOf<Rows extends Record<string, string | { figures: object }>>(rows: Rows): FiguresOf<Rows> {
  const figures = Object.entries(rows).map(([name, row]) => [name, typeof row === "string" ? {} : row.figures]);
  return Object.fromEntries(figures) as FiguresOf<Rows>;
}

export const bounds = figuresOf({
  ...smtp,
  ...oneMessage,
  ...work,
  ...delivery,
  ...caches,
  ...disk,
  ...reports,
  ...web,
  ...signIn,
  ...accounts,
  ...others,
  ...memory,
});

/** A process' part of a limit, rounded up: limits counted in memory hold per process, and several may run. */
export const partOf = (limit: number, processes: number): number => Math.ceil(limit / processes);

export const partOfRule = (rule: BucketRule, processes: number): BucketRule => ({
  ...rule,
  max: partOf(rule.max, processes),
});

/** @param limits maximum numbers in use at once */
export function partOfAll<Limits extends { [Name in keyof Limits]: number }>(
  limits: Limits,
  processes: number,
): Limits {
  const parts = Object.entries<number>(limits).map(([name, limit]) => [name, partOf(limit, processes)]);
  return Object.fromEntries(parts) as Limits;
}

/** Limits of new rows per alias and per account. */
export interface RowRules {
  alias: BucketRule;
  account: BucketRule;
}

/** @param limits maximum numbers per day */
export const rowsPerDay = ({ alias, account }: { alias: number; account: number }, processes = 1): RowRules => {
  const rule = (max: number) => partOfRule({ max, windowSeconds: 86_400 }, processes);
  return { alias: rule(alias), account: rule(account) };
};
