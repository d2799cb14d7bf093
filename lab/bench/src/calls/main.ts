/**
 * Prints the cost of verified calls beside the same calls unproven: `pnpm lab call-costs`.
 *
 * The node is anvil, with each request delayed as on a slow link. A row is a question to a client that has read
 * nothing (`cold`), the same about the block before (`next block`), other accounts of the same contracts at the block
 * (`same block`), or just this (`again`). viem asks the node, and proves nothing.
 *
 * `waits` counts how often the client waited for the node, `trips` the HTTP requests, `calls` the calls in them, `up`
 * and `down` the bytes of their bodies, without compression. The processor time is that of this process; it and the
 * clock are the least of all rounds, because other work on the machine only adds to them.
 */
import { cpus, loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"

import { artifacts, subjects } from "@plumbline/calls/callWorld"
import * as Nodes from "@plumbline/calls/oracleNodes"
import { PreparedState } from "@plumbline/devnet"
import { CallRequest, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Batching, HttpTransport, Transport } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import { Effect, Layer, Schema } from "effect"
import { bytesToHex, createPublicClient, encodeFunctionData, type Hex, http, parseAbi } from "viem"

import { counting, type Counts } from "../counts/wireCounts.ts"
import { duration } from "../measure/outcomeTable.ts"

const { values } = parseArgs({
  options: {
    /** Milliseconds between a request and its answer, beside the node's own time. */
    delay: { type: "string", default: "50" },
    /** Times that each row is measured. */
    rounds: { type: "string", default: "7" },
    /** Measures only the questions whose names contain this text. */
    only: { type: "string", default: "" }
  }
})
const [delay, rounds] = [Number(values.delay), Number(values.rounds)]

/** One or more calls that a client asks at once. Each drawing reads the same contracts for other accounts. */
interface Question {
  readonly name: string
  readonly calls: (random: Random.Random) => ReadonlyArray<Message>
}

interface Message {
  readonly to: Hex
  readonly data: Hex
}

const abi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function calls(address) view returns (uint256)"
])
const { proxy, token } = PreparedState.contracts

const read =
  ({ address }: { readonly address: Hex }, functionName: "balanceOf" | "calls") =>
  (random: Random.Random): Message => ({
    to: address,
    data: encodeFunctionData({ abi, functionName, args: [bytesToHex(Random.bytes(random, 20))] })
  })
const balance = read(token, "balanceOf")

const many = (count: number, random: Random.Random): ReadonlyArray<Message> =>
  Array.from({ length: count }, () => balance(random))

/** One call that makes others, in the way of Multicall3. */
const aggregate =
  (count: number) =>
  (random: Random.Random): ReadonlyArray<Message> => {
    const messages = many(count, random)
    const args = [messages.map(({ to }) => to), messages.map(({ data }) => data)]
    return [
      {
        to: subjects.Caller,
        data: encodeFunctionData({ abi: artifacts["Caller"]!.abi, functionName: "aggregate", args })
      }
    ]
  }

const questions: ReadonlyArray<Question> = [
  { name: "ERC-20 balance", calls: (random) => [balance(random)] },
  { name: "read through a proxy", calls: (random) => [read(proxy, "calls")(random)] },
  { name: "burst of 10 balances", calls: (random) => many(10, random) },
  { name: "100 balances in one call", calls: aggregate(100) },
  { name: "500 balances in one call", calls: aggregate(500) }
]

/** The figures of one question. Times are in nanoseconds. */
interface Measured {
  readonly counts: Counts
  readonly processor: number
  readonly clock: number
}

