/**
 * Prints how fast the logs of a long range are proven, and with how many bytes: `pnpm lab log-ranges`.
 *
 * The nodes run in threads of this process and answer over HTTP. If a log is lost, refused or told twice, the program
 * exits with 1.
 */
import { cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"
import { Worker } from "node:worker_threads"

import { Hash32 } from "@plumbline/codec"
import { EthClient, EthEvidence, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Batching, HttpTransport, Transport } from "@plumbline/jsonrpc-core"
import { Effect, Layer } from "effect"

import { receiptAnswers } from "../inputs/made.ts"
import type { NodeKind, NodeOptions, NodeReady } from "./logsNode.ts"

const { values } = parseArgs({
  options: {
    /** The length of the chain. */
    blocks: { type: "string", default: "100000" },
    /** One of so many blocks has logs. */
    every: { type: "string", default: "1000" }
  }
})

const blocks = Number(values.blocks)
const every = Number(values.every)
const { address } = receiptAnswers.flatMap(({ logs }) => logs)[0]!
const ofBlock = receiptAnswers.flatMap(({ logs }) => logs.filter((log) => log.address === address)).length
const expected = ofBlock * Math.floor(blocks / every)

/** Starts a node, and waits until it has its chain. */
const start = async (kind: NodeKind): Promise<NodeReady & { readonly stop: () => Promise<unknown> }> => {
  const workerData: NodeOptions = { blocks, every, kind }
  const worker = new Worker(new URL("./logsNode.ts", import.meta.url), { workerData })
  const ready = await new Promise<NodeReady>((resolve, reject) => {
    worker.once("message", resolve)
    worker.once("error", reject)
  })
  return { ...ready, stop: () => worker.terminate() }
}

/** Proves the logs of all blocks, and returns the time, the bytes and the faults. */
const measure = async (kind: NodeKind) => {
  const { head, stop, url } = await start(kind)
  let bytes = 0
  const counting: typeof fetch = async (...args) => {
    const response = await fetch(...args)
    const body = await response.arrayBuffer()
    bytes += body.byteLength
    return new Response(body, response)
  }
  const node = Transport.through(HttpTransport.layer({ url, fetch: counting }), Batching.make())
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

console.log(`Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores`)
console.log(`${blocks} blocks, one in ${every} with ${ofBlock} logs of the filter\n`)
console.log("| node | blocks per second | bytes per block | repaired | lost | refused | twice |")
console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
for (const kind of ["honest", "drops", "limits"] as const) {
  const { bytes, lost, refused, repaired, seconds, twice } = await measure(kind)
  const figures = [Math.round(blocks / seconds), Math.round(bytes / blocks), repaired, lost, refused, twice]
  console.log(`| ${kind} | ${figures.join(" | ")} |`)
  if (lost !== 0 || refused !== 0 || twice !== 0) process.exitCode = 1
}
