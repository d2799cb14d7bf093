/** A worker starts only with the settings in which it must agree with its service. */
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"

import * as Configuration from "../../src/config/Configuration.ts"
import * as SettingChanges from "../../src/service/SettingChanges.ts"
import * as WorkerService from "../../src/service/WorkerService.ts"

const settings = (text: string) =>
  Result.getOrThrow(Configuration.read({ text, file: "/plumbline.yaml", variables: {} })).settings()

const TOKEN = "5ec4e7".repeat(8)
const shared = (password: string) =>
  `admin: { token: ${TOKEN} }\nipfs: { node: none }\nstate: { postgres: "postgres://u:${password}@db/p", redis: "redis://db" }`

const cases: ReadonlyArray<readonly [service: string, worker: string, setting: string | undefined]> = [
  ["{}", "{}", undefined],
  ["{}", "limits: { project: { creditsPerSecond: 7 } }", undefined],
  ["{}", shared("s3cret1"), "state"],
  [shared("s3cret1"), shared("s3cret2"), "state"],
  ["{}", "server: { host: 0.0.0.0 }", "server.host"],
  ["{}", "tls: { certificate: a.pem, key: b.pem }", "tls"]
]

for (const [service, worker, setting] of cases) {
  it.effect(`a worker with ${worker} ${setting === undefined ? "joins" : "does not join"} ${service}`, () =>
    Effect.gen(function* () {
      const agreed = SettingChanges.sharedDigests(settings(service))
      const result = yield* Effect.result(WorkerService.agree({ agreed }, settings(worker)))
      assert.strictEqual(Result.isFailure(result) ? result.failure.setting : undefined, setting)
      assert.notInclude(JSON.stringify([agreed, result]), "s3cret")
    })
  )
}
