/** Schemas of wire text, checked without regular expressions and without the interpreter. */
import * as Schema from "effect/Schema"

import * as byHand from "../wire/byHand.ts"
import * as hexCodec from "./hexConversion.ts"

type Hex = `0x${string}`

/** Returns the Schema of `0x` text of whole bytes, with `size` bytes if given. */
export const data = (size: number | undefined, identifier: string): Schema.refine<Hex, Schema.String> =>
  dataBy(hexCodec.isData, size, identifier)

/** Makes the Schema of `data` with another check of the same texts. */
export const dataBy = (
  isData: (text: string, size?: number) => boolean,
  size: number | undefined,
  identifier: string
): Schema.refine<Hex, Schema.String> => {
  const pattern = size === undefined ? "^0x(?:[0-9a-fA-F]{2})*$" : `^0x[0-9a-fA-F]{${2 * size}}$`
  return text(
    (value): value is Hex => isData(value, size),
    pattern,
    size === undefined ? "0x hex data of whole bytes" : `0x hex data of ${size} bytes`,
    identifier
  )
}

/**
 * Makes the Schema of text that `check` accepts.
 *
 * `pattern` must describe the same texts, since JSON Schema and the generator of values use it. `expected` describes
 * the valid text in errors.
 *
 * ```ts import.meta.vitest
 * import { CheckedText } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const isBit = (text: string): text is "0x0" | "0x1" => text === "0x0" || text === "0x1"
 * const Bit = CheckedText.schema(isBit, "^0x[01]$", "0x0 or 0x1", "Bit")
 * Schema.is(Bit)("0x1") // => true
 * Schema.toJsonSchemaDocument(Bit).definitions // => { Bit: { type: "string", pattern: "^0x[01]$" } }
 * ```
 */
export const text = <A extends string>(
  check: (value: string) => value is A,
  pattern: string,
  expected: string,
  identifier: string
): Schema.refine<A, Schema.String> =>
  byHand.checked(
    () =>
      Schema.String.pipe(
        Schema.refine(check, {
          expected,
          toJsonSchema: () => ({ pattern }),
          arbitraryConstraint: { patterns: [{ source: pattern, flags: "" }] }
        })
      ).annotate({ identifier }),
    (value) => typeof value === "string" && check(value)
  )
