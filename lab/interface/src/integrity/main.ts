/**
 * Measures the price of integrity: `pnpm --filter @plumbline/interface integrity-costs`.
 *
 * For each read, it measures the time of one call through the network's upstream, and counts the calls that the node
 * receives for it. The node is the history chain in this process, without a network in between. In production, each
 * additional call costs a round trip as well. A row is the median of several calls, one at a time.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { SqlAnswerStore, Sqlite } from "@plumbline/gateway"
import { Effect, Layer, Redacted } from "effect"

import * as Facts from "../clients/facts.ts"
import * as ProvingGateway from "./provingGateway.ts"

const { counter, head, token, transactions, who } = Facts.history
const at = `0x${(head - 1).toString(16)}`

const reads: ReadonlyArray<readonly [name: string, method: string, params: ReadonlyArray<unknown>]> = [
  ["balance", "eth_getBalance", [who, at]],
  ["storage", "eth_getStorageAt", [counter, "0x0", at]],
  ["code", "eth_getCode", [token, at]],
  ["block, hashes", "eth_getBlockByNumber", [at, false]],
  ["receipt", "eth_getTransactionReceipt", [transactions[0]]],
  ["logs, 16 blocks", "eth_getLogs", [{ fromBlock: `0x${(head - 16).toString(16)}`, toBlock: at }]]
]

const folder = await mkdtemp(path.join(tmpdir(), "plumbline-integrity-"))
let files = 0

/** A store in a new file. */
const store = Effect.gen(function* () {
  const file = path.join(folder, `${files++}.sqlite`)
  const context = yield* Layer.build(Sqlite.layer({ file }))
  return yield* Effect.provideContext(SqlAnswerStore.make({ secret: Redacted.make("5e".repeat(32)) }), context)
})

const ways: ReadonlyArray<readonly [name: string, options: ProvingGateway.Options]> = [
  ["off", { mode: "off" }],
  ["check", { mode: "check" }],
  ["prove, no cache", {}],
  ["prove, from memory", { cache: {} }],
  ["prove, from SQLite", { cache: { memory: 0 }, store }]
]

const ROUNDS = 200
const median = (numbers: ReadonlyArray<number>): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!

/** Returns the microseconds of a call, and the number of calls to the node. */
const measured = async (gateway: ProvingGateway.ProvingGateway, method: string, params: ReadonlyArray<unknown>) => {
  const asked = gateway.asked()
  const begun = performance.now()
  await Effect.runPromise(gateway.upstream.call(method, params))
  return { micros: (performance.now() - begun) * 1000, calls: gateway.asked() - asked }
}

const show = (micros: number, calls: number): string => `${micros.toFixed(0)} us, ${calls}`

console.log(["", ...ways.map(([name]) => name), "prove, first call"].join(" | "))
for (const [name, method, params] of reads) {
  const cells: Array<string> = []
  for (const [, options] of ways) {
    await using gateway = await ProvingGateway.open([ProvingGateway.today], options)
    for (let n = 0; n < 20; n++) await measured(gateway, method, params)
    // waits until the store has the answer
    await new Promise((resolve) => setTimeout(resolve, 200))
    const found: Array<Awaited<ReturnType<typeof measured>>> = []
    for (let n = 0; n < ROUNDS; n++) found.push(await measured(gateway, method, params))
    cells.push(show(median(found.map(({ micros }) => micros)), median(found.map(({ calls }) => calls))))
  }
  const first: Array<Awaited<ReturnType<typeof measured>>> = []
  for (let n = 0; n < 20; n++) {
    await using gateway = await ProvingGateway.open([ProvingGateway.today])
    first.push(await measured(gateway, method, params))
  }
  cells.push(show(median(first.map(({ micros }) => micros)), median(first.map(({ calls }) => calls))))
  console.log([name, ...cells].join(" | "))
}
await rm(folder, { recursive: true, force: true })
