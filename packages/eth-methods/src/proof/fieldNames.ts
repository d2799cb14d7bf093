/** Writes the names of fields in sentences. */

/** Names fields that a node made up or a later fork added. */
export const named = (fields: ReadonlyArray<string>): string => {
  const first = fields.slice(0, NAMED_FIELDS).map((field) => field.slice(0, NAME_LENGTH))
  return `${first.join(", ")}${fields.length > NAMED_FIELDS ? ` and ${fields.length - NAMED_FIELDS} more` : ""}`
}

/** Maximum number of unknown fields that a sentence names. */
const NAMED_FIELDS = 4

/** Maximum number of characters of the name of an unknown field in a sentence. */
const NAME_LENGTH = 40
