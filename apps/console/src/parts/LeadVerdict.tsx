/** The verdict at the head of a screen, beside the sentence that explains it. */
import type { ReactNode } from "react"

import { VerdictChip, type VerdictName } from "../look/VerdictMark.tsx"

/** Shows a verdict and its sentence. */
export const LeadVerdict = ({
  children,
  word
}: {
  readonly word: VerdictName | undefined
  readonly children: ReactNode
}) => (
  <div className="lead-verdict">
    <p>{children}</p>
    {word === undefined ? null : <VerdictChip word={word} large />}
  </div>
)
