/**
 * Tests that need our own engine, which a run with a forwarding provider leaves out (`KAUKE_TEST_FORWARDING`, see
 * docs/testing.md). All others must pass in such a run too.
 */

import { isProviderRun } from "./provider-run.ts";

const server = "apps/server/test";

/** Globs of test files and journeys, by what they need of the engine. */
const engineTests: Readonly<Record<string, readonly string[]>> = {
  "Mail that arrives at our MX is received, checked and forwarded by us": [
    `${server}/{arc,attack-forwarding,attack-header-view,attack-mx,authentication,bounces,client-names}.test.ts`,
    `${server}/{confirmation,direct,encrypted-forwarding,fixtures,forwarding,mail-limits,missing-mailbox,open-relay,probe}.test.ts`,
    `${server}/{routes-of-many,slow-senders,smuggling,webhook-gone,without-features,fuzz-smtp}.test.ts`,
    `${server}/attacks/{account-reads,answers,commands,connections,database-trouble,destination,disk}.test.ts`,
    `${server}/attacks/{event-loop,fan-out,memory,neighbours,poison,queue,recipients,replayed-commands}.test.ts`,
    `${server}/attacks/{age-worker,http-connections,reserved-names,stream-floods.long,tables}.test.ts`,
    `${server}/attacks/{unanswered,web-flood,webhooks}.test.ts`,
    `${server}/attacks/policy/*.test.ts`,
    `${server}/attacks/scenes/**`,
    `${server}/odd-mail/*.test.ts`,
    `${server}/real-programs/*.test.ts`,
    `${server}/costs/{linear,verification}-cost.test.ts`,
    "e2e/mail/{encrypted-forwarding,first-mail,forward-a-message}.e2e.ts",
    "e2e/aliases/confirm.e2e.ts",
    "e2e/account/notices.e2e.ts",
    "e2e/pages/{admin,admin-proof}.e2e.ts",
    "e2e/engines/firefox.e2e.ts",
    // Their screens show mail that was received.
    "e2e/account/preferences.e2e.ts",
    "e2e/any-page/screens-signed-{in,out}.e2e.ts",
  ],
  "Replies through an alias, and mail programs at our submission port": [
    `${server}/replies/*.test.ts`,
    `${server}/attacks/sign-in.test.ts`,
    `${server}/issued-certificates.test.ts`,
    "e2e/mail/replies.e2e.ts",
  ],
  "Mail in our queue at a kill, a shutdown, a full disk, a move, or under the operator's commands": [
    `${server}/durability/{full-disk,in-flight,kill-9,kill-9-postgres,process-group,spool-failure}.test.ts`,
    `${server}/group-member.test.ts`,
    `${server}/canary.test.ts`,
    `${server}/operator/{backup,close,kauke-command,kauke-keys,kauke-probe,kauke-relay,mail-send}.test.ts`,
    `${server}/operator/{move,old-data-directories,queue-by-host}.test.ts`,
  ],
};

/** Single tests of files that run otherwise, by name. */
export const namesOfEngineTests: ReadonlySet<string> = new Set([
  // Reply addresses need our engine, so their switch is not shown.
  "writing by address is off until its switch is turned on, which a reload shows too",
  // Mail programs use the provider's SMTP host, and the provider calls webhooks.
  "returns them with the password, which signs in at once",
  "lists them without the password, with the host to connect to",
  "credentials made in the dashboard are used by a mail program, regenerated and deleted",
  "a webhook's secret is shown, copied and regenerated; the next call is signed with the new one",
  // The page promises no replies, and the guide names the provider's SMTP host.
  "the whole landing page is shown, and its links work",
  "the guides are served here: Documentation opens the guide for mail programs in a new tab",
  // The message says that the alias is being set up.
  "on a page over plain http of another machine, which has no clipboard, addresses are copied too",
  "Enter creates and copies an alias; domain and destinations stay, and its row is marked for three seconds",
  // The dashboard asks for the aliases that are being set up too.
  "the session and the aliases are requested once, and before the page's script has arrived",
]);

/** Globs of the tests that this run leaves out. */
export const testsOfEngine: readonly string[] = isProviderRun ? Object.values(engineTests).flat() : [];
