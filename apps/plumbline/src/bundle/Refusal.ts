/** Refused answers about bundles: about the block, about a block of IPFS, or about the file itself. */
import { BundleError } from "@plumbline/proof-bundle/bundle/BundleError"
import type * as Anchor from "@plumbline/verdict/Anchor"
import { Refuted } from "@plumbline/verdict/Refuted"

import * as Answer from "../answer/Answer.ts"
import type * as AnswerView from "../answer/AnswerView.ts"
import type * as Print from "../answer/Print.ts"

/** The hash that proves a bundle, and the thing that is not true if the answer is refuted. */
export interface Basis {
  readonly anchor: Anchor.Anchor | null
  readonly subject: AnswerView.Subject
}

/**
 * Returns the answer that a failed check gives, and undefined for any other error. A block that a node of IPFS gave is
 * the node's answer.
 */
export const refusal =
  ({ anchor, subject }: Basis) =>
  (error: unknown): Omit<Print.Shown, "view"> | undefined => {
    if (error instanceof Refuted) {
      // a check of a block of IPFS names the block
      const about = error.subject === undefined ? subject : "the node's answer"
      return { reply: Answer.refused(error, anchor), subject: about }
    }
    // bytes beyond a bound were not checked, so they refute nothing
    if (!(error instanceof BundleError) || error.reason === "TooLarge") return undefined
    // bytes that are not a bundle of the trusted block do not prove it, just as bytes with another hash do not
    const got = `${error.detail}, at byte ${error.offset}`
    return { reply: Answer.refused({ check: "bundle", expected: "a proof bundle", got }, anchor), subject }
  }
