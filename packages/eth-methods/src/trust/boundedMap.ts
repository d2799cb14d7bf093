/** A map of bounded size that drops the least recently used entry. */

/** A map of bounded size. */
export interface BoundedMap<K, V> {
  readonly get: (key: K) => V | undefined
  readonly set: (key: K, value: V) => void
}

export const boundedMap = <K, V>(capacity: number): BoundedMap<K, V> => {
  // a Map keeps the order of insertion, so a used entry is moved to the end
  const entries = new Map<K, V>()
  return {
    get: (key) => {
      const value = entries.get(key)
      if (value !== undefined) {
        entries.delete(key)
        entries.set(key, value)
      }
      return value
    },
    set: (key, value) => {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size > capacity) entries.delete(entries.keys().next().value as K)
    }
  }
}
