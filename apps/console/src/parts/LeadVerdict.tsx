/** The verdict at the head of a screen, beside the sentence that explains it. */
import type { ReactNode } from "react"

import { VerdictChip, type Word } from "../look/Verdict.tsx"

/**
 * Shows a verdict and its sentence. `trust` is a link after the sentence, for a page that is not proven yet: a reader
 * who follows it trusts the hash that the page shows.
 */
export const LeadVerdict = ({
  children,
  trust,
  word
}: {
  readonly word: Word | undefined
  readonly children: ReactNode
  readonly trust?: { readonly href: string; readonly label: string } | undefined
}) => (
  <div className="lead-verdict">
    <p>
      {children}
      {trust === undefined ? null : (
        <>
          {" "}
          <a href={trust.href}>{trust.label}</a>
        </>
      )}
    </p>
    {word === undefined ? null : <VerdictChip word={word} large />}
  </div>
)
