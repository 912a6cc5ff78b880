/** The word that confirms an account's deletion, in any case (specification section 4). */
export const isConfirmed = (typed: string): boolean => typed.trim().toUpperCase() === "DELETE";
