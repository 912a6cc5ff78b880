/** A label of an account. Which alias has which label is stored with the alias. */
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
 * Repository of labels. Names are unique in an account, whatever their letter case. Methods that take a `userId` treat
 * another user's label as absent.
 */
export interface LabelStore {
  /** Labels of the account, by name. */
  listForUser(userId: string): Promise<Label[]>;
  /**
   * Stores a new label.
   * @param max number of labels that an account may have
   * @returns what prevented it, or `null`
   */
  insert(label: Label, max: number): Promise<"name_taken" | "too_many" | null>;
  /** Changes a label. @returns the label after the change; `null` when it does not belong to this user */
  update(userId: string, labelId: string, change: LabelChange): Promise<Label | "name_taken" | null>;
  /**
   * Deletes a label; no answer about an alias names it afterwards.
   * @returns false when it does not belong to this user
   */
  delete(userId: string, labelId: string): Promise<boolean>;
}
