/** Loads the default engine when a sender is first recovered: the curve is 9 kB, which readers of state do not need. */
import * as Effect from "effect/Effect"

import type { Engine } from "./noble.ts"

let loaded: Engine | undefined

/** The default engine. It is loaded once; if that fails, the next read tries again. */
export const standard: Effect.Effect<Engine> = /* @__PURE__ */ Effect.suspend(() =>
  loaded === undefined
    ? Effect.map(
        Effect.promise(() => import("./noble.ts")),
        ({ noble }) => (loaded = noble)
      )
    : Effect.succeed(loaded)
)
