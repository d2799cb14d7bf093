/**
 * Which blocks must not be collected although no pin reaches them yet: those that work under way has written, or found
 * there and counts on.
 *
 * Nothing waits here. Work names a block before it looks whether the block is there; a collection asks, and removes in
 * the same turn of the event loop. So either the collection sees the name, or the work sees that the block is gone.
 */
import type { Key } from "./blocks.ts"

/** One piece of work. Closing it lets its blocks go: by then a pin reaches those that are to stay. */
export interface Guard {
  readonly touch: (key: Key) => void
  readonly close: () => void
}

export interface Guards {
  readonly open: () => Guard
  /** Says that a DAG is wholly on the disk, though no pin reaches it. Holds until the next collection. */
  readonly remember: (root: string) => void
  /** Whether that was said, and nothing was collected since: a pin of it needs no walk. */
  readonly isWhole: (root: string) => boolean
  /** Begins a collection. There is one at a time. */
  readonly collect: () => Collection
}

export interface Collection {
  /** Whether the block may not be removed: held now, or at any time since the collection began. */
  readonly spares: (key: Key) => boolean
  readonly close: () => void
}

export const make = (): Guards => {
  const holders = new Map<Key, number>()
  /** While a collection runs: what it must not touch although nobody holds it any more. Its pins may be newer than it. */
  let released: Set<Key> | undefined
  const whole = new Set<string>()
  return {
    remember: (root) => {
      if (released !== undefined) return
      whole.add(root)
      if (whole.size > MAX_REMEMBERED) for (const oldest of whole) return void whole.delete(oldest)
    },
    isWhole: (root) => whole.has(root),
    open: () => {
      const held = new Set<Key>()
      return {
        touch: (key) => {
          if (held.has(key)) return
          held.add(key)
          holders.set(key, (holders.get(key) ?? 0) + 1)
        },
        close: () => {
          for (const key of held) {
            released?.add(key)
            const rest = holders.get(key)! - 1
            if (rest > 0) holders.set(key, rest)
            else holders.delete(key)
          }
          held.clear()
        }
      }
    },
    collect: () => {
      const spared = (released = new Set<Key>())
      whole.clear()
      return {
        spares: (key) => holders.has(key) || spared.has(key),
        close: () => {
          released = undefined
        }
      }
    }
  }
}

/** Who adds without a pin and pins then, pins soon. */
const MAX_REMEMBERED = 1000
