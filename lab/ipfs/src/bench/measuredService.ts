/**
 * Our service in a separate process, so that only its memory is measured. It reports its URL, and ends with its parent.
 */
import { Effect } from "effect"

import * as Service from "../gatewayService.ts"

const parent = Effect.callback<void>((resume) => {
  process.once("disconnect", () => resume(Effect.void))
})

const program = Effect.gen(function* () {
  const target = yield* Service.start
  process.send?.(target)
  yield* parent
})

await Effect.runPromise(Effect.scoped(program))