const measureAll = async ({ head, hashes, url }: Nodes.Node): Promise<void> => {
  const before = hashes.get(Number(head.number) - 1)!
  const wire = counting(async (body) => {
    await sleep(delay)
    const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
    return new Uint8Array(await answer.arrayBuffer())
  })

  /** A client that has read nothing, and trusts the head's hash. */
  const client = (): Promise<VerdictEthClient.Client> => {
    const calls = VerifiedCalls.make({ chain: Hardforks.always(31_337n, "osaka") })
    return Effect.runPromise(
      Effect.provide(
        VerdictEthClient.VerdictEthClient,
        Layer.provide(VerdictEthClient.layer({ calls }), [
          Transport.through(HttpTransport.layer({ url: "http://node.invalid", fetch: wire.fetch }), Batching.make()),
          TrustedBlock.layerPinned(head.hash as never)
        ])
      )
    )
  }
  const decode = Schema.decodeUnknownSync(CallRequest.CallRequest)
  const proven =
    (asked: VerdictEthClient.Client, calls: ReadonlyArray<Message>, hash: Hex) => async (): Promise<string> => {
      const verdicts = await Effect.runPromise(
        Effect.forEach(calls, (call) => asked.call(decode(call), { blockHash: hash as never }), {
          concurrency: "unbounded"
        })
      )
      return verdicts
        .map((verdict) => {
          if (verdict._tag !== "VERIFIED" || verdict.value._tag !== "Returned") throw new Error("not proven")
          return verdict.value.data
        })
        .join()
    }
  const viem = createPublicClient({
    transport: http("http://node.invalid", { fetchFn: wire.fetch, retryCount: 0, batch: true })
  })
  const plain = (calls: ReadonlyArray<Message>) => async (): Promise<string> => {
    const found = await Promise.all(calls.map((call) => viem.call({ ...call, blockNumber: BigInt(head.number) })))
    return found.map(({ data }) => data).join()
  }

  const measured = async (run: () => Promise<string>, expected: string): Promise<Measured> => {
    const [started, { system, user }] = [performance.now(), process.cpuUsage()]
    const counts = await wire.count(async () => {
      if ((await run()) !== expected) throw new Error("the answers differ")
    })
    const used = process.cpuUsage({ system, user })
    return { counts, processor: (used.system + used.user) * 1e3, clock: (performance.now() - started) * 1e6 }
  }

  const row = (cells: ReadonlyArray<string | number>): void => console.log(`| ${cells.join(" | ")} |`)
  console.log(
    `Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores, delay ${delay} ms\n`
  )
  row(["question", "client", "waits", "trips", "calls", "up", "down", "processor", "clock", "of viem's"])
  row(["---", "---", ...Array.from({ length: 8 }, () => "--:")])
  for (const { calls, name } of questions.filter(({ name }) => name.includes(values.only))) {
    const figures = new Map<string, Array<Measured>>()
    // the first round loads the virtual machine and fills the compiler's caches
    for (let round = 0; round <= rounds; round++) {
      const [asked, others] = [calls(Random.make(round)), calls(Random.make(1000 + round))]
      const expected = await plain(asked)()
      const [cold, next, same] = [await client(), await client(), await client()]
      await proven(next, asked, before)()
      await proven(same, others, head.hash)()
      const runs = {
        viem: plain(asked),
        cold: proven(cold, asked, head.hash),
        "next block": proven(next, asked, head.hash),
        "same block": proven(same, asked, head.hash),
        again: proven(same, asked, head.hash)
      }
      for (const [client, run] of Object.entries(runs)) {
        const found = await measured(run, expected)
        if (round > 0) figures.set(client, [...(figures.get(client) ?? []), found])
      }
    }
    const clockOf = (client: string): number => Math.min(...figures.get(client)!.map(({ clock }) => clock))
    for (const [client, found] of figures) {
      const { calls, down, trips, up, waits } = found.at(-1)!.counts
      const processor = duration(Math.min(...found.map(({ processor }) => processor)))
      const ratio = `${(clockOf(client) / clockOf("viem")).toFixed(2)} x`
      row([name, client, waits, trips, calls, up, down, processor, duration(clockOf(client)), ratio])
    }
  }
}

await Effect.runPromise(Effect.scoped(Effect.flatMap(Nodes.anvil(), (node) => Effect.promise(() => measureAll(node)))))
process.exit()
