/** A map that drops its oldest entries. */

/**
 * A map of bounded size: a new entry drops the oldest one if there is no room.
 *
 * ```ts import.meta.vitest
 * import { BoundedMap } from "@plumbline/codec"
 *
 * const map = new BoundedMap.BoundedMap<string, number>(2)
 * map.set("a", 1).set("b", 2)
 * map.use("a") // => 1
 * map.set("c", 3)
 * const keys = [...map.keys()]
 * keys // => ["a", "c"]
 * ```
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #capacity: number

  constructor(capacity: number) {
    super()
    this.#capacity = capacity
  }

  /** Sets an entry, which becomes the newest. */
  override set(key: K, value: V): this {
    // A map keeps the order of insertion.
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#capacity) this.delete(this.keys().next().value!)
    return this
  }

  /** Returns a value as `get` does, and makes its entry the newest. */
  use(key: K): V | undefined {
    const value = this.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }
}
