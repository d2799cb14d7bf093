/** Decodes the JSON of compilers. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"

import { LayoutError } from "./LayoutError.ts"

/** Returns a decoder that throws `LayoutError` `Malformed`, with the place of the fault and the expected form. */
export const decoder = <A>(what: string, schema: Schema.Codec<A, unknown>): ((json: unknown) => A) => {
  const decode = SchemaParser.decodeUnknownResult(schema)
  return (json) => {
    const decoded = decode(json)
    if (Result.isSuccess(decoded)) return decoded.success
    const first = format(decoded.failure).issues[0]
    const path = (first?.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment))
    const detail = `${[what, ...path].join(".")}: ${first?.message ?? "not of this form"}`
    throw new LayoutError({ reason: "Malformed", detail: detail.slice(0, MAX_TEXT) })
  }
}

const MAX_TEXT = 300

const format = /* @__PURE__ */ SchemaIssue.makeFormatterStandardSchemaV1()
