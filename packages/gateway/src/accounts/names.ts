/** The permitted forms of names and ids. */
import * as Schema from "effect/Schema"

/**
 * Returns a schema: 1 to 256 UTF-16 units, no NUL, no unpaired surrogate. `description` goes into the documents that
 * are made of the schema, which show only a description that comes before the checks.
 */
export const named = (description: string) =>
  Schema.String.annotate({ description }).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(256),
    Schema.makeFilter((name: string) =>
      name.isWellFormed() && !name.includes("\0") ? undefined : "must be well-formed text without NUL"
    )
  )
