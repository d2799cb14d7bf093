/**
 * Tracks the blocks that must not be collected although no pin reaches them yet: those that running work has written,
 * or has found and relies on.
 *
 * Nothing waits here. Work names a block before it checks if the block is there; a collection asks, and removes in the
 * same turn of the event loop. So either the collection sees the name, or the work sees that the block is gone.
 */
import type { Key } from "./blocks.ts"

/** One piece of work. Closing it releases its blocks; a pin must already reach the blocks that should stay. */
export interface Guard {
  readonly touch: (key: Key) => void
  readonly close: () => void
}

export interface Guards {
  readonly open: () => Guard
  /** Records that a DAG is completely on the disk, although no pin reaches it. Valid until the next collection. */
  readonly remember: (root: string) => void
  /** True if the DAG was recorded as complete, and no collection ran since: pinning it needs no walk. */
  readonly isWhole: (root: string) => boolean
  /** Begins a collection. Only one runs at a time. */
  readonly collect: () => Collection
}

export interface Collection {
  /** True if the block may not be removed: it is held now, or was held at any time since the collection began. */
  readonly spares: (key: Key) => boolean
  readonly close: () => void
}

export const make = (): Guards => {
  const holders = new Map<Key, number>()
  /** Blocks released during a collection, which must not remove them: their pins may be newer than it. */
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

/** Maximum number of DAGs that are remembered: a caller that adds without a pin usually pins soon after. */
const MAX_REMEMBERED = 1000
