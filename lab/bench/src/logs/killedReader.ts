/**
 * Follows a chain from its first to its last block, while the reader is killed and the chain is reorganised again and
 * again. Counts the logs that are lost, told twice or left over from removed blocks.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"

import * as Random from "@plumbline/seeded/Random"

import { folder, owned } from "../measure/owned.ts"
import type { StartedNode } from "./startNode.ts"
import { itemsOf, type StoredItem } from "./watchReader.ts"

/** What went wrong, and how often the reader was killed and the chain reorganised. */
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

/** Maximum number of milliseconds from the growth of the chain to the kill of the reader. */
const MAX_DELAY = 400

/** The length to which a chain grows, by at most `growth` blocks at a time. */
export interface FollowedChain {
  readonly blocks: number
  readonly growth: number
  readonly seed: number
}

/** Follows a node's chain, from its first block to its last. */
export const follow = async (
  node: StartedNode,
  address: string,
  { blocks, growth, seed }: FollowedChain
): Promise<Following> => {
  const random = Random.make(seed)
  const place = folder("log-ranges")
  const file = path.join(place.path, "items.jsonl")
  const reader = readerOf(node.url, address, file)
  let [length, reorganisations] = [0, 0]
  let truth: ReadonlyArray<string> = []
  while (length < blocks) {
    const replace = length > MAX_DEPTH && Random.chance(random, 0.5) ? 1 + Random.int(random, MAX_DEPTH) : 0
    if (replace > 0) reorganisations++
    length = Math.min(blocks, length + 1 + Random.int(random, growth))
    truth = (await node.change({ replace, blocks: length })).logs
    await setTimeout(Random.int(random, MAX_DELAY))
    // at any point: while it starts, reads, or writes
    if (Random.chance(random, 0.5)) await reader.kill()
    else await reader.reached(length - growth)
  }
  await reader.reached(blocks)
  const items = itemsOf(file)
  await reader.kill()
  place.remove()
  return { ...judge(items, truth), kills: reader.kills(), reorganisations, refused: reader.refused() }
}

/** Runs the reader, again and again. */
const readerOf = (url: string, address: string, file: string) => {
  let [kills, refused, isKilling] = [0, 0, false]
  const start = () => {
    const program = path.join(import.meta.dirname, "watchReader.ts")
    const words = ["--disable-warning=ExperimentalWarning", program, url, address, file]
    const child = owned(spawn(process.execPath, words, { stdio: ["ignore", "ignore", "inherit"] }))
    child.once("exit", () => {
      if (isKilling) return
      refused++
      running = start()
    })
    return child
  }
  let running = start()
  return {
    kills: () => kills,
    refused: () => refused,
    kill: async () => {
      isKilling = true
      kills++
      running.kill("SIGKILL")
      if (running.exitCode === null && running.signalCode === null) await once(running, "exit")
      isKilling = false
      running = start()
    },
    /** Waits until the reader has told that it reached a block. */
    reached: async (number: number) => {
      while (!itemsOf(file).some((item) => item.tag === "Reached" && item.number >= number)) {
        if (number <= 0) return
        await setTimeout(50)
      }
    }
  }
}

/** Follows the items as a program would that keeps the logs of each block. */
const judge = (items: ReadonlyArray<StoredItem>, truth: ReadonlyArray<string>) => {
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
