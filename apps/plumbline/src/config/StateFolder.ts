import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import * as DataFolder from "../home/DataFolder.ts"
import { UsageError } from "../terminal/UsageError.ts"
import type { ServiceSettings } from "./ServiceSettings.ts"

/** Returns the data folder; undefined if the state is in servers that several processes share. */
export const of = Effect.fnUntraced(function* ({ state }: ServiceSettings, data: Option.Option<string>) {
  if (state._tag === "Folder") {
    return Option.isNone(data) && state.folder !== undefined ? state.folder : yield* DataFolder.resolve(data)
  }
  return Option.isNone(data)
    ? undefined
    : yield* new UsageError({ problem: "--data has no effect with state.postgres: leave it out" })
})
