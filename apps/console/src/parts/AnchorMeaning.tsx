/** The meaning of trusting the anchor that the service announces. */
import type * as AcceptedTrust from "../chain/AcceptedTrust.ts"
import { Hash } from "../look/Hash.tsx"

/** The meaning, in one sentence that names the anchor. */
export const AnchorMeaning = ({ anchor: { hash, kind } }: { readonly anchor: AcceptedTrust.AnnouncedAnchor }) => (
  <>
    Proofs then hang from {kind} <Hash hex={hash} />, which this service announces: they are only as honest as the
    service until you compare it with another source.
  </>
)
