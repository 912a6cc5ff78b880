/** Whether the typed word confirms an account's deletion: DELETE, in upper or lower case (specification section 4). */
export const isConfirmed = (typed: string): boolean => typed.trim().toUpperCase() === "DELETE";
