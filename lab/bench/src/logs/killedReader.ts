/**
 * Follows a chain from its first to its last block, while the reader is killed and the chain is reorganised again and
 * again. Counts the logs that are lost, told twice or left over from removed blocks.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"

import * as Random from "@plumbline/seeded/Random"

import { folder, owned } from "../measure/owned.ts"
import * as ReaderFile from "./readerFile.ts"
import type { StartedNode } from "./startNode.ts"

/** The faults of a reader, and the number of times that it was killed and that the chain reorganised. */
export interface Following {
  readonly kills: number
  readonly reorganisations: number
  /** Blocks that the watch told as removed, and the logs of them. */
  readonly removed: number
  readonly lost: number
  readonly twice: number
  /** Logs of blocks that are not on the chain. */
  readonly left: number
  /** Times that the reader ended with an error. */
  readonly refused: number
}

/** Maximum number of blocks that a reorganisation replaces. A watch follows 128 by default. */
const MAX_DEPTH = 64

/** The length to which a chain grows, by at most `growth` blocks at a time. */
export interface FollowedChain {
  readonly blocks: number
  readonly growth: number
  readonly seed: number
}

/**
 * Follows a node's chain, from its first block to its last. What happens, and after which item the reader is killed,
 * depends on the seed and not on the speed of the machine.
 */
export const follow = async (
  node: StartedNode,
  address: string,
  { blocks, growth, seed }: FollowedChain
): Promise<Following> => {
  const random = Random.make(seed)
  const place = folder("log-ranges")
  const path = join(place.path, "reader.sqlite")
  const file = ReaderFile.open(path)
  const reader = readerOf([node.url, address, path])
  let [length, reorganisations, kills] = [0, 0, 0]
  let truth: ReadonlyArray<string> = []
  while (length < blocks) {
    const replace = length > MAX_DEPTH && Random.chance(random, 0.5) ? 1 + Random.int(random, MAX_DEPTH) : 0
    if (replace > 0) {
      // so that logs of the blocks that are replaced were told
      await reader.until(() => file.reached() === length)
      reorganisations++
    }
    const before = truth.length
    length = Math.min(blocks, length + 1 + Random.int(random, growth))
    truth = (await node.change({ replace, blocks: length })).logs
    if (Random.chance(random, 0.5)) {
      // at any point: before the first new item, among them, or behind the last one
      const items = file.count() + Random.int(random, 2 + Math.max(0, truth.length - before))
      await reader.until(() => file.count() >= items || file.reached() === length)
      await reader.kill()
      kills++
    }
    await reader.until(() => file.reached() >= length - growth)
  }
  await reader.until(() => file.reached() === blocks)
  const items = file.items()
  await reader.stop()
  file.close()
  place.remove()
  return { ...judge(items, truth), kills, reorganisations, refused: reader.refused() }
}

/** Maximum number of times that the reader is started again after it ended with an error. */
const MAX_REFUSED = 3

/** Runs the reader, again and again. */
const readerOf = (words: ReadonlyArray<string>) => {
  let [refused, isEnding] = [0, false]
  const start = () => {
    const program = join(import.meta.dirname, "watchReader.ts")
    const child = owned(
      spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, ...words], {
        stdio: ["ignore", "ignore", "inherit"]
      })
    )
    child.once("exit", () => {
      if (isEnding) return
      if (++refused < MAX_REFUSED) running = start()
    })
    return child
  }
  let running = start()
  const stop = async () => {
    isEnding = true
    running.kill("SIGKILL")
    if (running.exitCode === null && running.signalCode === null) await once(running, "exit")
  }
  return {
    refused: () => refused,
    stop,
    kill: async () => {
      await stop()
      isEnding = false
      running = start()
    },
    /** Waits until this is so, as long as the reader runs. */
    until: async (test: () => boolean) => {
      while (!test()) {
        if (refused === MAX_REFUSED) throw new Error(`the reader ended ${refused} times with an error`)
        await setTimeout(10)
      }
    }
  }
}

/** Follows the items as a program would that keeps the logs of each block. */
const judge = (items: ReadonlyArray<ReaderFile.StoredItem>, truth: ReadonlyArray<string>) => {
  const kept = new Set<string>()
  let [twice, removed] = [0, 0]
  for (const { id, logs, tag } of items) {
    if (tag === "Log") {
      if (kept.has(id)) twice++
      kept.add(id)
    } else if (tag === "Removed") {
      const gone = [...kept].filter((log) => log.startsWith(id))
      if (gone.length !== logs) twice++
      for (const log of gone) kept.delete(log)
      removed += logs
    }
  }
  const real = new Set(truth)
  return {
    removed,
    twice,
    lost: truth.filter((log) => !kept.has(log)).length,
    left: [...kept].filter((log) => !real.has(log)).length
  }
}
