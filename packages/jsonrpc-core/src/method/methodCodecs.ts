/** Decoders and encoders of methods, built once per method. */
import * as Result from "effect/Result"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"

import type { ValuePath } from "../error/JsonRpcError.ts"
import type * as Method from "./Method.ts"

type Parser = (input: unknown) => Result.Result<unknown, SchemaIssue.Issue>

interface ParamCodec {
  readonly name: string
  readonly optional: boolean
  readonly values: number
  readonly byNull: unknown
  readonly decode: Parser
  readonly encode: Parser
  readonly check: Method.AnyParam["check"]
}

/** A method, ready to use. */
export interface MethodCodec {
  readonly params: ReadonlyArray<ParamCodec>
  readonly names: ReadonlySet<string>
  readonly decodeResult: Parser
  readonly encodeResult: Parser
}

const cache = /* @__PURE__ */ new WeakMap<Method.Any, MethodCodec>()

export const of = (method: Method.Any): MethodCodec => {
  const known = cache.get(method)
  if (known !== undefined) {
    return known
  }
  const made: MethodCodec = {
    params: method.params.map((param) => ({
      name: param.name,
      optional: param.optional,
      values: param.values,
      byNull: param.byNull,
      decode: parserOf(SchemaParser.decodeUnknownSync(param.schema)),
      encode: parserOf(SchemaParser.encodeUnknownSync(param.schema)),
      check: param.check
    })),
    names: new Set(method.params.map((param) => param.name)),
    decodeResult: parserOf(SchemaParser.decodeUnknownSync(method.result)),
    encodeResult: parserOf(SchemaParser.encodeUnknownSync(method.result))
  }
  cache.set(method, made)
  return made
}

/**
 * Returns the parser of a conversion that throws. The parsers that Effect makes wrap the value in an Exit first, which
 * takes a dozen calls for each parameter of each call.
 */
const parserOf =
  (convert: (input: unknown) => unknown): Parser =>
  (input) => {
    try {
      return Result.succeed(convert(input))
    } catch (error) {
      const issue = error instanceof Error ? error.cause : undefined
      if (SchemaIssue.isIssue(issue)) return Result.fail(issue)
      throw error
    }
  }

/** Returns the first issue and its path. The result never contains the wrong value. */
export const firstIssue = (issue: SchemaIssue.Issue): { readonly path: ValuePath; readonly detail: string } => {
  const first = format(issue).issues[0]
  return {
    path: (first?.path ?? []).map((segment) => {
      const key = typeof segment === "object" ? segment.key : segment
      return typeof key === "number" ? key : bounded(String(key))
    }),
    detail: bounded(first?.message ?? "Expected a valid value")
  }
}

const format = /* @__PURE__ */ SchemaIssue.makeFormatterStandardSchemaV1()

/** Shortens a path and removes control characters, because its member names are untrusted. */
const bounded = (text: string): string => {
  const plain = text.replaceAll(/\p{Cc}+/gu, " ").trim()
  return plain.length > MAX_TEXT ? `${plain.slice(0, MAX_TEXT)}...` : plain
}

const MAX_TEXT = 200
