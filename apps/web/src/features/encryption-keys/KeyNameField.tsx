import { TextField } from "../../ui/Field.tsx";
import { keyNameLeft } from "./new-key-form.ts";

interface Props {
  value: string;
  error: string | undefined;
  onEdit: (keyName: string) => void;
}

/** Field for the name of a new key, which counts the characters that are left. */
export function KeyNameField({ value, error, onEdit }: Props) {
  return (
    <TextField
      label="Key name"
      aside={<span className="count">{keyNameLeft(value)} left</span>}
      autoComplete="off"
      error={error}
      value={value}
      onChange={(event) => onEdit(event.target.value)}
    />
  );
}
