import type * as Anchor from "@plumbline/verdict/Anchor"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Data from "effect/Data"

/**
 * A check of what the chain's node said about a name failed. Checks of the content fail with `RefutedError`, because they
 * blame another node.
 */
export class RefutedNameError extends Data.TaggedError("RefutedNameError")<{
  readonly refuted: RefutedError
  readonly anchor: Anchor.Anchor | null
}> {
  override get message(): string {
    return this.refuted.message
  }
}
