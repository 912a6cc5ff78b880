import { legalFacts, mailDays, product, retentionDays } from "@kauke/contract";
import { daysText, readForwardingTexts, readLogsKept } from "../features/legal/figures.ts";
import { FactTable, LegalPage, PageLink } from "../features/legal/LegalPage.tsx";

export function TransparencyPage() {
  const { name } = product;
  const texts = readForwardingTexts();
  const { governmentRequests, breaches, emailLogs, nextReport, launched, gdprResponseDays } = legalFacts;
  return (
    <LegalPage
      isEnglish
      title="Transparency Report"
      lead={`What we were asked for, and what we gave. Next report scheduled: ${nextReport}.`}
      figures={[
        ["Government requests", governmentRequests],
        ["Breaches", breaches],
        ["E-mail logs", emailLogs],
      ]}
      parts={[
        {
          id: "requests",
          title: "Requests and breaches",
          body: (
            <>
              <p>
                Since the launch in {launched} government bodies have sent {governmentRequests} requests for data about
                people who use {name}, and there have been {breaches} breaches, by which we mean that somebody got at
                stored data who should not have.
              </p>
              <p>
                If a request comes, we check whether it is lawful and binding, give no more than it demands, and tell
                the person unless the law forbids it. The count above is raised either way. We inform those affected by
                a breach, and count it here.
              </p>
            </>
          ),
        },
        {
          id: "next",
          title: "The next report",
          body: (
            <p>
              The report after this one is scheduled for {nextReport}. If that month is behind you and these words are
              still here, no later report has been published on this server: the counts are then those of version{" "}
              {product.version}, the one you are looking at.
            </p>
          ),
        },
        {
          id: "kept",
          title: "What we keep",
          body: (
            <>
              <p>{texts.transparencyLogs}</p>
              <FactTable
                heads={["Data", "Removed"]}
                rows={[
                  ["Deleted aliases", `within ${daysText(retentionDays.deletedAlias)}`],
                  ["Account data after deletion", `within ${daysText(retentionDays.deletedAccountTransparency)}`],
                  ["Security logs", `after ${daysText(retentionDays.securityRecords)}`],
                  ["Technical logs", `after ${readLogsKept()}`],
                  ["Mail that can't be delivered", `after about ${daysText(mailDays.undelivered)}`],
                ]}
              />
              <p>
                The program is quicker than this table. Deleting an alias or an account erases its data in that moment.
                What stays for at most {daysText(retentionDays.deletedAccount)} are keyed hashes, which keep others from
                taking a released address, and keep abuse limits working; no address can be read from them. That is why
                the <PageLink to="/gdpr">GDPR page</PageLink> names the shorter time, and both hold.
              </p>
            </>
          ),
        },
        {
          id: "hand-over",
          title: "What we could hand over",
          body: (
            <>
              <p>We can give only what is there. For an account that exists, that is:</p>
              <ul>
                <li>the e-mail address, wallet or provider account it signs in with, and when it was made;</li>
                <li>its open sessions;</li>
                <li>its aliases, where they forward to, its notes on them and their SMTP credentials;</li>
                <li>public encryption keys, and private ones in the form locked by a master password we don't know;</li>
                <li>mail that waits for delivery at that moment.</li>
              </ul>
              <p>{texts.transparencyRecords}</p>
            </>
          ),
        },
        {
          id: "how",
          title: "How forwarding works",
          body: (
            <>
              <p>{texts.transparencyForwarding}</p>
              <p>Mail to a paused alias is silently dropped.</p>
            </>
          ),
        },
        {
          id: "ask",
          title: "Your requests",
          body: (
            <p>
              We answer GDPR requests within {daysText(gdprResponseDays)}. See the{" "}
              <PageLink to="/gdpr">GDPR page</PageLink> and the <PageLink to="/privacy">Privacy Policy</PageLink>.
            </p>
          ),
        },
      ]}
    />
  );
}
