/** A chain whose newest blocks are replaced by others, again and again. */
import { setTimeout } from "node:timers/promises"

import { PreparedState } from "@plumbline/devnet"
import { Effect } from "effect"

import { temporaryFolder } from "../../service.ts"
import * as Load from "../checkedLoad.ts"
import * as Heads from "../eventSubscribers.ts"
import * as Judged from "../judged.ts"
import * as Chain from "../liveChain.ts"
import * as Node from "../moodyNode.ts"
import * as Service from "../operatedService.ts"
import type { Scenario } from "../scenario.ts"

/** Maximum number of blocks that are replaced at once. */
const DEEPEST = 4

export const reorganising: Scenario = {
  name: "reorganising",
  about: `Up to ${DEEPEST} of the newest blocks are replaced, again and again. Callers get only blocks of the chain, and subscribers get each new head once, after its parent.`,
  run: Effect.fnUntraced(function* ({ clients, seconds }) {
    const folder = yield* temporaryFolder
    const chain = yield* Chain.start
    const nodes = yield* Effect.all([Node.start(Chain.transport(chain.url)), Node.start(Chain.transport(chain.url))])
    const service = yield* Service.start(folder, Node.networks(nodes, { chainId: PreparedState.chainId }))
    return yield* Effect.promise(async () => {
      for (let block = 0; block < DEEPEST + 1; block++) await chain.mine()
      /** Every block that the chain has had, by its hash. */
      const known = new Set<string>()
      const note = async () => {
        const head = await chain.head()
        for (let number = Math.max(0, head - DEEPEST - 2); number <= head; number++) {
          known.add((await chain.hashAt(number)) ?? "")
        }
      }
      await note()
      const answered = new Set<string>()
      const questions: ReadonlyArray<Load.Question> = [
        {
          method: "eth_getBlockByNumber",
          params: ["latest", false],
          send: () => (result) => {
            answered.add(result.hash)
            return typeof result.hash === "string"
          }
        }
      ]
      const load = await Load.start(service, { questions, clients, refusals: /^never$/u, rest: 10 })
      const subscribers = await Promise.all(
        Array.from({ length: 5 }, async (_, index) =>
          Heads.subscribe(service, await service.project(`subscriber ${index}`), ["newHeads"])
        )
      )
      const end = performance.now() + seconds * 3000
      let replaced = 0
      for (let round = 0; performance.now() < end; round++) {
        if (round % 3 === 2) {
          const depth = 1 + (round % DEEPEST)
          await chain.reorganise(depth)
          replaced += depth
          // The service follows a node even while the new branch is not longer than the old one.
          await note()
        }
        await chain.mine()
        await note()
        await setTimeout(300)
      }
      const head = await chain.head()
      const last = await chain.hashAt(head)
      const arrived = await Judged.within(15, () => subscribers.every(({ events }) => events.at(-1)?.hash === last))
      const outcome = await load.stop()
      let inOrder = true
      for (const { events } of subscribers) {
        const hashes = new Set(events.map(({ hash }) => hash))
        inOrder &&= hashes.size === events.length
        for (const [index, { hash, parentHash }] of events.entries()) {
          inOrder &&= known.has(hash)
          // The parent of each block was sent before the block, or existed before the subscription began.
          const parent = events.findIndex((event) => event.hash === parentHash)
          inOrder &&= parent < index && (parent >= 0 || known.has(parentHash))
        }
      }
      for (const { socket } of subscribers) socket.close()
      return Judged.finding(outcome, service, {
        measured: [`${replaced} blocks replaced; ${subscribers[0]!.events.length} heads for each of 5 subscribers`],
        promises: {
          "a subscriber did not get the last head": arrived,
          "a head came twice, before its parent, or is none of the chain": inOrder,
          "an answered block is none of the chain": [...answered].every((hash) => known.has(hash))
        }
      })
    })
  })
}
