/** A program with a chain. It prints the chain's process id, and runs until it is killed. */
import { Effect } from "effect"

import * as Anvil from "../../src/anvil/Anvil.ts"

const binary = process.argv[2]

const program = Effect.gen(function* () {
  const anvil = yield* Anvil.make({ state: "empty", ...(binary === undefined ? {} : { binary }) })
  console.log(anvil.pid)
  return yield* Effect.never
})

await Effect.runPromise(Effect.scoped(program))
