/** Refused answers about bundles: about the block, about a block of IPFS, or about the file itself. */
import { BundleError } from "@plumbline/proof-bundle/bundle/BundleError"
import type * as Anchor from "@plumbline/verdict/Anchor"
import { RefutedError } from "@plumbline/verdict/RefutedError"

import type * as AnswerView from "../answer/AnswerView.ts"
import type * as Print from "../answer/Print.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"

/** The hash that proves a bundle, and the subject of "... is not true" if the answer is refuted. */
export interface BundleBasis {
  readonly anchor: Anchor.Anchor | null
  readonly subject: AnswerView.RefutedSubject
}

/**
 * Returns the answer for a failed check, and undefined for any other error. If the check was of a block that an IPFS
 * node sent, the subject is the node's answer.
 */
export const refusal =
  ({ anchor, subject }: BundleBasis) =>
  (error: unknown): Omit<Print.PrintableAnswer, "view"> | undefined => {
    if (error instanceof RefutedError) {
      // only the check of an IPFS block sets `subject`; the lie is then in the node's answer
      const about = error.subject === undefined ? subject : "the node's answer"
      return { reply: ReadAnswer.refused(error, anchor), subject: about }
    }
    // bytes beyond a bound were not checked, so they refute nothing
    if (!(error instanceof BundleError) || error.reason === "TooLarge") return undefined
    // bytes that are not a bundle of the trusted block are refuted, like bytes with another hash
    const got = `${error.detail}, at byte ${error.offset}`
    return { reply: ReadAnswer.refused({ check: "bundle", expected: "a proof bundle", got }, anchor), subject }
  }
