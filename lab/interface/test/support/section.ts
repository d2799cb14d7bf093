/** Tests one section of the interface: each sentence has a test, and all tests use one service. */
import { layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"

import * as Service from "../../src/service.ts"
import type { Target } from "../../src/target.ts"

class Running extends Context.Service<Running, Target>()("lab/interface/Running") {}

const running = Layer.effect(Running, Service.reach)

/** Declares a test for each sentence. The name of the test is the sentence. */
export const section = (name: string, sentences: Readonly<Record<string, (target: Target) => Promise<void>>>): void =>
  layer(running, { excludeTestServices: true })(name, (it) => {
    for (const [sentence, prove] of Object.entries(sentences)) {
      it.effect(sentence, () =>
        Effect.gen(function* () {
          const target = yield* Running
          yield* Effect.promise(() => prove(target))
        })
      )
    }
  })
