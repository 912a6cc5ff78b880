import type { ReactNode } from "react";

interface CardProps {
  id: string;
  title: ReactNode;
  heading?: "h2" | "h3";
  aside?: ReactNode;
  isBusy?: boolean;
  /** Whether a script can focus the card. */
  canFocus?: boolean;
  children: ReactNode;
}

export function Card({ id, title, heading: Heading = "h3", aside, isBusy, canFocus, children }: CardProps) {
  return (
    <section className="card" aria-labelledby={id} aria-busy={isBusy}>
      <div className="card-head">
        <Heading id={id} tabIndex={canFocus ? -1 : undefined}>
          {title}
        </Heading>
        {aside}
      </div>
      {children}
    </section>
  );
}

interface SettingProps {
  title: ReactNode;
  titleId?: string;
  text: ReactNode;
  more?: ReactNode;
  look?: string;
  isBusy?: boolean;
  role?: "alert";
  children?: ReactNode;
}

export function Setting({ title, titleId, text, more, look, isBusy, role, children }: SettingProps) {
  return (
    <div
      className={look === undefined ? "card-body setting" : `card-body setting ${look}`}
      role={role}
      aria-busy={isBusy}
    >
      <div>
        <h4 id={titleId}>{title}</h4>
        <p>{text}</p>
        {more}
      </div>
      {children}
    </div>
  );
}
