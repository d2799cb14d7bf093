/**
 * Refused answers about bundles: of the block, of a block of IPFS, or of the file itself.
 */
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

/** Returns the answer that a failed check gives, and undefined for any other error. A block that a node of IPFS gave is the node's answer. */
export const refusal =
  ({ anchor, subject }: Basis) =>
  (error: unknown): Omit<Print.Shown, "view"> | undefined => {
    if (error instanceof Refuted) {
      // a check of a block of IPFS names the block
      const about = error.subject === undefined ? subject : "the node's answer"
      return { reply: Answer.refused(error, anchor), subject: about }
    }
    // what is beyond a bound was not looked at
    if (!(error instanceof BundleError) || error.reason === "TooLarge") return undefined
    // bytes that are no bundle of the trusted block are as little its proof as those with another hash
    const got = `${error.detail}, at byte ${error.offset}`
    return { reply: Answer.refused({ check: "bundle", expected: "a proof bundle", got }, anchor), subject }
  }
