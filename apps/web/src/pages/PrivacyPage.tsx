import { legalFacts, limits, mailDays, product, retentionDays, sessionTimes } from "@kauke/contract";
import { daysText, hoursText, minutesText, readForwardingTexts, readLogsKept } from "../features/legal/figures.ts";
import { FactTable, LegalPage, type LegalPart, PageLink } from "../features/legal/LegalPage.tsx";

export function PrivacyPage() {
  const { emailLogs, cookies, thirdPartyScripts } = legalFacts;
  return (
    <LegalPage
      isEnglish
      title="Privacy Policy"
      lead="What is kept about you, how long, and who else gets to see it."
      figures={[
        ["E-mail logs", emailLogs],
        ["Cookies, for signing in", cookies],
        ["Scripts of third parties", thirdPartyScripts],
      ]}
      parts={[inShort(), account(), mail(), sending(), signIn(), keys(), browser(), logs(), times(), others(), rest()]}
    />
  );
}

function inShort(): LegalPart {
  return {
    id: "short",
    title: "In short",
    body: <p>{readForwardingTexts().privacyShort} Nobody else's program runs in these pages.</p>,
  };
}

function account(): LegalPart {
  return {
    id: "account",
    title: "What your account holds",
    body: (
      <>
        <ul>
          <li>How you sign in: e-mail address and password, a provider's account, or a wallet's public address.</li>
          <li>
            Your aliases: names, where they forward to, your notes of up to {limits.notesMax} characters, and keys of
            their own.
          </li>
          <li>Your open sessions: when each began and was last used, and in which kind of browser.</li>
          <li>SMTP credentials and encryption keys that you make.</li>
          <li>Which mailboxes have confirmed that they want your mail, and which have not.</li>
          <li>Notices about mail that could not be delivered.</li>
          <li>A balance, and the choices you made in Settings.</li>
          <li>
            The part of the internet it was registered from (a range of network addresses, never a single one), only as
            a keyed hash: accounts of one part share the connections to a mail host that is slow.
          </li>
        </ul>
        <p>
          Everything in it that names or describes somebody is sealed (encrypted) in the database, with a key that is
          not part of it. Only random ids, times, counts, amounts, sizes and states can be read there, such as whether
          an alias is paused. To find an address without decrypting any, the program compares keyed hashes. Your sign-in
          password is kept only as a slow, salted hash, inside the seal.
        </p>
      </>
    ),
  };
}

function mail(): LegalPart {
  const texts = readForwardingTexts();
  return {
    id: "mail",
    title: "Mail on its way to you",
    body: (
      <>
        <p>{texts.privacyArrival}</p>
        <p>{texts.privacyWaiting}</p>
        <p>
          {texts.privacyReplies} Mail to a paused alias is dropped unread. Mail to <code>postmaster@</code> and{" "}
          <code>abuse@</code> {texts.privacyPostmaster}
        </p>
        <p>
          The first time you forward to a mailbox it gets one message from us, with links that work for{" "}
          {daysText(mailDays.confirmationLink)}, {texts.privacyConfirmation} If its owner blocks it for everybody, a
          keyed hash of it stays so that the block lasts.
        </p>
      </>
    ),
  };
}

function sending(): LegalPart {
  return {
    id: "sending",
    title: "Mail you send",
    body: (
      <p>
        A message you compose waits sealed until it is sent, failed or undone; then its text, subject and recipient are
        erased. A record of its state and times, without those, stays for you to look at,{" "}
        {daysText(retentionDays.technicalLogs)} at most. {readForwardingTexts().privacySending}
      </p>
    ),
  };
}

function signIn(): LegalPart {
  return {
    id: "sign-in",
    title: "Signing in with others",
    body: (
      <p>
        If you continue with Gmail, your browser goes to that provider, which learns that you use this server. We get an
        account number from it and, when it has checked it, your e-mail address; nothing of it loads in our pages. If
        you continue with a wallet, it signs a text of ours. We learn its public address and nothing of what it holds,
        and the text moves no money.
      </p>
    ),
  };
}

function keys(): LegalPart {
  return {
    id: "keys",
    title: "Encryption keys",
    body: (
      <p>
        These pages make, lock and use private keys in your browser. The server receives the private key only in the
        form locked by your master password, and the password never. Programs that use our interface directly may ask
        the server to do that work; then it holds password and key in memory for that one call.
      </p>
    ),
  };
}

