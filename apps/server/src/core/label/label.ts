/** A label of an account. The alias stores which labels it has. */
import type { LabelColour } from "@kauke/contract";

export interface Label {
  id: string;
  userId: string;
  name: string;
  colour: LabelColour;
  createdAt: Date;
}

export type LabelChange = Partial<Pick<Label, "name" | "colour">>;

/**
 * Repository of labels. Names are unique per account, ignoring letter case. Methods that take a `userId` treat another
 * user's label as absent.
 */
export interface LabelStore {
  /** Labels of the account, sorted by name. */
  listForUser(userId: string): Promise<Label[]>;
  /**
   * Stores a new label.
   * @param max maximum number of labels of an account
   * @returns the reason why the label was not stored, or `null` if it was
   */
  insert(label: Label, max: number): Promise<"name_taken" | "too_many" | null>;
  /**
   * Changes a label.
   * @returns the label after the change; `name_taken`; `null` when it does not belong to this user
   */
  update(userId: string, labelId: string, change: LabelChange): Promise<Label | "name_taken" | null>;
  /**
   * Deletes a label; aliases are shown without it afterwards.
   * @returns false when it does not belong to this user
   */
  delete(userId: string, labelId: string): Promise<boolean>;
}
