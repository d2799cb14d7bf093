/** A node that tells each lie of the catalogue, beside an honest one, behind a service that proves. */
import { HistoryChain } from "@plumbline/devnet"
import { Catalogue } from "@plumbline/tamper"
import { Effect } from "effect"

import { temporaryFolder } from "../../service.ts"
import * as Load from "../checkedLoad.ts"
import * as Judged from "../judged.ts"
import * as Node from "../moodyNode.ts"
import * as Service from "../operatedService.ts"
import { full, type Scenario } from "../scenario.ts"

/** A few lies of each kind, for short runs. */
const FEW: ReadonlySet<string> = new Set([
  "balance",
  "storage",
  "receipt-status",
  "chain-id",
  "html",
  "wrong-id",
  "cut"
])

export const lying: Scenario = {
  name: "lying",
  about:
    "The first of two nodes tells each lie of the catalogue in turn, with `integrity: prove`. No caller gets a lie.",
  run: Effect.fnUntraced(function* ({ clients, seconds }) {
    const folder = yield* temporaryFolder
    const nodes = yield* Effect.all([Node.start(), Node.start()])
    const trust = { block: HistoryChain.head.hash }
    const integrity = { integrity: "prove", unprovable: "mark", trust, rest: "100ms" }
    // A cached answer would hide the next lie.
    const cache = { memory: 0, store: 0 }
    const service = yield* Service.start(folder, { ...Node.networks(nodes, integrity), cache })
    return yield* Effect.promise(async () => {
      const questions = await Node.questions()
      const load = await Load.start(service, { questions, clients, refusals: /^never$/u })
      const lies = Catalogue.lies.filter(({ name }) => seconds >= full.seconds || FEW.has(name))
      for (const lie of lies) {
        const before = nodes[0].told()
        nodes[0].mood = { tell: lie }
        // However busy the machine is, the lie is told, unless no call asks for what it changes.
        await Judged.within(2, () => nodes[0].told() > before)
        nodes[0].mood = "well"
        // The gateway may treat the node as down, or set it aside. The next lie is told once the node is asked again.
        const isTrusted = async () =>
          (await service.metric("plumbline_upstream_up")) === 1 &&
          (await service.metric("plumbline_upstream_lying", "most")) === 0
        await Judged.within(10, isTrusted)
      }
      const found = await service.metric("plumbline_upstream_lies_total", "most")
      return Judged.finding(await load.stop(), service, {
        operator: ["`plumbline_upstream_lies_total` counts the lies by node and check"],
        measured: [`${lies.length} lies and connection faults, told ${nodes[0].told()} times`],
        promises: {
          "no lie was told": nodes[0].told() > 0,
          "the metric did not count a lie": (found ?? 0) > 0
        }
      })
    })
  })
}
