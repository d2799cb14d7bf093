/** Describes why a request does not fit its Schema. */
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

import { BadRequest } from "./AdminError.ts"

/**
 * Returns the error of a part of the request; `slot` is the name of that part, such as `payload`. The sentence contains
 * no value of the request, because the decoder is not set to report its input.
 */
export const badRequest = (slot: string, error: Schema.SchemaError): BadRequest => {
  const [issue] = format(error.issue).issues
  const path = (issue?.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment))
  return new BadRequest({ at: cut([slot, ...path].join(".")), message: cut(issue?.message ?? "makes no sense") })
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Shortens a text: the caller chooses the names of members, which can have any length. */
const cut = (text: string): string => (text.length > 300 ? `${text.slice(0, 300).toWellFormed()}...` : text)
