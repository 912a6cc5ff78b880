/** The server sends the private key encrypted; the browser decrypts it with the master password. */
import { type EncryptionKeyWire, encryptionMessages } from "@kauke/contract";
import { LockOpen } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { readProtectedKey } from "../../api/encryption-keys.ts";
import { language, t } from "../../texts/texts.ts";
import { Select } from "../../ui/Controls.tsx";
import { describedBy, FieldError, TextField } from "../../ui/Field.tsx";
import { onForget } from "../../vault/forget-decrypted.ts";
import { lockKeys, readUnlocked, UNLOCKED_MINUTES, unlockKey, useUnlocked } from "../../vault/unlocked-keys.ts";
import { type JobOptions, readStoredKeyForm, VaultError } from "../../vault/vault.ts";
import { DecryptForm } from "./DecryptForm.tsx";
import { keysFor, noKeyText } from "./keys-for.ts";
import { type Encrypted, openEncrypted } from "./open-encrypted.ts";
import type { Decryption } from "./use-decrypt.ts";
import type { EncryptedInput } from "./use-encrypted.ts";

const day = new Intl.DateTimeFormat(language() === "en" ? "en-GB" : language(), {
  day: "numeric",
  month: "short",
  year: "numeric",
});

function keyLabel({ keyName, createdAt }: Pick<EncryptionKeyWire, "keyName" | "createdAt">): string {
  return t("{keyName}, created {date}", { keyName, date: day.format(new Date(createdAt)) });
}

async function readUsableKey(keyId: string): Promise<string> {
  const encryptedPrivateKey = await readProtectedKey(keyId);
  const form = await readStoredKeyForm(encryptedPrivateKey);
  if (form !== "protected") throw new VaultError(form === "unprotected" ? "unprotected_key" : "not_protected_key");
  return encryptedPrivateKey;
}

interface Opening {
  key: EncryptionKeyWire;
  masterPassword: string;
  isKept: boolean;
}

/** The key is opened once for several files, and stays open afterwards if wished. */
async function openWithKey(what: Encrypted, { key, masterPassword, isKept }: Opening, options: AbortableOptions) {
  const encryptedPrivateKey = await readUsableKey(key.id);
  if (!isKept && what.chosen.length < 2) return openEncrypted(what, { encryptedPrivateKey, masterPassword }, options);
  await unlockKey({ id: key.id, keyName: key.keyName, encryptedPrivateKey, masterPassword }, options);
  try {
    return await openEncrypted(what, { unlocked: true }, options);
  } finally {
    if (!isKept) lockKeys();
  }
}

type AbortableOptions = JobOptions & { signal: AbortSignal };

interface Props {
  /** `undefined` while they load. */
  keys: readonly EncryptionKeyWire[] | undefined;
  encrypted: EncryptedInput;
  decryption: Decryption;
}

interface Errors {
  key?: string;
  password?: string;
}

/** The chosen key, or else the one that fits: of those that can open the message an unlocked one, or the default. */
function useKeyChoice(keys: readonly EncryptionKeyWire[], stanzas: readonly string[] | null) {
  const [chosenId, setChosenId] = useState<string | null>(null);
  const unlocked = useUnlocked();
  const isUnlocked = ({ id }: EncryptionKeyWire) => unlocked?.keys.some((key) => key.id === id) ?? false;
  const fitting = keysFor(keys, stanzas);
  const found = fitting.find(isUnlocked) ?? fitting.find((key) => key.isDefault) ?? fitting[0] ?? keys[0];
  const chosen = (fitting.length === 0 ? keys : fitting).find(({ id }) => id === chosenId);
  const key = chosen ?? found;
  return {
    key,
    isOpen: key !== undefined && isUnlocked(key),
    problem: stanzas !== null && keys.length > 0 && fitting.length === 0 ? noKeyText(stanzas) : undefined,
    choose: setChosenId,
    /** The next key to try, after these were not the right ones. */
    next: (tried: ReadonlySet<string>) => fitting.find((other) => !tried.has(other.id) && !isUnlocked(other)),
  };
}

