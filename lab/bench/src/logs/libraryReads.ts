/**
 * Reads all logs of a chain by viem and ethers, unchanged, through `plumbline proxy` and through a gateway that proves. A
 * range that is beyond a bound is refused with a smaller one, which the program goes on with, as indexers do.
 */
import { setTimeout } from "node:timers/promises"

import { JsonRpcProvider, Network } from "ethers"
import { createPublicClient, http } from "viem"

import { folder } from "../measure/owned.ts"
import { proxy, up } from "../parts/gateway/servers.ts"
import type { StartedNode } from "./startNode.ts"

/** The logs that a library read through a server, compared with the number of logs that there are. */
export interface LibraryRead {
  readonly through: "proxy" | "gateway"
  readonly library: "viem" | "ethers"
  /** Ranges that were refused with a smaller one. */
  readonly splits: number
  readonly lost: number
  readonly twice: number
  /** Reads that failed without a smaller range, after `TRIES` tries. */
  readonly refused: number
}

/** The logs to read: of which address, in how many blocks, and their number. */
export interface LogsToRead {
  readonly address: string
  readonly blocks: number
  readonly expected: number
}

/** Returns what identifies each log of a range. */
type Read = (from: number, to: number) => Promise<ReadonlyArray<string>>

/** The words that `@ponder/utils` looks for in errors. */
const SUGGESTED = /Try with this block range \[0x([0-9a-f]+),\s*0x([0-9a-f]+)\]/iu

/** Times that a range is asked for, because some nodes fail at random. */
const TRIES = 6

/**
 * Milliseconds before another try, doubled after each. A node that says "rate limit exceeded" asks for a pause, in which
 * the gateway answers for it at once.
 */
const PAUSE = 500

const readers: Readonly<Record<LibraryRead["library"], (url: string, address: string) => Read>> = {
  viem: (url, address) => {
    const client = createPublicClient({ transport: http(url, { retryCount: 0, timeout: TIMEOUT }) })
    return async (from, to) => {
      const range = { fromBlock: BigInt(from), toBlock: BigInt(to), address: address as `0x${string}` }
      return (await client.getLogs(range)).map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`)
    }
  },
  ethers: (url, address) => {
    const provider = new JsonRpcProvider(url, Network.from(1), { staticNetwork: true })
    return async (fromBlock, toBlock) =>
      (await provider.getLogs({ fromBlock, toBlock, address })).map(({ blockHash, index }) => `${blockHash} ${index}`)
  }
}

/** Milliseconds that viem waits. A busy machine needs more than its default of 10 seconds. */
const TIMEOUT = 60_000

/** Reads all logs by each library through each server. */
export const readByLibraries = async (node: StartedNode, logs: LogsToRead): Promise<ReadonlyArray<LibraryRead>> => {
  const place = folder("log-libraries")
  const gateway = await up(Number(new URL(node.url).port), place.path, node.head)
  const servers = { proxy: await proxy(node.url, node.head), gateway: gateway.proven }
  const reads: Array<LibraryRead> = []
  for (const through of ["proxy", "gateway"] as const) {
    for (const library of ["viem", "ethers"] as const) {
      const found = await readAll(readers[library](servers[through].url, logs.address), logs)
      reads.push({ through, library, ...found })
    }
  }
  for (const { close } of Object.values(servers)) await close()
  place.remove()
  return reads
}

const readAll = async (read: Read, { blocks, expected }: LogsToRead) => {
  const found: Array<string> = []
  let [from, size, tries, splits, refused] = [1, blocks, 0, 0, 0]
  while (from <= blocks && refused === 0) {
    const to = Math.min(blocks, from + size - 1)
    try {
      found.push(...(await read(from, to)))
      from = to + 1
      tries = 0
    } catch (error) {
      const [, start, end] = SUGGESTED.exec(String(error instanceof Error ? error.message : error)) ?? []
      const smaller = Number(`0x${end}`) - Number(`0x${start}`) + 1
      if (smaller < size) {
        splits++
        size = smaller
      } else if (++tries === TRIES) {
        refused++
        console.error(error)
      } else await setTimeout(PAUSE * 2 ** (tries - 1))
    }
  }
  const ids = new Set(found)
  return { splits, refused, lost: expected - ids.size, twice: found.length - ids.size }
}
