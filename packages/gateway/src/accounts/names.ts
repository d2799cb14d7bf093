/** Names and ids, as they may be given. */
import * as Schema from "effect/Schema"

/**
 * 1 to 256 UTF-16 units, no NUL, and no half of a surrogate pair. `description` says what it names, for the documents that
 * are made of a Schema; those show none that stands behind the checks.
 */
export const named = (description: string) =>
  Schema.String.annotate({ description }).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(256),
    Schema.makeFilter((name: string) =>
      name.isWellFormed() && !name.includes("\0") ? undefined : "must be well-formed text without NUL"
    )
  )
