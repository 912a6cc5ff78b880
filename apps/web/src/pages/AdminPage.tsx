/** The section is in the address, so that Back leads to the one before. Small windows list the sections first. */
import { ChevronLeft, ChevronRight } from "lucide-react";
import { type ComponentType, useEffect, useRef } from "react";
import { Link, useSearch } from "wouter";
import { useHealth, useServerState } from "../api/admin.ts";
import { pageTitle } from "../app/screens.ts";
import { AccountsSection } from "../features/admin/Accounts.tsx";
import { CertificatesSection, DomainsSection } from "../features/admin/Domains.tsx";
import { countOf } from "../features/admin/health-text.ts";
import { InvitationsSection } from "../features/admin/Invitations.tsx";
import { OverviewSection } from "../features/admin/Overview.tsx";
import { ProofSection } from "../features/admin/Proof.tsx";
import { QueueSection } from "../features/admin/Queue.tsx";
import { ActsSection, LimitsSection } from "../features/admin/Records.tsx";
import { t } from "../texts/texts.ts";
import { countText } from "../ui/text/count-text.ts";

interface Section {
  title: string;
  lead: string;
  Content: ComponentType;
}

const sections = {
  overview: { title: t("Overview"), lead: t("What the server says about itself."), Content: OverviewSection },
  proof: {
    title: t("Proof of mail"),
    lead: t("One message there and back shows whether mail really works."),
    Content: ProofSection,
  },
  queue: {
    title: t("Queue"),
    lead: t("Mail that could not be delivered yet. It is tried again by itself, ever more rarely, for days."),
    Content: QueueSection,
  },
  domains: {
    title: t("Domains"),
    lead: t("The DNS records that the world has to find. Set them where you bought the domain."),
    Content: DomainsSection,
  },
  certificates: {
    title: t("Certificates"),
    lead: t("They let other hosts and browsers trust this server."),
    Content: CertificatesSection,
  },
  accounts: {
    title: t("Accounts"),
    lead: t("Who has an account here. Nobody's mail is shown."),
    Content: AccountsSection,
  },
  invitations: {
    title: t("Invitations"),
    lead: t("A link that makes one account, once."),
    Content: InvitationsSection,
  },
  limits: {
    title: t("Limits"),
    lead: t("How much anybody may use before the server slows them down."),
    Content: LimitsSection,
  },
  acts: { title: t("Acts"), lead: t("What operators did in the last 30 days, newest first."), Content: ActsSection },
} satisfies Record<string, Section>;

type SectionName = keyof typeof sections;

const isSection = (name: string | null): name is SectionName => name !== null && Object.hasOwn(sections, name);

/** Few characters about each section, beside its name. */
function useStates(): Partial<Record<SectionName, { text: string; isBad?: boolean }>> {
  const { data: health } = useHealth();
  const { data: state } = useServerState();
  const mend = health === undefined ? 0 : countOf(health.checks, "fix");
  const troubled = state?.certificates?.filter(({ problem, missing }) => problem !== null || missing.length > 0) ?? [];
  return {
    ...(health === undefined
      ? {}
      : { overview: mend === 0 ? { text: t("ok") } : { text: t("{count} to fix", { count: mend }), isBad: true } }),
    ...(state === undefined ? {} : { queue: { text: countText(state.queue.open) } }),
    ...(troubled.length === 0 ? {} : { certificates: { text: t("problem"), isBad: true } }),
  };
}

function Sections({ current }: { current: SectionName | null }) {
  const states = useStates();
  return (
    <nav className="admin-nav" aria-label={t("Admin")}>
      <ul>
        {(Object.keys(sections) as SectionName[]).map((name) => (
          <li key={name}>
            <Link
              href={name === "overview" ? "/admin?section=overview" : `/admin?section=${name}`}
              aria-current={name === (current ?? "overview") ? "page" : undefined}
            >
              <span>{sections[name].title}</span>
              {states[name] === undefined ? null : (
                <span className={states[name].isBad ? "count bad" : "count"}>{states[name].text}</span>
              )}
              <ChevronRight className="i" aria-hidden />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The heading of a newly chosen section gets the focus, as `main` does on a new page. */
function useSectionFocus(name: SectionName | null) {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef(name);
  useEffect(() => {
    if (last.current === name) return;
    last.current = name;
    window.scrollTo({ top: 0, behavior: "instant" });
    heading.current?.focus({ preventScroll: true });
  }, [name]);
  return heading;
}

export function AdminPage() {
  const given = new URLSearchParams(useSearch()).get("section");
  const chosen = isSection(given) ? given : null;
  const { title, lead, Content } = sections[chosen ?? "overview"];
  const heading = useSectionFocus(chosen);
  useEffect(() => {
    document.title = chosen === null ? pageTitle("admin") : `${title} — ${pageTitle("admin")}`;
  }, [chosen, title]);
  return (
    <div className={chosen === null ? "admin at-list" : "admin"}>
      <Sections current={chosen} />
      <div className="admin-section">
        <Link className="back" href="/admin">
          <ChevronLeft className="i" aria-hidden />
          {t("All sections")}
        </Link>
        <h2 tabIndex={-1} ref={heading}>
          {title}
        </h2>
        <p>{lead}</p>
        <div className="stack">
          <Content />
        </div>
      </div>
    </div>
  );
}
