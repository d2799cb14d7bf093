/**
 * Prints how long calls hold the event loop of the service, run in its own thread and in threads of their own:
 * `node apps/plumbline/scripts/callDelay.ts`. The calls are the longest that the bounds of gas allow.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"

import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as History from "@plumbline/devnet/history/History"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as Integrity from "@plumbline/gateway/integrity/Integrity"
import * as VerifiedCalls from "@plumbline/verified-calls/VerifiedCalls"
import * as Effect from "effect/Effect"

import * as HistoryRules from "../src/rules/HistoryRules.ts"
import * as CallThreads from "../src/service/CallThreads.ts"

/** Code that calls a precompiled contract with the bytes after it: CODECOPY, STATICCALL. */
const calling = (address: string, input: string): string => {
  const size = (input.length / 2).toString(16).padStart(4, "0")
  return `0x61${size}60125f3960205f61${size}5f60${address}5afa00${input}`
}

const point =
  `${"1".padStart(64, "0")}${"2".padStart(64, "0")}` +
  "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2" +
  "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed" +
  "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b" +
  "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa"

const CALLS: ReadonlyArray<readonly [name: string, times: number, data: string]> = [
  ["a pairing of 16 pairs", 1, calling("08", point.repeat(16))],
  // 4.8 MB of memory, which costs nearly all gas
  ["SHA-256 of 4.8 MB", 1, "0x60205f62493e005f60025afa00"],
  ["an endless loop", 1, "0x5b600056"],
  ["sixteen endless loops", 16, "0x5b600056"]
]

const program = Effect.gen(function* () {
  const node = yield* History.make
  const forks = HistoryRules.forks()
  const threads = yield* CallThreads.make({ time: 2000 })
  const trust = yield* Effect.provide(
    TrustedBlock.TrustedBlock,
    TrustedBlock.layerPinned(Hash32.fromHexUnsafe(HistoryChain.head.hash))
  )
  const engines = {
    "in this thread": VerifiedCalls.make({ chain: forks, bounds: { time: 2000 } }),
    "in threads": yield* threads.engine(forks, 10_000)
  }
  for (const [where, calls] of Object.entries(engines)) {
    const { around, members } = yield* Integrity.make([{ name: "history", upstream: node }], {
      network: "history",
      mode: "prove",
      chainId: forks.chainId,
      trust,
      calls
    })
    const upstream = around(members[0]!)
    const call = (data: string) =>
      Effect.exit(upstream.call("eth_call", [{ data }, { blockHash: HistoryChain.head.hash }]))
    // loads the machine
    yield* call("0x00")
    for (const [name, times, data] of CALLS) {
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      const before = process.threadCpuUsage()
      yield* Effect.all(
        Array.from({ length: times }, () => call(data)),
        { concurrency: "unbounded" }
      )
      const { system, user } = process.threadCpuUsage(before)
      delay.disable()
      const [longest, work] = [delay.max / 1e6, (system + user) / 1e3].map((millis) => `${Math.round(millis)} ms`)
      console.log(`${where.padEnd(15)} ${name.padEnd(22)} longest delay ${longest}, work of the loop ${work}`)
    }
  }
})

await Effect.runPromise(Effect.scoped(program))
