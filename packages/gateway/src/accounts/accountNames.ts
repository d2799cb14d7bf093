/** The permitted forms of names and ids. */
import * as Schema from "effect/Schema"

/**
 * Returns the schema of a name: 1 to 256 UTF-16 units, no NUL, no unpaired surrogate. Generated documents show
 * `description`. It is added before the checks, because the documents ignore a description that is added after the
 * checks.
 */
export const named = (description: string) =>
  Schema.String.annotate({ description }).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(256),
    Schema.makeFilter((name: string) =>
      name.isWellFormed() && !name.includes("\0") ? undefined : "must be well-formed text without NUL"
    )
  )
