/** The rights under the EU's General Data Protection Regulation. */
import { gdprArticles, legalFacts, product, retentionDays } from "@kauke/contract";
import { daysText, readForwardingTexts } from "../features/legal/figures.ts";
import { FactTable, LegalPage, type LegalPart, PageLink } from "../features/legal/LegalPage.tsx";

export function GdprPage() {
  return (
    <LegalPage
      isEnglish
      title="GDPR"
      lead="Your rights under the General Data Protection Regulation, and how to use them here."
      figures={[
        ["Days to answer a request, at most", legalFacts.gdprResponseDays],
        ["Days after deleting an account, at most", retentionDays.deletedAccount],
        ["Days after deleting an alias, at most", retentionDays.deletedAlias],
      ]}
      parts={[responsible(), grounds(), rights(), asking(), deletion(), safeguards(), complaints()]}
    />
  );
}

function responsible(): LegalPart {
  const texts = readForwardingTexts();
  return {
    id: "responsible",
    title: "Who is responsible",
    body: (
      <p>
        The controller is whoever operates this server. Write to <code>postmaster@</code> {texts.gdprPostmaster}{" "}
        {product.name} the program is made in {legalFacts.country}, {texts.gdprProcessor}
      </p>
    ),
  };
}

function grounds(): LegalPart {
  return {
    id: "grounds",
    title: "On what grounds",
    body: (
      <>
        <p>Articles are those of the Regulation.</p>
        <FactTable
          heads={["What is done", "Ground"]}
          rows={[
            ["Accounts, aliases, forwarding, sending", `Article ${gdprArticles.contract}, contract`],
            [
              "Limits against abuse, security records",
              `Article ${gdprArticles.legitimateInterest}, legitimate interest`,
            ],
            [
              "Signing in with a provider or a wallet",
              `Article ${gdprArticles.consent}, consent: your choice each time`,
            ],
          ]}
        />
        <p>
          There is no advertising, no profile of you and no decision about you by a machine. Nothing is sold or given to
          anybody for purposes of their own.
        </p>
      </>
    ),
  };
}

function rights(): LegalPart {
  return {
    id: "rights",
    title: "Your rights",
    body: (
      <>
        <p>Most of them are a button. Where one is not, write to us.</p>
        <FactTable
          heads={["Right", "Article"]}
          rows={[
            ["Access: know what is held about you", gdprArticles.access],
            ["Rectification: have it put right", gdprArticles.rectification],
            ["Erasure: have it deleted", gdprArticles.erasure],
            ["Restriction: have it left alone", gdprArticles.restriction],
            ["Portability: take it with you", gdprArticles.portability],
            ["Objection: say no to a use", gdprArticles.objection],
            ["Complaint to a supervisory authority", gdprArticles.complaint],
          ]}
        />
        <ul>
          <li>
            <b>Access and portability.</b> Settings has a download of everything held about your account, as one JSON
            file, with the date on which each piece will be deleted. A key's download there gives the key itself.
          </li>
          <li>
            <b>Rectification.</b> Aliases, destinations and notes are changed in the dashboard at any time.
          </li>
          <li>
            <b>Erasure.</b> An alias is deleted in its row, the account at the foot of the dashboard.
          </li>
          <li>
            <b>Restriction and objection.</b> A paused alias forwards nothing and keeps its settings.
          </li>
          <li>
            <b>Not even a user?</b> If somebody pointed an alias at your mailbox, our first message to you has a link
            with which you end that, and another choice that blocks your mailbox for every account.
          </li>
        </ul>
      </>
    ),
  };
}

function asking(): LegalPart {
  return {
    id: "ask",
    title: "How to ask",
    body: (
      <p>
        Write from the address you sign in with, or tell us the alias it is about. We answer within{" "}
        {daysText(legalFacts.gdprResponseDays)}, and it costs nothing. We ask for no identity papers: we could compare
        them with nothing we have.
      </p>
    ),
  };
}

function deletion(): LegalPart {
  return {
    id: "deletion",
    title: "What happens when you delete your account",
    body: (
      <>
        <p>
          Account, aliases, SMTP credentials, encryption keys, sessions, notices and mail still waiting are erased at
          once and in one step; {readForwardingTexts().gdprDeletion}
        </p>
        <p>
          At the latest {daysText(retentionDays.deletedAccount)} after that the last account data is gone: keyed hashes
          that keep others from taking your former addresses, so that nobody else receives your mail, and those that
          count attempts against abuse. They can't be read as addresses. The{" "}
          <PageLink to="/transparency">Transparency Report</PageLink> names{" "}
          {daysText(retentionDays.deletedAccountTransparency)} as the upper limit for the same data; the shorter time is
          the one we keep. A deleted alias goes the same way within {daysText(retentionDays.deletedAlias)}.
        </p>
        <p>
          Copies of the database that an operator makes for emergencies end with the operator's own schedule. Without
          the separate key they can't be read.
        </p>
      </>
    ),
  };
}

function safeguards(): LegalPart {
  return {
    id: "safeguards",
    title: "How it is protected",
    body: (
      <p>
        Addresses, destinations, notes, messages and passwords are sealed before they reach the disk, with a key that is
        not in the database. Sign-in passwords are kept only as a slow, salted hash inside that seal. How long
        everything is kept, and who receives it, is in the <PageLink to="/privacy">Privacy Policy</PageLink>.
      </p>
    ),
  };
}

function complaints(): LegalPart {
  return {
    id: "complaints",
    title: "Complaints",
    body: (
      <p>
        Tell us first if you like; you don't have to. You can turn to the data protection authority of the country where
        you live or work, or where you think the wrong was done.
      </p>
    ),
  };
}
