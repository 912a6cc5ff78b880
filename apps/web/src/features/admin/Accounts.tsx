import type { AccountOfServerWire } from "@kauke/contract";
import { Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { useAccounts, useDeleteOtherAccount, useEndAccountSessions } from "../../api/admin.ts";
import { useUser } from "../../api/session/session.ts";
import { plural } from "../../texts/plural.ts";
import { rich, t } from "../../texts/texts.ts";
import { Card } from "../../ui/Card.tsx";
import { Button, IconButton, Switch } from "../../ui/Controls.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { Empty, failureOf, LoadedList } from "../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { TypedConfirmDialog } from "../../ui/TypedConfirmDialog.tsx";
import { countText } from "../../ui/text/count-text.ts";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { dayText } from "../../ui/text/time-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { LoadingRows } from "./AdminParts.tsx";

interface SwitchProps {
  isShown: boolean;
  onChange: (isShown: boolean) => void;
}

export function AddressSwitch({ isShown, onChange }: SwitchProps) {
  return (
    <div className="right address-switch">
      <span aria-hidden="true">{t("Show addresses")}</span>
      <Switch checked={isShown} label={t("Show addresses")} onChange={onChange} />
    </div>
  );
}

const signInTexts: Readonly<Record<string, string>> = {
  email: t("E-mail and password"),
  wallet: t("Solana wallet"),
  google: "Google",
};

const aliasesText = (count: number) =>
  count === 0 ? t("no aliases") : plural(count, "{count} alias", "{count} aliases", { count: countText(count) });

/** What a dialog calls the account: its address if it is shown, else the beginning of its id. */
const nameOf = ({ email, id }: AccountOfServerWire) => email ?? `${id.slice(0, 8)}…`;

interface DialogProps {
  account: AccountOfServerWire;
  onClose: () => void;
}

function DeleteDialog({ account, onClose }: DialogProps) {
  const remove = useDeleteOtherAccount();
  const onDelete = () =>
    remove.mutate(account.id, {
      onSuccess: () => {
        showToast({ title: t("Account Deleted"), description: nameOf(account) });
        onClose();
      },
      onError: (error) => showFailure(t("Not Deleted"), refusalText(error, t("The account could not be deleted."))),
    });
  return (
    <TypedConfirmDialog
      title={t("Delete account")}
      description={
        account.aliases === 0
          ? t("{account} loses the account and all settings. This cannot be undone.", { account: nameOf(account) })
          : t(
              "{account} loses the account, {aliases} and all settings. Mail to those aliases is refused from then on. This cannot be undone.",
              { account: nameOf(account), aliases: aliasesText(account.aliases) },
            )
      }
      label={t("Delete Account")}
      pending={remove.isPending}
      onConfirm={onDelete}
      onClose={onClose}
    />
  );
}

function SignOutDialog({ account, onClose }: DialogProps) {
  const end = useEndAccountSessions();
  const onEnd = () =>
    end.mutate(account.id, {
      onSuccess: () => {
        showToast({ title: t("Signed Out Everywhere"), description: nameOf(account) });
        onClose();
      },
      onError: (error) =>
        showFailure(t("Not Signed Out"), refusalText(error, t("The account could not be signed out."))),
    });
  return (
    <ConfirmDialog
      title={t("Sign out everywhere")}
      description={t(
        "{account} is signed out on every device and loses all API keys. Aliases keep forwarding, and the person can sign in again.",
        { account: nameOf(account) },
      )}
      label={t("Sign Out Everywhere")}
      pending={end.isPending}
      pendingLabel={t("Signing out...")}
      onConfirm={onEnd}
      onClose={onClose}
    />
  );
}

interface RowProps {
  account: AccountOfServerWire;
  onSignOut: () => void;
  onDelete: () => void;
}

function AccountRow({ account, onSignOut, onDelete }: RowProps) {
  const { id, signIn, createdAt, aliases, lastSeenAt, isAdmin, email } = account;
  const isOwn = useUser().id === id;
  const parts = {
    signIn: signInTexts[signIn] ?? signIn,
    aliases: aliasesText(aliases),
    since: <time dateTime={createdAt}>{dayText(createdAt)}</time>,
  };
  return (
    <li>
      <div>
        <h4 className="name">
          <span className="addr">
            <b>{email ?? id}</b>
          </span>
          {isAdmin ? <span className="tag tag-accent">{t("admin")}</span> : null}
          {isOwn ? <span className="tag">{t("you")}</span> : null}
        </h4>
        {email ? <p className="addr">{id}</p> : null}
        <p>
          {lastSeenAt === null
            ? rich("{signIn}, {aliases}. Since {since}, not seen lately.", parts)
            : rich("{signIn}, {aliases}. Since {since}, last seen {seen}.", {
                ...parts,
                seen: <time dateTime={lastSeenAt}>{dayText(lastSeenAt)}</time>,
              })}
        </p>
      </div>
      {isOwn ? null : (
        <div className="acts">
          <Button
            isSmall
            look="quiet"
            aria-label={t("Sign out everywhere: {email}", { email: email ?? id })}
            onClick={onSignOut}
          >
            {t("Sign Out")}
          </Button>
          <IconButton
            icon={Trash2}
            label={t("Delete account")}
            fullLabel={t("Delete account {email}", { email: email ?? id })}
            className="danger"
            onClick={onDelete}
          />
        </div>
      )}
    </li>
  );
}

const noAccounts = <Empty heading="h4" title={t("No accounts")} text={t("Nobody has an account yet.")} />;

export function AccountsSection() {
  const id = useId();
  const [isShown, setIsShown] = useState(false);
  const [opened, setOpened] = useState<{ act: "delete" | "sign-out"; account: AccountOfServerWire } | null>(null);
  const query = useAccounts(isShown);
  const onClose = () => setOpened(null);
  const failure = failureOf(query);
  return (
    <Card
      id={id}
      title={t("Accounts")}
      aside={<AddressSwitch isShown={isShown} onChange={setIsShown} />}
      isBusy={query.data === undefined && failure === null}
    >
      <LoadedList
        query={{ ...query, data: query.data?.pages.flatMap(({ accounts }) => accounts) }}
        failedTitle={t("The accounts could not be loaded")}
        loading={<LoadingRows widths={[36, 35, 34]} />}
        empty={noAccounts}
      >
        {(accounts) => (
          <ul className="admin-rows" aria-labelledby={id}>
            {accounts.map((account) => (
              <AccountRow
                key={account.id}
                account={account}
                onSignOut={() => setOpened({ act: "sign-out", account })}
                onDelete={() => setOpened({ act: "delete", account })}
              />
            ))}
          </ul>
        )}
      </LoadedList>
      {query.data === undefined ? null : (
        <div className="card-foot">
          <p className="hint">
            {rich(
              "To let somebody else in here, type <code>kauke users grant-admin</code> and an address on the server.",
              { code: (inner) => <code>{inner}</code> },
            )}
          </p>
          {query.hasNextPage ? (
            <SubmitButton
              type="button"
              className="btn-sm"
              pending={query.isFetchingNextPage}
              pendingLabel={t("Loading...")}
              onClick={() => void query.fetchNextPage()}
            >
              {t("Show More")}
            </SubmitButton>
          ) : null}
        </div>
      )}
      {opened?.act === "delete" ? <DeleteDialog account={opened.account} onClose={onClose} /> : null}
      {opened?.act === "sign-out" ? <SignOutDialog account={opened.account} onClose={onClose} /> : null}
    </Card>
  );
}
