/** An opened envelope that is also a face with two slit eyes, one lit. */
const FACE = "M1 2.5 8 4.75l7-2.25V8A7 6.5 0 0 1 1 8z";

/** Path of the face with open eyes: fill rule evenodd, 16 units wide. */
export const openFace = `${FACE}M3 7v2h4V7zm6 0v2h4V7z`;

export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path fillRule="evenodd" d={openFace} />
      <path className="lit" d="M9 7h4v2H9z" />
    </svg>
  );
}

/** Closed eyes (`eyes="shut"`): an empty or missing page. */
export function Mask({ className, eyes = "open" }: { className?: string; eyes?: "open" | "shut" }) {
  return (
    <svg className={className} viewBox="0 0 16 16" aria-hidden="true">
      <path fillRule="evenodd" d={eyes === "open" ? openFace : `${FACE}M3 8v1h4V8zm6 0v1h4V8z`} />
    </svg>
  );
}
