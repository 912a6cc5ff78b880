import type { AuthMethod, UserWire } from "@kauke/contract";
import { AtSign, LogOut, type LucideIcon, Mail, Menu, Moon, Search, Sun, UserRound, Wallet, X } from "lucide-react";
import { useId, useRef, useState } from "react";
import { Link } from "wouter";
import { modifierName, openPalette } from "../../features/palette/palette-store.ts";
import { t } from "../../texts/texts.ts";
import { useIsLive } from "../../ui/use-is-live.ts";
import { useLeaving } from "../../ui/use-leaving.ts";
import { toggleTheme } from "../theme.ts";
import { useLogOutButton } from "../use-log-out.ts";
import { Logo, NavItems, NavRow } from "./NavLinks.tsx";
import { balanceText, userLabel } from "./user-label.ts";

/** The menu of windows narrower than 1024 px. */
interface MobileMenuProps {
  path: string;
  isAdmin: boolean | undefined;
  balance: string | null;
  onLogout: () => void;
}

function MobileMenu({ path, isAdmin, balance, onLogout }: MobileMenuProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  useLeaving(open, ".topbar", (byKey) => {
    setOpen(false);
    if (byKey) button.current?.focus();
  });
  const onCommands = () => {
    setOpen(false);
    // The command palette will return the focus to this button.
    button.current?.focus();
    openPalette();
  };
  return (
    <>
      <button
        type="button"
        className="icon-btn only-sm"
        data-menu
        ref={button}
        aria-controls={id}
        aria-expanded={open}
        aria-label={t("Menu")}
        onClick={() => setOpen(!open)}
      >
        <Menu className="i i-20 open" aria-hidden />
        <X className="i i-20 shut" aria-hidden />
      </button>
      <div className="menu" id={id} hidden={!open}>
        <nav aria-label={t("Menu")}>
          <ul>
            <NavItems {...{ path, isAdmin }} onChoose={() => setOpen(false)} />
            <li className="sep">
              {balance === null ? null : (
                <div className="row">
                  <span>{t("Balance")}</span>
                  <span className="balance">{balance}</span>
                </div>
              )}
              <button type="button" onClick={onCommands}>
                <Search className="i i-20" aria-hidden />
                {t("Commands")}
              </button>
              <button type="button" onClick={onLogout}>
                <LogOut className="i i-20" aria-hidden />
                {t("Sign Out")}
              </button>
            </li>
          </ul>
        </nav>
      </div>
    </>
  );
}

const methods: Record<AuthMethod, { icon: LucideIcon; words: string }> = {
  email: { icon: Mail, words: t("Signed in with e-mail:") },
  wallet: { icon: Wallet, words: t("Signed in with a wallet:") },
  google: { icon: AtSign, words: t("Signed in with Google:") },
};
const otherMethod = { icon: UserRound, words: t("Signed in:") };

function ThemeToggle() {
  return (
    <button
      type="button"
      className="icon-btn theme"
      aria-label={t("Switch between light and dark theme")}
      data-tip={t("Switch theme")}
      disabled={!useIsLive()}
      onClick={toggleTheme}
    >
      <Moon className="i i-20 moon" aria-hidden />
      <Sun className="i i-20 sun" aria-hidden />
    </button>
  );
}

function UserName({ user }: { user: UserWire }) {
  const { icon: Icon, words } = methods[user.authMethod] ?? otherMethod;
  return (
    <Link className="who" href="/">
      <span className="dot" />
      <span className="sr">{words}</span>
      <Icon className="i" aria-hidden />
      <b className={user.email ? undefined : "mono"}>{userLabel(user)}</b>
    </Link>
  );
}

function SignedInEnd({ user, path }: { user: UserWire; path: string }) {
  const { isAdmin } = user;
  const onLogout = useLogOutButton();
  const balance = balanceText(user.balance);
  return (
    <>
      <button
        type="button"
        className="icon-btn commands"
        aria-label={t("Search or jump to {modifier} K", { modifier: modifierName() })}
        aria-keyshortcuts="Control+K Meta+K"
        data-tip={t("Search ({modifier} K)", { modifier: modifierName() })}
        onClick={openPalette}
      >
        <Search className="i i-20" aria-hidden />
        <span>{t("Search or jump to")}</span> <kbd>{modifierName()} K</kbd>
      </button>
      {balance === null ? null : (
        <span className="balance">
          <span className="sr">{t("Balance")}</span>
          {balance}
        </span>
      )}
      <UserName user={user} />
      <ThemeToggle />
      <button
        type="button"
        className="icon-btn logout"
        aria-label={t("Log out")}
        data-tip={t("Log out")}
        onClick={onLogout}
      >
        <LogOut className="i i-20" aria-hidden />
      </button>
      <MobileMenu key={path} {...{ path, isAdmin, balance, onLogout }} />
    </>
  );
}

function SignedOutEnd({ isWaiting }: { isWaiting: boolean }) {
  return (
    <>
      <ThemeToggle />
      {isWaiting ? null : (
        <Link className="signin" href="/auth">
          <span>
            <i>_</i>
            {t("SIGN IN")}
          </span>
        </Link>
      )}
    </>
  );
}

interface Props {
  user: UserWire | null;
  isWaiting: boolean;
  path: string;
}

export function TopBar({ user, isWaiting, path }: Props) {
  return (
    <header className={user === null ? "topbar" : "topbar app"}>
      <div className="page">
        <Logo />
        {user === null ? null : <NavRow path={path} isAdmin={user.isAdmin} />}
        <div className="end">
          {user === null ? <SignedOutEnd isWaiting={isWaiting} /> : <SignedInEnd user={user} path={path} />}
        </div>
      </div>
    </header>
  );
}
