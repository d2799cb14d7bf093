/** What is wrong with a request, by the Schema that it does not fit. */
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

import { BadRequest } from "./AdminError.ts"

/**
 * `slot` is the part of the request, such as `payload`. The sentence holds no value: Schema's own sentences do so only if
 * the decoder was told to report its input.
 */
export const badRequest = (slot: string, error: Schema.SchemaError): BadRequest => {
  const [issue] = format(error.issue).issues
  const path = (issue?.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment))
  return new BadRequest({ at: cut([slot, ...path].join(".")), message: cut(issue?.message ?? "makes no sense") })
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Names of members are the caller's, and of any length. */
const cut = (text: string): string => (text.length > 300 ? `${text.slice(0, 300).toWellFormed()}...` : text)
