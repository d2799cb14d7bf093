/** Kinds of tagged data with a sentence for people. */

/** A value of some kind. Its tag and fields are data; its sentence is made from them when it is read. */
export interface Tagged<Tag extends string> {
  readonly _tag: Tag
  readonly sentence: string
}

/** Makes values of one kind, and recognises them. */
export interface Kind<Base, Tag extends string, Fields extends object> {
  (fields: Fields): Base & Tagged<Tag> & Readonly<Fields>
  readonly _tag: Tag
  /** True if the value is of this kind. */
  readonly is: (value: Base) => value is Base & Tagged<Tag> & Readonly<Fields>
}

/**
 * Defines a kind. The sentence is on the prototype, so a value contains only its fields, and two values are compared by
 * their fields. A bundler drops a kind that a program does not make, together with its sentence.
 */
export const define = <Base extends Tagged<string>, const Tag extends string, Fields extends object>(
  typeId: symbol,
  tag: Tag,
  say: (fields: Fields) => string
): Kind<Base, Tag, Fields> => {
  type Value = Base & Tagged<Tag> & Readonly<Fields>
  const prototype = {
    [typeId]: typeId,
    get sentence(): string {
      return say(this as Fields)
    }
  }
  const make = (fields: Fields): Value => Object.assign(Object.create(prototype), { _tag: tag }, fields)
  return Object.assign(make, { _tag: tag, is: (value: Base): value is Value => value._tag === tag })
}

/** True if both are of the same kind and have the same fields, at any depth. */
export const equals = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const fields = Object.entries(a)
  return (
    fields.length === Object.keys(b).length &&
    fields.every(([name, value]) => Object.hasOwn(b, name) && equals(value, (b as Record<string, unknown>)[name]))
  )
}
