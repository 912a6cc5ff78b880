/** The top bar in its three states: session unknown, signed out, signed in. */
import type { AuthMethod, UserWire } from "@kauke/contract";
import { AtSign, LogOut, type LucideIcon, Mail, Moon, Search, Sun, UserRound, Wallet } from "lucide-react";
import { Link } from "wouter";
import { modifierName, openPalette } from "../../features/palette/palette-store.ts";
import { useIsLive } from "../../ui/use-is-live.ts";
import { toggleTheme } from "../theme.ts";
import { useLogOutButton } from "../use-log-out.ts";
import { Logo } from "./Logo.tsx";
import { MobileMenu } from "./MobileMenu.tsx";
import { NavRow } from "./NavLinks.tsx";
import { balanceText, userLabel } from "./user-label.ts";

const methods: Record<AuthMethod, { icon: LucideIcon; words: string }> = {
  email: { icon: Mail, words: "Signed in with e-mail:" },
  wallet: { icon: Wallet, words: "Signed in with a wallet:" },
  google: { icon: AtSign, words: "Signed in with Google:" },
};
const otherMethod = { icon: UserRound, words: "Signed in:" };

function ThemeToggle() {
  return (
    <button
      type="button"
      className="icon-btn theme"
      aria-label="Switch between light and dark theme"
      data-tip="Switch theme"
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
  const onLogout = useLogOutButton();
  const balance = balanceText(user.balance);
  return (
    <>
      {balance === null ? null : (
        <span className="balance">
          <span className="sr">Balance </span>
          {balance}
        </span>
      )}
      <UserName user={user} />
      <button
        type="button"
        className="icon-btn commands"
        aria-label="Commands"
        aria-keyshortcuts="Control+K Meta+K"
        data-tip={`Commands (${modifierName()} K)`}
        onClick={openPalette}
      >
        <Search className="i i-20" aria-hidden />
      </button>
      <ThemeToggle />
      <button type="button" className="icon-btn logout" aria-label="Log out" data-tip="Log out" onClick={onLogout}>
        <LogOut className="i i-20" aria-hidden />
      </button>
      <MobileMenu key={path} path={path} balance={balance} onLogout={onLogout} />
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
            <i>_</i>SIGN IN
          </span>
        </Link>
      )}
    </>
  );
}

interface Props {
  user: UserWire | null;
  /** Whether the session is still being checked. */
  isWaiting: boolean;
  path: string;
}

export function TopBar({ user, isWaiting, path }: Props) {
  return (
    <header className={user === null ? "topbar" : "topbar app"}>
      <div className="page">
        <Logo />
        {user === null ? null : <NavRow path={path} />}
        <div className="end">
          {user === null ? <SignedOutEnd isWaiting={isWaiting} /> : <SignedInEnd user={user} path={path} />}
        </div>
      </div>
    </header>
  );
}
