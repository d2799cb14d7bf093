/** Nodes that answer with 429 and `Retry-After`. */
import { setTimeout } from "node:timers/promises"

import { Effect } from "effect"

import { temporaryFolder } from "../../service.ts"
import * as Load from "../checkedLoad.ts"
import * as Judged from "../judged.ts"
import * as Node from "../moodyNode.ts"
import * as Service from "../operatedService.ts"
import type { Scenario } from "../scenario.ts"

export const limiting: Scenario = {
  name: "limiting",
  about:
    "One node answers with 429 and `Retry-After`, then both nodes do. While one node works, no call is refused, and a node is not asked before the end of its pause.",
  run: Effect.fnUntraced(function* ({ clients, seconds }) {
    const folder = yield* temporaryFolder
    const nodes = yield* Effect.all([Node.start(), Node.start()])
    const service = yield* Service.start(folder, Node.networks(nodes))
    return yield* Effect.promise(async () => {
      const questions = await Node.questions()
      const refusals = /^(?:503|WebSocket) -32005 the nodes of this network are over their limits$/u
      const load = await Load.start(service, { questions, clients, refusals })
      const wait = () => setTimeout(seconds * 1000)
      await wait()
      nodes[0].mood = "limiting"
      await setTimeout(500)
      const asked = nodes[0].asked()
      const began = performance.now()
      await wait()
      // Each time the node's pause ends, every one of the concurrent calls may ask the node once.
      const rests = Math.ceil((performance.now() - began) / 1000 / Node.RETRY_AFTER) + 1
      const most = rests * (clients.http + clients.webSocket)
      const askedInRest = nodes[0].asked() - asked
      const refusedWithOne = load.refused()
      nodes[1].mood = "limiting"
      const refused = await Judged.within(10, () => load.refused() > refusedWithOne)
      nodes[0].mood = "well"
      nodes[1].mood = "well"
      const before = load.right()
      const recovered = await Judged.within(10, () => load.right() > before + 10)
      await wait()
      return Judged.finding(await load.stop(), service, {
        measured: [`the limiting node was asked ${askedInRest} times in ${rests - 1} rests`],
        promises: {
          "a call was refused while one node was well": refusedWithOne === 0,
          "a resting node was asked before its time": askedInRest <= most,
          "no call was refused while both were limiting": refused,
          "calls were not answered again after the nodes were well": recovered
        }
      })
    })
  })
}
