/** Many subscribers of heads and logs on a live chain. */
import { setTimeout } from "node:timers/promises"

import { PreparedState } from "@plumbline/devnet"
import { Effect } from "effect"

import { temporaryFolder } from "../../service.ts"
import * as Load from "../checkedLoad.ts"
import * as Heads from "../eventSubscribers.ts"
import * as Judged from "../judged.ts"
import * as Chain from "../liveChain.ts"
import * as Service from "../operatedService.ts"
import type { Scenario } from "../scenario.ts"

/** Number of sockets that are opened at a time. */
const AT_ONCE = 25

const token = PreparedState.contracts.token.address
const [from, to] = PreparedState.accounts

/** The data of the call `transfer(to, 1)`. */
const transfer = `0xa9059cbb${to!.address.slice(2).toLowerCase().padStart(64, "0")}${"1".padStart(64, "0")}`

export const subscribers: Scenario = {
  name: "subscribers",
  about:
    "1,000 subscribers of `newHeads` and `logs` on a growing chain (fewer in short runs). Each gets every head or log exactly once and in order, and all sockets are closed with 1001 when the service ends.",
  run: Effect.fnUntraced(function* ({ clients, seconds, subscribers }) {
    const folder = yield* temporaryFolder
    const chain = yield* Chain.start
    const most = subscribers + 1000
    const service = yield* Service.start(folder, {
      networks: { main: { chainId: PreparedState.chainId, upstreams: [{ url: chain.url }] } },
      server: {
        limits: { connections: most, sockets: most, socketsPerProject: most },
        timeouts: { grace: "500ms" }
      }
    })
    return yield* Effect.promise(async () => {
      const project = await service.project("subscribers")
      const params = [from!.address, "0x1"]
      const truth = await Chain.ask(chain.url, "eth_getBalance", params)
      const questions = [Load.question("eth_getBalance", params, truth)]
      const load = await Load.start(service, { questions, clients, refusals: /^never$/u, rest: 50 })
      const all: Array<Heads.Subscriber & { readonly kind: "newHeads" | "logs" }> = []
      let left = subscribers
      const opener = async () => {
        while (left-- > 0) {
          const kind = left % 2 === 0 ? "newHeads" : "logs"
          const asked = kind === "newHeads" ? [kind] : [kind, { address: token }]
          all.push({ ...(await Heads.subscribe(service, project, asked)), kind })
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, opener))
      const first = (await chain.head()) + 1
      const end = performance.now() + seconds * 3000
      while (performance.now() < end) {
        await Chain.ask(chain.url, "eth_sendTransaction", [{ from: from!.address, to: token, data: transfer }])
        await setTimeout(300)
      }
      const head = await chain.head()
      const heads = await Promise.all(
        Array.from({ length: head - first + 1 }, (_, index) => chain.hashAt(first + index))
      )
      const range = { address: token, fromBlock: `0x${first.toString(16)}`, toBlock: `0x${head.toString(16)}` }
      const logs = (await Chain.ask(chain.url, "eth_getLogs", [range])).map(nameOf)
      const expected = { newHeads: heads.join(), logs: logs.join() }
      const said = ({ events, kind }: (typeof all)[number]) =>
        (kind === "newHeads" ? events.map(({ hash }) => hash) : events.map(nameOf)).join()
      const isRight = (one: (typeof all)[number]) => said(one) === expected[one.kind]
      await Judged.within(30, () => all.every(isRight))
      const wrong = all.filter((one) => !isRight(one)).length
      const counted = await service.metric("plumbline_subscriptions")
      const outcome = await load.stop()
      const { code, took } = await service.stop()
      const codes = await Promise.all(all.map(({ closed }) => closed))
      const uncleanly = codes.filter((each) => each !== 1001).length
      return Judged.finding(outcome, service, {
        operator: [`\`plumbline_subscriptions\` is ${counted}`],
        measured: [
          `${all.length} subscribers, ${heads.length} heads and ${logs.length} logs: ${all.reduce((sum, { events }) => sum + events.length, 0)} events`,
          `${codes.length - uncleanly} sockets closed with 1001; the service ended with code ${code} in ${Math.round(took)} ms`
        ],
        promises: {
          [`${wrong} subscribers did not get every event exactly once and in order`]: wrong === 0,
          "the chain has no logs": logs.length > 0,
          "the metric does not show the subscriptions": (counted ?? 0) >= subscribers,
          "a socket was not closed with 1001": uncleanly === 0,
          "the service did not end cleanly": code === 0
        }
      })
    })
  })
}

const nameOf = ({ blockHash, logIndex }: { readonly blockHash: string; readonly logIndex: string }): string =>
  `${blockHash} ${logIndex}`
