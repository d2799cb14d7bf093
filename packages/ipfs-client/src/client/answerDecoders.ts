/** Decoders of answers, built once per command. */
import * as Result from "effect/Result"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"

import type * as Command from "../commands/Command.ts"
import { DecodeError } from "./IpfsError.ts"

type Decode = (value: unknown) => Result.Result<any, DecodeError>

const cache = /* @__PURE__ */ new WeakMap<Command.CommandCodec, Decode>()

/** Returns the decoder of a Schema. Its error contains only member names of the value, and no other part of it. */
export const of = <S extends Command.CommandCodec>(
  schema: S
): ((value: unknown) => Result.Result<S["Type"], DecodeError>) => {
  const known = cache.get(schema)
  if (known !== undefined) {
    return known
  }
  const parse = SchemaParser.decodeUnknownResult(schema)
  const made: Decode = (value) => Result.mapError(parse(value), decodeError)
  cache.set(schema, made)
  return made
}

const decodeError = (issue: SchemaIssue.Issue): DecodeError => {
  const first = format(issue).issues[0]
  return new DecodeError({
    path: (first?.path ?? []).map((segment) => {
      const key = typeof segment === "object" ? segment.key : segment
      return typeof key === "number" ? key : bounded(String(key))
    }),
    detail: bounded(first?.message ?? "Expected a valid value")
  })
}

const format = /* @__PURE__ */ SchemaIssue.makeFormatterStandardSchemaV1()

/** Shortens a text and removes its control characters, because member names come from outside. */
const bounded = (text: string): string => {
  const plain = text.replaceAll(/\p{Cc}+/gu, " ").trim()
  return plain.length > MAX_TEXT ? `${plain.slice(0, MAX_TEXT)}...` : plain
}

const MAX_TEXT = 200
