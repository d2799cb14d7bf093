/** Nodes that accept calls and never answer. */
import { setTimeout } from "node:timers/promises"

import { Effect } from "effect"

import { temporaryFolder } from "../../service.ts"
import * as Load from "../checkedLoad.ts"
import * as Judged from "../judged.ts"
import * as Node from "../moodyNode.ts"
import * as Service from "../operatedService.ts"
import type { Scenario } from "../scenario.ts"

export const hung: Scenario = {
  name: "hung",
  about:
    "One node accepts calls and never answers them, then both nodes do this. While one node works, no call is refused.",
  run: Effect.fnUntraced(function* ({ clients, seconds }) {
    const folder = yield* temporaryFolder
    const nodes = yield* Effect.all([Node.start(), Node.start()])
    const service = yield* Service.start(folder, Node.networks(nodes))
    return yield* Effect.promise(async () => {
      const questions = await Node.questions()
      const refusals = /^(?:504|WebSocket) -32002 request timed out$/u
      const load = await Load.start(service, { questions, clients, refusals })
      const wait = () => setTimeout(seconds * 1000)
      await wait()
      nodes[0].mood = "hung"
      const saw = await Judged.within(20, async () => (await service.metric("plumbline_upstream_up")) === 0)
      await wait()
      const refusedWithOne = load.refused()
      nodes[1].mood = "hung"
      await Judged.within(30, () => load.refused() > refusedWithOne)
      nodes[0].mood = "well"
      nodes[1].mood = "well"
      const before = load.right()
      const recovered = await Judged.within(30, () => load.right() > before + 10)
      await wait()
      return Judged.finding(await load.stop(), service, {
        operator: ["`plumbline_upstream_up` is 0 for the hung node"],
        promises: {
          "a call was refused while one node was well": refusedWithOne === 0,
          "the metric did not show the hung node": saw,
          "calls were not answered again after the nodes were well": recovered
        }
      })
    })
  })
}