function browser(): LegalPart {
  return {
    id: "browser",
    title: "Cookies and browser storage",
    body: (
      <>
        <p>
          There are two cookies for signing in, which no script can read and which are not sent along when other sites
          write to us. One is set when you sign in, with a wallet, a link or an invitation when you press the button. It
          holds a random number that stands for your session. It ends after {minutesText(sessionTimes.idleSeconds)}{" "}
          without activity, after {hoursText(sessionTimes.absoluteSeconds)} in all, or when you log out.
        </p>
        <p>
          The other stays for a year, so that others who try passwords at your account can't keep you out of it in a
          browser you have signed in with before. It holds random numbers and codes that name nobody and open nothing,
          and ends with your password. If you sign in through a provider, further cookies are set for the minutes that
          takes: they bind your return to this browser and carry the reason if it fails. If you choose a language in
          Settings,
          <code>language</code> holds the choice for a year. Nothing here needs a consent banner, so there is none.
        </p>
        <p>
          Your browser also remembers, for these pages alone, <code>theme</code> (light, dark or system) and, while you
          are signed in, <code>user</code>, <code>authMethod</code> and <code>walletAddress</code>. Logging out clears
          the last three. If you switch the keys of one letter off, that is <code>list-keys</code>. A tab in which you
          filter or sort your aliases remembers that choice as <code>alias-list</code>, until it is closed or you log
          out; the words you search for are in its history only. One in which you open an invitation remembers it as{" "}
          <code>invite</code>, until it is closed or you sign in with a password or a wallet. The e-mail for a new
          account and the name for a new key stay in the tab, as <code>typed-email</code> and{" "}
          <code>typed-key-name</code>, until they were used. So does the host name of a site that you share with the
          installed app, as <code>shared-site</code>.
        </p>
        <p>
          What you have typed and not used yet (a letter, a new alias, a change of one, an encrypted text) is kept in
          this browser for a week at most, so that you don't type it twice. It is encrypted with a key that this server
          gives only to your signed-in session, and goes once you have used it or delete the account. Passwords, private
          keys and decrypted texts are never kept.
        </p>
        <p>
          Once you are signed in, your browser also keeps a small script of ours, a service worker. It shows a page of
          its own when there is no connection, and stores nothing: no page, message or list of yours is in the browser's
          caches. It stays until you delete this site's data.
        </p>
        <p>
          Scripts, styles, fonts and pictures come from this server only; your browser is told to refuse anything else.
          Links that lead elsewhere, Feedback among them, open in a new tab and say nothing about where you came from.
        </p>
      </>
    ),
  };
}

function logs(): LegalPart {
  return {
    id: "logs",
    title: "Logs and counts",
    body: (
      <>
        <p>
          <b>Technical logs</b> are lines such as “a delivery failed”, with random ids, codes and counts. They contain
          no e-mail address, subject, content, network address or token. The program writes them out and keeps none
          itself; whoever runs this server keeps them for {readLogsKept()} at most.
        </p>
        <p>
          <b>Security records</b> count attempts, so that passwords can't be guessed and mailboxes not be flooded. An
          account, e-mail or network address appears in them only as a keyed hash. They end after{" "}
          {daysText(retentionDays.securityRecords)}.
        </p>
        <p>
          <b>Totals.</b> We count how often pages are opened and how often people sign in and out, make and delete
          aliases, and view or copy SMTP credentials. These are sums over everybody, with no cookie, id or address
          behind them.
        </p>
      </>
    ),
  };
}

function times(): LegalPart {
  return {
    id: "times",
    title: "How long things are kept",
    body: (
      <>
        <FactTable
          heads={["Data", "Kept"]}
          rows={[
            ["Account, aliases, keys, settings", "until you delete them"],
            ["What remains of a deleted account", `${daysText(retentionDays.deletedAccount)} at the latest`],
            ["What remains of a deleted alias", `${daysText(retentionDays.deletedAlias)} at the latest`],
            ["Mail that waits for delivery", `about ${daysText(mailDays.undelivered)} at the latest`],
            [
              "Session",
              `${minutesText(sessionTimes.idleSeconds)} idle, ${hoursText(sessionTimes.absoluteSeconds)} in all`,
            ],
            ["Confirmation links", daysText(mailDays.confirmationLink)],
            ["Security records", daysText(retentionDays.securityRecords)],
            ["Notices, records of composed mail", `${daysText(retentionDays.technicalLogs)} at the latest`],
            ["Technical logs", `${readLogsKept()} at the latest`],
          ]}
        />
        <p>
          These are latest dates. Deleting an alias or an account erases its data in that moment; what remains are keyed
          hashes, which keep others from taking the addresses. Details are on the{" "}
          <PageLink to="/gdpr">GDPR page</PageLink>.
        </p>
      </>
    ),
  };
}

function others(): LegalPart {
  const texts = readForwardingTexts();
  return {
    id: "others",
    title: "Who else sees something",
    body: (
      <>
        <ul>
          <li>The mailboxes and webhooks you forward to receive your mail. That is what they are for.</li>
          <li>{texts.privacyAnswers}</li>
          <li>{texts.privacyOthers}</li>
          <li>
            Mail hosts on the way see what mail hosts see. The connection to them is encrypted where they offer it;{" "}
            {texts.privacyEncrypted}
          </li>
          <li>
            Authorities, if a binding order says so. The <PageLink to="/transparency">Transparency Report</PageLink>{" "}
            counts them.
          </li>
        </ul>
        <p>Nothing is sold, rented or given away for advertising.</p>
      </>
    ),
  };
}

function rest(): LegalPart {
  return {
    id: "rest",
    title: "Age, changes and contact",
    body: (
      <p>
        You must be at least {legalFacts.minimumAge} years old to have an account. This policy came with version{" "}
        {product.version}; when the program keeps more or less than it says, it is changed with it. The operator of this
        server is responsible: write to <code>postmaster@</code> any alias domain it offers. Requests under the GDPR are
        answered within {daysText(legalFacts.gdprResponseDays)}.
      </p>
    ),
  };
}
