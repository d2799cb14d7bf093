/** The verdict at the head of a screen, beside the sentence that explains it. */
import type { ReactNode } from "react"

import { VerdictChip, type VerdictName } from "../look/VerdictMark.tsx"
import type { UnprovenPage } from "./TrustLinks.ts"
import { TrustOffer } from "./TrustOffer.tsx"

/** Shows a verdict and its sentence. `offer` adds links after the sentence, for a page that is not proven yet. */
export const LeadVerdict = ({
  children,
  offer,
  word
}: {
  readonly word: VerdictName | undefined
  readonly children: ReactNode
  readonly offer?: UnprovenPage | undefined
}) => (
  <div className="lead-verdict">
    <p>
      {children}
      {offer === undefined ? null : (
        <>
          {" "}
          <TrustOffer {...offer} />
        </>
      )}
    </p>
    {word === undefined ? null : <VerdictChip word={word} large />}
  </div>
)
