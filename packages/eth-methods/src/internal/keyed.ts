/** Objects whose names are addresses or hashes. */
import * as Schema from "effect/Schema"

/** A Schema of such objects. */
export type Keyed<V extends Schema.Codec<any, any>> = Schema.Codec<
  Readonly<Record<string, V["Type"]>>,
  Readonly<Record<string, V["Encoded"]>>
>

/**
 * A Schema of an object with names of one kind and values of another. Any other name is refused; an index signature alone
 * would drop it in silence.
 */
export const keyed = <V extends Schema.Codec<any, any>>(names: Schema.Codec<string, string>, values: V): Keyed<V> => {
  // the type of a codec does not say that it makes the names of properties, or that it needs no services
  const key = names as Schema.Codec<string, string> & Schema.Record.Key
  return Schema.Record(Schema.String, Schema.toEncoded(values))
    .check(Schema.isPropertyNames(names))
    .pipe(Schema.decodeTo(Schema.Record(key, values)))
}
