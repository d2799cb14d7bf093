/**
 * Tracks blocks that must not be collected although no pin reaches them yet: blocks that running work has written, or
 * has found and relies on.
 *
 * Nothing waits here. Work names a block before it checks whether the block exists. A collection checks for names and
 * removes the block in the same turn of the event loop. So either the collection sees the name, or the work sees that
 * the block is gone.
 */
import type { BlockKey } from "./flatfsBlocks.ts"

/**
 * The guard of one piece of work. Closing it releases the blocks of the work; a pin must already reach the blocks that
 * should stay.
 */
export interface GcGuard {
  readonly touch: (key: BlockKey) => void
  readonly close: () => void
}

export interface GcGuards {
  readonly open: () => GcGuard
  /** Records that a DAG is completely on the disk, although no pin reaches it. Valid until the next collection. */
  readonly remember: (root: string) => void
  /** True if the DAG was recorded as complete, and no collection ran since. Pinning it then needs no walk. */
  readonly isWhole: (root: string) => boolean
  /** Begins a collection. Only one runs at a time. */
  readonly collect: () => GarbageCollection
}

export interface GarbageCollection {
  /** True if the block must not be removed: it is held now, or was held at any time since the collection began. */
  readonly spares: (key: BlockKey) => boolean
  readonly close: () => void
}

export const make = (): GcGuards => {
  const holders = new Map<BlockKey, number>()
  /**
   * Blocks that were released during a collection. The collection must not remove them, because their pins may be newer
   * than the collection's list of pins.
   */
  let released: Set<BlockKey> | undefined
  const whole = new Set<string>()
  return {
    remember: (root) => {
      if (released !== undefined) return
      whole.add(root)
      if (whole.size > MAX_REMEMBERED) for (const oldest of whole) return void whole.delete(oldest)
    },
    isWhole: (root) => whole.has(root),
    open: () => {
      const held = new Set<BlockKey>()
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
      const spared = (released = new Set<BlockKey>())
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

/** Maximum number of remembered DAGs. A caller that adds without a pin usually pins soon after. */
const MAX_REMEMBERED = 1000
