import { assert, it } from "@effect/vitest"
import { SenderRecovery } from "@plumbline/eth-methods"
import { FastRecovery, NativeRecovery } from "@plumbline/secp256k1"
import { Effect, Result } from "effect"

import { start } from "../src/startEngine.ts"
import { isNative } from "./support/engines.ts"

const { noble } = SenderRecovery

const outcome = async (recover: SenderRecovery.RecoveryEngine["recover"]): Promise<string> => {
  const made = await Effect.runPromise(Effect.result(start("test", () => ({ name: "test", recover }))))
  return Result.isFailure(made) ? made.failure.reason : made.success.name
}

it("starts an engine only if it finds a known key, another by the other parity, and none where there is none", async () => {
  assert.strictEqual(await outcome(noble.recover), "test")
  const wrong = "it finds a wrong key"
  assert.strictEqual(await outcome(() => undefined), wrong)
  assert.strictEqual(await outcome(() => new Uint8Array(64)), wrong)
  assert.strictEqual(await outcome((digest, signature) => noble.recover(digest, signature, 0)), wrong)
  const inventing: SenderRecovery.RecoveryEngine["recover"] = (...asked) =>
    noble.recover(...asked) ?? new Uint8Array(64)
  assert.strictEqual(await outcome(inventing), wrong)
  const throwing = (): never => {
    throw new Error("broken")
  }
  assert.strictEqual(await outcome(throwing), wrong)
})

it("names the engine and the reason if it cannot be made", async () => {
  const made = await Effect.runPromise(
    Effect.flip(
      start("test", () => {
        throw new Error("no binary\nat a path")
      })
    )
  )
  assert.strictEqual(made._tag, "RecoveryUnavailableError")
  assert.strictEqual(
    made.message,
    "test does not run here: no binary. Use FastRecovery, which takes another engine then."
  )
})

it("provides its engine by each layer", async () => {
  const name = Effect.map(SenderRecovery.SenderRecovery, (engine) => engine?.name)
  const expected = isNative ? "libsecp256k1, native" : "WebAssembly"
  assert.strictEqual(await Effect.runPromise(Effect.provide(name, FastRecovery.layer())), expected)
  if (isNative) {
    assert.strictEqual(await Effect.runPromise(Effect.provide(name, NativeRecovery.layer())), "libsecp256k1, native")
  }
})
