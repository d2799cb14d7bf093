/** Nodes that are killed by SIGKILL and start again: first one by one, then both together. */
import { setTimeout } from "node:timers/promises"

import { Anvil, PreparedState } from "@plumbline/devnet"
import { Effect, Exit, Scope } from "effect"

import { temporaryFolder } from "../../service.ts"
import * as Load from "../checkedLoad.ts"
import * as Judged from "../judged.ts"
import * as Chain from "../liveChain.ts"
import * as Service from "../operatedService.ts"
import type { Scenario } from "../scenario.ts"

/** Starts a node that can be killed, and started again on the same port with the same state. */
const startNode = Effect.gen(function* () {
  const outer = yield* Effect.scope
  const start = (port: number) =>
    Effect.gen(function* () {
      const scope = yield* Scope.fork(outer)
      return { ...(yield* Scope.provide(Anvil.make({ port }), scope)), scope }
    })
  let node = yield* start(0)
  const { port, url } = node
  return {
    url,
    kill: async () => {
      process.kill(node.pid, "SIGKILL")
      await Effect.runPromise(node.exited)
      await Effect.runPromise(Scope.close(node.scope, Exit.void))
    },
    restart: async () => {
      node = await Effect.runPromise(start(port))
    }
  }
})

export const killed: Scenario = {
  name: "killed",
  about:
    "Two nodes are killed and restarted, one after the other, then both at once. While one node works, no call is refused.",
  run: Effect.fnUntraced(function* ({ clients, seconds }) {
    const folder = yield* temporaryFolder
    const nodes = yield* Effect.all([startNode, startNode])
    const [first, second] = nodes
    const service = yield* Service.start(folder, {
      networks: {
        main: {
          chainId: PreparedState.chainId,
          upstreams: nodes.map(({ url }, index) => ({ url, name: `node-${index}` })),
          balance: "weight",
          tryTimeout: "2s",
          timeout: "5s",
          cooldown: "1s"
        }
      }
    })
    return yield* Effect.promise(async () => {
      const questions = await Promise.all(
        PreparedState.accounts.slice(0, 4).map(async ({ address }, index) => {
          const params = [address, `0x${(PreparedState.head.number - index).toString(16)}`]
          return Load.question("eth_getBalance", params, await Chain.ask(first.url, "eth_getBalance", params))
        })
      )
      const refusals = /^(?:502 -32603|504 -32002|503 -32005|WebSocket -32603|WebSocket -32002|WebSocket -32005) /u
      const load = await Load.start(service, { questions, clients, refusals })
      const wait = () => setTimeout(seconds * 1000)
      const up = () => service.metric("plumbline_upstream_up")
      await wait()
      let saw = true
      for (const node of [first, second]) {
        await node.kill()
        await wait()
        saw &&= await Judged.within(10, async () => (await up()) === 0)
        await node.restart()
        saw &&= await Judged.within(20, async () => (await up()) === 1)
      }
      const refusedWithOne = load.refused()
      await Promise.all([first.kill(), second.kill()])
      await wait()
      await Promise.all([first.restart(), second.restart()])
      const before = load.right()
      const recovered = await Judged.within(20, () => load.right() > before + 10)
      await wait()
      return Judged.finding(await load.stop(), service, {
        operator: ["`plumbline_upstream_up` is 0 for a killed node, and 1 again after its return"],
        promises: {
          "a call was refused while one node was well": refusedWithOne === 0,
          "the metric did not show a killed node and its return": saw,
          "calls were not answered again after the nodes were back": recovered
        }
      })
    })
  })
}
