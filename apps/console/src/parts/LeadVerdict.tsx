/** The verdict at the head of a screen, beside the sentence that explains it. */
import type { ReactNode } from "react"

import { VerdictChip, type VerdictName } from "../look/VerdictMark.tsx"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
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

/** The verdict on a screen that reads one block. If it is not VERIFIED, the reader can trust the block's hash. */
export const BlockVerdict = ({
  children,
  hash,
  isVerified,
  label = "Trust its hash",
  place
}: {
  readonly place: Extract<ConsoleRoute.ConsoleRoute, { readonly network: string; readonly block: string }>
  /** The hash of the block that was read. */
  readonly hash: string
  readonly isVerified: boolean
  /** The words of the link that trusts the hash. */
  readonly label?: string
  readonly children: ReactNode
}) => {
  const { network, trust } = place
  const placeOf = (trust: string) => ({ ...place, block: hash, trust })
  return (
    <LeadVerdict
      word={isVerified ? "VERIFIED" : "CLAIMED"}
      offer={isVerified ? undefined : { network, hash, label, trust, placeOf }}
    >
      {children}
    </LeadVerdict>
  )
}
