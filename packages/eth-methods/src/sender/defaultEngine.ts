/** Loads the default engine when a sender is first recovered: the curve is 13 kB, which readers of state do not need. */
import * as Effect from "effect/Effect"

import type { RecoveryEngine } from "./recoveryEngine.ts"

let loaded: RecoveryEngine | undefined

/** The default engine. It is loaded once; if that fails, the next read tries again. */
export const standard: Effect.Effect<RecoveryEngine> = /* @__PURE__ */ Effect.suspend(() =>
  loaded === undefined
    ? Effect.map(
        Effect.promise(() => import("./standardEngine.ts")),
        ({ standard }) => (loaded = standard)
      )
    : Effect.succeed(loaded)
)
