/** The IPFS node of the service and the projects of its state: removing a project removes its pins. */
import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Accounts } from "@plumbline/gateway"
import { Effect, Layer, Logger, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"

import * as Configuration from "../../../src/config/Configuration.ts"
import * as IpfsService from "../../../src/service/IpfsService.ts"
import * as Upstream from "../../support/IpfsUpstream.ts"
import * as State from "../../support/State.ts"

it.effect("the node lets go of what a project had pinned that is removed", () =>
  Effect.gen(function* () {
    const accounts = yield* Accounts.Accounts
    const [stays, goes] = [yield* State.project(), yield* State.project()]
    const { ipfs: settings } = Result.getOrThrow(
      Configuration.read({ text: "", file: undefined, variables: {} })
    ).settings()
    const ipfs = yield* IpfsService.open(settings, yield* Upstream.folder)
    assert(ipfs !== undefined)
    const nodeOf = (apiKey: Redacted.Redacted) =>
      Effect.map(accounts.lookup(Redacted.value(apiKey)), (holder) => ({
        id: holder!.project.id,
        node: ipfs.options(settings).node(holder!, {})
      }))
    const kept = yield* nodeOf(stays.apiKey)
    const gone = yield* nodeOf(goes.apiKey)
    for (const { id, node } of [kept, gone]) yield* node.blockPut(Buffer.from(id), { pin: true })
    yield* accounts.removeProject(gone.id)
    assert.isAbove(yield* ipfs.projects.stored(gone), 0)
    for (let turn = 0; (yield* ipfs.projects.stored(gone)) > 0; turn++) {
      assert.isBelow(turn, 2000)
      // wait in real time, because the database uses the real clock
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))
      yield* TestClock.adjust("30 seconds")
    }
    assert.isAbove(yield* ipfs.projects.stored(kept), 0)
    // now no project pins the block
    yield* Effect.repeat(ipfs.projects.collect, { until: (blocks) => blocks === 1 })
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.mergeAll(State.memory, NodeServices.layer)),
    Effect.provideService(Logger.CurrentLoggers, new Set())
  )
)