function useAutoForm({ keys = [], decryption, encrypted }: Props) {
  const passwordField = useRef<HTMLInputElement>(null);
  const keptField = useRef<HTMLInputElement>(null);
  const tried = useRef(new Set<string>());
  const [errors, setErrors] = useState<Errors>({});
  const choice = useKeyChoice(keys, encrypted.stanzas);
  const { key, isOpen } = choice;
  const takePassword = () => {
    const password = passwordField.current?.value ?? "";
    if (passwordField.current) passwordField.current.value = "";
    return password;
  };
  useEffect(() => onForget(() => passwordField.current && (passwordField.current.value = "")), []);
  const refuse = (found: Errors, isKeyFirst = found.key !== undefined) => {
    setErrors(found);
    // The password field may be rendered by the change of the key.
    requestAnimationFrame(() =>
      (isKeyFirst ? document.getElementById("decryption-key") : passwordField.current)?.focus(),
    );
  };
  const askForNext = () => {
    if (key === undefined) return;
    tried.current.add(key.id);
    const next = choice.next(tried.current);
    if (next === undefined) return;
    choice.choose(next.id);
    refuse({
      password: t("It is not for {tried}. Try {next}: enter its master password", {
        tried: key.keyName,
        next: next.keyName,
      }),
    });
  };
  const onSubmit = async (focusText: () => void) => {
    const found: Errors = {};
    const isReady = isOpen && readUnlocked() !== null;
    if (key === undefined) found.key = encryptionMessages.keyRequired;
    else if (choice.problem !== undefined) found.key = choice.problem;
    if (!isReady && (passwordField.current?.value ?? "").trim() === "")
      found.password = encryptionMessages.decryptPasswordRequired;
    const what = encrypted.read();
    if (found.key !== undefined || found.password !== undefined) return refuse(found);
    setErrors({});
    if (what === null || key === undefined) return focusText();
    const isKept = keptField.current?.checked ?? false;
    // From this point on only the worker has the master password.
    const masterPassword = takePassword();
    const failure = await decryption.run("auto", (options) =>
      isReady
        ? openEncrypted(what, { unlocked: true }, options)
        : openWithKey(what, { key, masterPassword, isKept }, options),
    );
    if (failure === null) return tried.current.clear();
    if (failure.field === "password") return refuse({ password: failure.message });
    if (failure.code === "no_matching_key") askForNext();
  };
  const settle = (field: keyof Errors) => () => setErrors((before) => ({ ...before, [field]: undefined }));
  return { passwordField, keptField, choice, errors, settle, onSubmit };
}

/** What was dropped or pasted on a page is decrypted at once with an unlocked key; else the password is next. */
function useArrivals({ arrivals }: EncryptedInput, isReady: boolean, goOn: () => void): void {
  const seen = useRef(0);
  const handle = useEffectEvent(goOn);
  useEffect(() => {
    if (arrivals === seen.current || !isReady) return;
    seen.current = arrivals;
    handle();
  }, [arrivals, isReady]);
}

function Password({ form, keyName }: { form: ReturnType<typeof useAutoForm>; keyName: string | undefined }) {
  const { passwordField, keptField, choice, errors, settle } = form;
  const onLock = () => {
    lockKeys();
    // The password's field takes the button's place.
    requestAnimationFrame(() => passwordField.current?.focus());
  };
  if (choice.isOpen)
    return (
      <p className="unlocked">
        <LockOpen className="i" aria-hidden />
        <span>{t("{keyName} is unlocked: no password is needed.", { keyName: keyName ?? "" })}</span>
        <button type="button" className="link" onClick={onLock}>
          {t("Lock Now")}
        </button>
      </p>
    );
  return (
    <div className="pass">
      <TextField
        ref={passwordField}
        label={t("Master Password")}
        type="password"
        autoComplete="off"
        error={errors.password}
        onInput={settle("password")}
      />
      <label className="keep">
        <input type="checkbox" ref={keptField} />
        {t("Keep the key unlocked for {minutes} minutes", { minutes: UNLOCKED_MINUTES })}
      </label>
    </div>
  );
}

export function AutoForm(props: Props) {
  const { keys, encrypted, decryption } = props;
  const form = useAutoForm(props);
  const { choice, errors, settle, onSubmit, passwordField } = form;
  const keyError = errors.key ?? choice.problem;
  useArrivals(encrypted, keys !== undefined, () => {
    if (choice.isOpen) void onSubmit(() => {});
    else passwordField.current?.focus();
  });
  return (
    <DecryptForm
      className="auto"
      label={t("Auto Decrypt")}
      isLoading={keys === undefined}
      {...{ encrypted, decryption, onSubmit }}
    >
      <div className="field">
        <label htmlFor="decryption-key">{t("Decryption Key")}</label>
        <Select
          id="decryption-key"
          value={choice.key?.id ?? ""}
          disabled={keys === undefined}
          {...describedBy("decryption-key-error", keyError)}
          options={keys?.map((key) => [key.id, keyLabel(key)]) ?? [["", t("Loading...")]]}
          onChange={(event) => {
            choice.choose(event.target.value);
            settle("key")();
          }}
        />
        <FieldError id="decryption-key-error">{keyError}</FieldError>
      </div>
      <Password form={form} keyName={choice.key?.keyName} />
    </DecryptForm>
  );
}
