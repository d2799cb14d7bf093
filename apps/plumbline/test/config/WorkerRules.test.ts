/** The mistakes of a configuration with several workers. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"

import * as Configuration from "../../src/config/Configuration.ts"
import * as WorkerSettings from "../../src/workers/WorkerSettings.ts"

const read = (workers: number, network: string) =>
  Configuration.read({
    text: `server: { workers: ${workers} }\nnetworks: { main: ${network} }\n`,
    file: "plumbline.yaml",
    variables: {}
  })

const mistakesOf = (workers: number, network: string): ReadonlyArray<string> => {
  const found = read(workers, network)
  return Result.isSuccess(found) ? [] : found.failure.mistakes.map(({ path, problem }) => `${path} ${problem}`)
}

const checked = "{ upstreams: [{ embedded: history }], integrity: check }"
const budget = (perSecond: number) =>
  `{ chainId: 1, upstreams: [{ url: "http://127.0.0.1:1", requestsPerSecond: ${perSecond} }] }`

describe("several workers", () => {
  it("do not check an embedded node, which one worker does", () => {
    assert.deepStrictEqual(mistakesOf(1, checked), [])
    assert.deepStrictEqual(mistakesOf(2, checked), [
      "networks.main.upstreams[0].embedded cannot be checked with several workers: leave out integrity, or set server.workers to 1"
    ])
    assert.deepStrictEqual(mistakesOf(2, "{ upstreams: [{ embedded: history }] }"), [])
  })

  it("need a node's budget that can be divided", () => {
    assert.deepStrictEqual(mistakesOf(1, budget(2)), [])
    assert.deepStrictEqual(mistakesOf(2, budget(3)), [])
    assert.deepStrictEqual(mistakesOf(2, budget(2)), [
      "networks.main.upstreams[0].requestsPerSecond must be at least 3 with 2 workers, because each process has a share of it"
    ])
  })

  it.effect(
    "refuse a budget too small for them that is read while they run, also if the file then has one worker",
    () =>
      Effect.gen(function* () {
        const settings = Result.getOrThrow(read(1, budget(2))).settings()
        const error = yield* Effect.flip(WorkerSettings.shareOfChanged(settings, 4))
        assert.strictEqual(error.setting, "networks.main.upstreams[0].requestsPerSecond")
        const { networks } = yield* WorkerSettings.shareOfChanged(settings, 1)
        assert.strictEqual(networks[0]!.upstreams[0]!.requestsPerSecond, 2)
      })
  )

  it("keep a node's budget together, whatever it is", () => {
    for (let workers = 2; workers <= 6; workers++) {
      for (let whole = workers + 1; whole < 40; whole++) {
        const settings = Result.getOrThrow(read(workers, budget(whole))).settings()
        const share = WorkerSettings.shareOf(settings, workers).networks[0]!.upstreams[0]!.requestsPerSecond!
        assert.isAtLeast(share, 1)
        assert.isAtMost(share * (workers + 1), whole)
      }
    }
  })
})
