/** Schemas of wire text, checked without regular expressions: a 32-byte hash takes half the time. */
import * as Schema from "effect/Schema"

import * as hexCodec from "./hexCodec.ts"

type Hex = `0x${string}`

/** Schema of `0x` text of whole bytes, of `size` bytes when given. */
export const data = (size: number | undefined, identifier: string): Schema.refine<Hex, Schema.String> => {
  const pattern = size === undefined ? "^0x(?:[0-9a-fA-F]{2})*$" : `^0x[0-9a-fA-F]{${2 * size}}$`
  return text(
    (value): value is Hex => hexCodec.isData(value, size),
    pattern,
    size === undefined ? "0x hex data of whole bytes" : `0x hex data of ${size} bytes`,
    identifier
  )
}

/** Schema of text with a fast check, and the pattern that says the same to JSON Schema and to the generator. */
export const text = <A extends string>(
  check: (value: string) => value is A,
  pattern: string,
  expected: string,
  identifier: string
): Schema.refine<A, Schema.String> =>
  Schema.String.pipe(
    Schema.refine(check, {
      expected,
      toJsonSchema: () => ({ pattern }),
      arbitraryConstraint: { patterns: [{ source: pattern, flags: "" }] }
    })
  ).annotate({ identifier })
