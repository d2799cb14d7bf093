/** The three verdicts. Each is always shown with its colour, its shape and its word. */

/** A verdict as pages show it. */
export type VerdictName = "VERIFIED" | "CLAIMED" | "REFUTED"

const toneOf = (word: VerdictName): string => word.toLowerCase()

/**
 * The icon of a verdict: a bob that hangs straight from a bar (VERIFIED), a hollow bob without a bar (CLAIMED), or a
 * fallen bob (REFUTED).
 */
export const VerdictMark = ({ size = 18, word }: { readonly word: VerdictName; readonly size?: number }) => (
  <svg className="mark" viewBox="0 0 16 20" width={size * 0.8} height={size} aria-hidden="true">
    {word === "VERIFIED" ? (
      <path fill="currentColor" d="M1 0h14v2H9v6h3v3.4L8 19.6 4 11.4V8h3V2H1z" />
    ) : word === "CLAIMED" ? (
      <>
        <path fill="none" stroke="currentColor" strokeWidth="2" strokeDasharray="2 2" d="M8 0v8" />
        <path fill="none" stroke="currentColor" strokeWidth="1.6" d="M4.8 8.8h6.4v2.4L8 17.8l-3.2-6.6z" />
      </>
    ) : (
      <>
        <path fill="currentColor" d="M1 0h14v2H9v2.6H7V2H1z" />
        <path fill="currentColor" d="M9.4 7.4l3.9 3.7-1.9 3.2-9 4.9 3.5-9.6z" />
      </>
    )}
  </svg>
)

/** The verdict in a frame, for the head of a screen. */
export const VerdictChip = ({ large = false, word }: { readonly word: VerdictName; readonly large?: boolean }) => (
  <span className={`chip ${toneOf(word)}${large ? " large" : ""}`}>
    <VerdictMark word={word} size={large ? 24 : 18} />
    {word}
  </span>
)

/** The verdict without a frame, for rows. */
export const VerdictWord = ({ word }: { readonly word: VerdictName }) => (
  <span className={`word ${toneOf(word)}`}>
    <VerdictMark word={word} size={16} />
    {word}
  </span>
)
