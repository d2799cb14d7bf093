/** A node that falls behind the chain and catches up, beside a node that follows the chain. */
import { setTimeout } from "node:timers/promises"

import { PreparedState } from "@plumbline/devnet"
import { Transport } from "@plumbline/jsonrpc-core"
import { Effect } from "effect"

import { temporaryFolder } from "../../service.ts"
import * as Load from "../checkedLoad.ts"
import * as Judged from "../judged.ts"
import * as Chain from "../liveChain.ts"
import * as Node from "../moodyNode.ts"
import * as Service from "../operatedService.ts"
import type { Scenario } from "../scenario.ts"

/** Returns a node that is `blocks()` blocks behind the given one. */
const behind = (node: Transport.Transport["Service"], blocks: () => number): Transport.Transport["Service"] => {
  const call: Transport.Transport["Service"]["call"] = Effect.fnUntraced(function* (asked) {
    if (blocks() === 0) return yield* node.call(asked)
    const head = Number(yield* node.call({ method: "eth_blockNumber", params: [] })) - blocks()
    const { method, params } = asked
    if (method === "eth_blockNumber") return `0x${head.toString(16)}`
    if (method !== "eth_getBlockByNumber") return yield* node.call(asked)
    if (params[0] === "latest") return yield* node.call({ method, params: [`0x${head.toString(16)}`, params[1]] })
    return Number(params[0]) > head ? null : yield* node.call(asked)
  })
  return { call, callAll: Transport.oneByOne(call) }
}

/** Number of blocks that the node falls behind. */
const LAG = 5

export const lagging: Scenario = {
  name: "lagging",
  about: `The preferred node falls ${LAG} blocks behind a growing chain, again and again. No caller sees an older head than before.`,
  run: Effect.fnUntraced(function* ({ clients, seconds }) {
    const folder = yield* temporaryFolder
    const chain = yield* Chain.start
    let lag = 0
    const true_ = Chain.transport(chain.url)
    const nodes = yield* Effect.all([Node.start(behind(true_, () => lag)), Node.start(true_)])
    const pool = { chainId: PreparedState.chainId, maxLag: 2, watch: "500ms" }
    const service = yield* Service.start(folder, Node.networks(nodes, pool))
    return yield* Effect.promise(async () => {
      for (let block = 0; block <= LAG; block++) await chain.mine()
      let highest = 0
      const seen = new Map<number, string>()
      const head = (numberOf: (result: any) => number) => () => {
        // The highest block in an answer that arrived before this call was sent.
        const least = highest
        return (result: any) => {
          const number = numberOf(result)
          highest = Math.max(highest, number)
          return number >= least
        }
      }
      const questions: ReadonlyArray<Load.Question> = [
        { method: "eth_blockNumber", params: [], send: head(Number) },
        {
          method: "eth_getBlockByNumber",
          params: ["latest", false],
          send: head(({ hash, number }) => {
            seen.set(Number(number), hash)
            return Number(number)
          })
        }
      ]
      const load = await Load.start(service, { questions, clients, refusals: /^never$/u, rest: 10 })
      let behindMost = 0
      const end = performance.now() + seconds * 3000
      for (let round = 0; performance.now() < end; round++) {
        await chain.mine()
        lag = round % 8 < 4 ? 0 : LAG
        await setTimeout(250)
        behindMost = Math.max(behindMost, (await service.metric("plumbline_upstream_behind_blocks", "most")) ?? 0)
      }
      lag = 0
      const outcome = await load.stop()
      const hashes = await Promise.all([...seen].map(async ([number, hash]) => (await chain.hashAt(number)) === hash))
      return Judged.finding(outcome, service, {
        operator: [`\`plumbline_upstream_behind_blocks\` rose to ${behindMost}`],
        measured: [`${seen.size} heads seen, each a block of the chain`],
        promises: {
          "an answered head is not a block of the chain": hashes.every(Boolean),
          "the metric did not show the lag": behindMost >= 3
        }
      })
    })
  })
}
