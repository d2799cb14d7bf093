/** A field whose text must have a form, with the reason below it if the text does not have it. */
import type { InputHTMLAttributes } from "react"

/**
 * Shows the field and the problem. A form keeps its button enabled, and shows the problem once the reader has submitted
 * it: a disabled button gives no reason.
 */
export const TypedField = ({
  id,
  label,
  onText,
  problem,
  ...input
}: {
  readonly id: string
  /** The name above the field; a field without one needs `aria-label`. */
  readonly label?: string | undefined
  readonly onText: (text: string) => void
  readonly problem: string | undefined
} & InputHTMLAttributes<HTMLInputElement>) => (
  <>
    {label === undefined ? null : (
      <label className="small soft" htmlFor={id}>
        {label}
      </label>
    )}
    <input
      id={id}
      className="field mono"
      placeholder="0x…"
      autoComplete="off"
      spellCheck={false}
      {...input}
      aria-invalid={problem !== undefined}
      aria-describedby={problem === undefined ? undefined : `${id}-problem`}
      onChange={({ target }) => onText(target.value)}
    />
    {problem === undefined ? null : (
      <p id={`${id}-problem`} className="problem" role="alert">
        {problem}
      </p>
    )}
  </>
)
