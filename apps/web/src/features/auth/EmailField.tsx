import type { ComponentProps } from "react";
import { TextField } from "../../ui/Field.tsx";

type Props = Omit<ComponentProps<typeof TextField>, "label" | "type" | "autoComplete"> & { label?: string };

/** Field for the user's own e-mail address, which browsers fill in. */
export function EmailField({ label = "Email", ...props }: Props) {
  return <TextField label={label} type="email" autoComplete="email" {...props} />;
}
