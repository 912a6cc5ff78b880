/** What an edit and a newer version of the same alias make together, field by field. */
export interface Conflict<Name extends string> {
  field: Name;
  /** As saved elsewhere since the edit began. */
  theirs: string;
  /** As typed here. */
  mine: string;
}

interface Versions<Edit> {
  /** When the edit began. */
  read: Edit;
  mine: Edit;
  theirs: Edit;
}

/** Fields that one side changed have its value; those that both changed differently are conflicts, with `mine` for now. */
export function mergeEdit<Edit extends { [Name in keyof Edit]: string }>({ read, mine, theirs }: Versions<Edit>) {
  const names = Object.keys(mine) as (keyof Edit & string)[];
  const conflicts: Conflict<keyof Edit & string>[] = [];
  const merged = { ...mine };
  for (const field of names) {
    if (mine[field] === read[field]) merged[field] = theirs[field];
    else if (theirs[field] !== read[field] && theirs[field] !== mine[field])
      conflicts.push({ field, theirs: String(theirs[field]), mine: String(mine[field]) });
  }
  return { merged, conflicts };
}
