/** Installs a conversion by hand as the decoder of a Schema. The interpreter describes the faults. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as SchemaCompiler from "effect/schema/SchemaCompiler"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"

/** Converts one value, and throws if it refuses the value. */
type Convert = (value: any) => unknown

/**
 * Makes the conversions the decoder and the encoder of this very Schema object. `interpreted` returns an equal Schema
 * that is another object: it describes the fault of a value that a conversion refused, or accepts it after all.
 * `narrow` finds a smaller value that a conversion refuses for the same reason.
 */
export const install = (
  schema: Schema.Top,
  { decode, encode }: { readonly decode: Convert; readonly encode: Convert },
  interpreted: (value: unknown) => Schema.Top,
  narrow?: (value: unknown, convert: Convert) => unknown
): void => {
  const set = (ast: SchemaAST.AST, convert: Convert, parse: typeof SchemaParser.decodeUnknownEffect): void =>
    SchemaCompiler.set(ast, {
      decode: (value) => {
        try {
          return convert(value)
        } catch {
          return SchemaCompiler.invalid
        }
      },
      decodeEffect: (value, options) => {
        // The value is a missing field. The conversion of the object around it reports that.
        if (value === SchemaCompiler.missing) return Effect.succeed(value)
        const wrong = narrow === undefined ? value : narrow(value, convert)
        return parse(interpreted(wrong))(wrong, options)
      }
    })
  set(schema.ast, decode, SchemaParser.decodeUnknownEffect)
  set(SchemaAST.flip(schema.ast), encode, SchemaParser.encodeUnknownEffect)
}

/**
 * Returns the Schema that `make` makes, for values that are the same on both sides. `check` alone decides which values
 * are accepted.
 */
export const checked = <S extends Schema.Top>(make: () => S, check: (value: unknown) => boolean): S => {
  const schema = make()
  const convert: Convert = (value) => (check(value) ? value : SchemaCompiler.invalid)
  let interpreted: S | undefined
  install(schema, { decode: convert, encode: convert }, () => (interpreted ??= make()))
  return schema
}
