/**
 * Prints how fast the logs of a long range are proven, and with how many bytes: `pnpm lab log-ranges`. Then a reader
 * follows a chain of the same length, and is killed while the chain is reorganised.
 *
 * The nodes run in threads of this process and answer over HTTP. If a log is lost, refused or told twice, the program
 * exits with 1.
 */
import { cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"

import { Hash32 } from "@plumbline/codec"
import { EthClient, EthEvidence, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Batching, HttpTransport, Retry, Transport } from "@plumbline/jsonrpc-core"
import { Effect, Layer } from "effect"

import { receiptAnswers } from "../inputs/ethereumjsAnswers.ts"
import { follow } from "./killedReader.ts"
import { readByLibraries } from "./libraryReads.ts"
import type { NodeKind } from "./logsNode.ts"
import { startNode } from "./startNode.ts"

const { values } = parseArgs({
  options: {
    /** The length of the chain. */
    blocks: { type: "string", default: "100000" },
    /** One of so many blocks has logs. */
    every: { type: "string", default: "1000" },
    /** Leaves out the reads of the whole range, and those of libraries. */
    following: { type: "boolean", default: false }
  }
})

const blocks = Number(values.blocks)
const every = Number(values.every)
const { address } = receiptAnswers.flatMap(({ logs }) => logs)[0]!
const ofBlock = receiptAnswers.flatMap(({ logs }) => logs.filter((log) => log.address === address)).length
const expected = ofBlock * Math.floor(blocks / every)

/** For the node that fails at random. */
const RETRY = Retry.make({ times: 8, initial: "1 millis" })

/** Proves the logs of all blocks, and returns the time, the bytes and the faults. */
const measure = async (kind: NodeKind) => {
  const { head, stop, url } = await startNode({ blocks, every, kind })
  let bytes = 0
  const counting: typeof fetch = async (...args) => {
    const response = await fetch(...args)
    const body = await response.arrayBuffer()
    bytes += body.byteLength
    return new Response(body, response)
  }
  const node = Transport.through(HttpTransport.layer({ url, fetch: counting }), Batching.make(), RETRY)
  const trust = TrustedBlock.layerPinned(Hash32.fromHexUnsafe(head))
  const client = await Effect.runPromise(
    Effect.provide(
      Effect.map(Effect.all([EthClient.make, TrustedBlock.TrustedBlock]), ([eth, trusted]) =>
        VerdictEthClient.make(eth, trusted, { maxLogWork: Number.MAX_SAFE_INTEGER })
      ),
      Layer.merge(node, trust)
    )
  )
  const began = process.hrtime.bigint()
  const verdict = await Effect.runPromise(client.getLogs({ address, fromBlock: 1n, toBlock: BigInt(blocks) }))
  const seconds = Number(process.hrtime.bigint() - began) / 1e9
  const ids = new Set(verdict.value.map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`))
  const repaired = verdict.proven.find(EthEvidence.LogsRepaired.is)?.omitted ?? 0
  await stop()
  return {
    seconds,
    bytes,
    repaired,
    lost: expected - ids.size,
    twice: verdict.value.length - ids.size,
    refused: verdict._tag === "VERIFIED" ? 0 : 1
  }
}

/** Maximum number of blocks by which a followed chain grows at a time. Proofs lead 8191 blocks back. */
const growth = Math.min(4000, Math.ceil(blocks / 5))

const kinds = ["honest", "drops", "limits", "fails"] as const

/** Prints a row. The program exits with 1 if it has a fault. */
const row = (cells: ReadonlyArray<string | number>, faults: ReadonlyArray<number>): void => {
  console.log(`| ${[...cells, ...faults].join(" | ")} |`)
  if (faults.some((count) => count !== 0)) process.exitCode = 1
}

const printReads = async (): Promise<void> => {
  console.log("| node | blocks per second | bytes per block | repaired | lost | refused | twice |")
  console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
  for (const kind of kinds) {
    const { bytes, lost, refused, repaired, seconds, twice } = await measure(kind)
    row([kind, Math.round(blocks / seconds), Math.round(bytes / blocks), repaired], [lost, refused, twice])
  }
}

const printLibraries = async (): Promise<void> => {
  console.log("\nRead by unchanged libraries, in ranges that errors suggest:\n")
  console.log("| through | library | node | ranges refused | lost | refused | twice |")
  console.log("| --- | --- | --- | ---: | ---: | ---: | ---: |")
  for (const kind of kinds) {
    const node = await startNode({ blocks, every, kind })
    for (const read of await readByLibraries(node, { address, blocks, expected })) {
      row([read.through, read.library, kind, read.splits], [read.lost, read.refused, read.twice])
    }
    await node.stop()
  }
}

const printFollowing = async (): Promise<void> => {
  console.log("\nFollowed from the first block to the last:\n")
  console.log("| node | kills | reorganisations | logs removed | lost | refused | twice | left of removed blocks |")
  console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
  for (const [at, kind] of kinds.entries()) {
    const node = await startNode({ blocks: 1, every: Math.max(1, Math.ceil(every / 20)), kind })
    const outcome = await follow(node, address, { blocks, growth, seed: at + 1 })
    const { kills, left, lost, refused, removed, reorganisations, twice } = outcome
    await node.stop()
    row([kind, kills, reorganisations, removed], [lost, refused, twice, left])
    if (kills === 0 || removed === 0) process.exitCode = 1
  }
}

console.log(`Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores`)
console.log(`${blocks} blocks, one in ${every} with ${ofBlock} logs of the filter\n`)
if (!values.following) {
  await printReads()
  await printLibraries()
}
await printFollowing()
