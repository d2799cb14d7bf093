/** A wall clock that jumps an hour forward and back. */
import { writeFile } from "node:fs/promises"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { pathToFileURL } from "node:url"

import { Effect } from "effect"

import { call, http, JSON_TYPE } from "../../ask.ts"
import * as Operator from "../../operator.ts"
import { temporaryFolder } from "../../service.ts"
import * as Load from "../checkedLoad.ts"
import * as Judged from "../judged.ts"
import * as Node from "../moodyNode.ts"
import * as Service from "../operatedService.ts"
import type { Scenario } from "../scenario.ts"

const HOUR = 60 * 60 * 1000
const PRELOAD = pathToFileURL(path.join(import.meta.dirname, "../clockPreload.ts")).href

export const clock: Scenario = {
  name: "clock",
  about:
    "The wall clock jumps one hour forward, two hours back, and one hour forward. No call is refused, a key that is revoked after a jump back is refused within a second, and a node that was down is asked again in time.",
  run: Effect.fnUntraced(function* ({ clients, seconds }) {
    const folder = yield* temporaryFolder
    const nodes = yield* Effect.all([Node.start(), Node.start()])
    const file = path.join(folder, "clock")
    yield* Effect.promise(() => writeFile(file, "0"))
    const service = yield* Service.start(folder, Node.networks(nodes), {
      preload: [PRELOAD],
      env: { PLUMBLINE_CHAOS_CLOCK: file }
    })
    return yield* Effect.promise(async () => {
      const questions = await Node.questions()
      const limits = { creditsPerDay: 10 ** 12, creditsPerSecond: 10 ** 9 }
      const load = await Load.start(service, { questions, clients, refusals: /^never$/u, limits })
      const wait = () => setTimeout(seconds * 1000)
      const jump = async (to: number) => {
        await writeFile(file, String(to))
        await setTimeout(200)
      }
      /**
       * Returns the difference between the service's clock and this machine's, from the time that the service writes
       * into a new key.
       */
      const timeOf = async () => {
        const { key } = await Operator.admin(service, "POST", "/projects", { name: "time" })
        return Date.parse(key.createdAt) - Date.now()
      }
      /** Makes a project, uses its key, revokes the key, and waits until the service refuses the key. */
      const revoked = async () => {
        const { key, keyId } = await Operator.makeProject(service, "revoked")
        const ask = () =>
          http(`http://127.0.0.1:${service.port}/v3/${key}`, { headers: JSON_TYPE, body: call("eth_chainId") })
        const first = await ask()
        await Operator.admin(service, "DELETE", `/keys/${keyId}`)
        return first.status === 200 && (await Judged.within(5, async () => (await ask()).status === 401))
      }
      await wait()
      await jump(HOUR)
      const ahead = await timeOf()
      const revokedAhead = await revoked()
      await wait()
      await jump(-HOUR)
      const revokedBehind = await revoked()
      // A node that failed before the clock jumps back must be asked again after its pause, not an hour later.
      nodes[0].mood = "hung"
      await Judged.within(20, async () => (await service.metric("plumbline_upstream_up")) === 0)
      await jump(-2 * HOUR)
      nodes[0].mood = "well"
      const asked = nodes[0].asked()
      const back = await Judged.within(
        20,
        async () => (await service.metric("plumbline_upstream_up")) === 1 && nodes[0].asked() > asked
      )
      await wait()
      await jump(0)
      await wait()
      return Judged.finding(await load.stop(), service, {
        measured: [`the service's clock was ${Math.round(ahead / 60_000)} minutes ahead after the first jump`],
        promises: {
          "the clock did not jump": Math.abs(ahead - HOUR) < 60_000,
          "a revoked key was good after a jump forward": revokedAhead,
          "a revoked key was good after a jump back": revokedBehind,
          "a node that was down before a jump back stayed down": back
        }
      })
    })
  })
}
