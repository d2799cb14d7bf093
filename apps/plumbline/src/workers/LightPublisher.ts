/** Sends the state of a light client to the workers: at each change of its heads, and when its nodes or its problem change. */
import type * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

import * as RemoteLightClient from "./RemoteLightClient.ts"
import type { SentLight } from "./WorkerMessages.ts"

/** Time between two looks at the parts of the state that have no stream. */
const LOOK = "5 seconds"

/** Publishes the state of a light client until the scope closes. */
export const publish = (light: LightClient.Client, send: (state: SentLight) => void): Effect.Effect<void> =>
  Effect.suspend(() => {
    let last: SentLight | undefined
    const look = Effect.map(RemoteLightClient.encode(light), (state) => {
      if (last === undefined || !isSame(last, state)) send(state)
      last = state
    })
    const atChange = Effect.ignore(Stream.runForEach(light.changes, () => look))
    return Effect.all([atChange, Effect.repeat(look, Schedule.spaced(LOOK))], { concurrency: 2, discard: true })
  })

/** True if two states say the same. The heads are one object until a head moves. */
const isSame = (one: SentLight, other: SentLight): boolean =>
  one.heads._tag === other.heads._tag &&
  (one.heads._tag === "Refuted" || (other.heads._tag === "Value" && one.heads.value === other.heads.value)) &&
  JSON.stringify([one.nodes, one.fork, one.refuted]) === JSON.stringify([other.nodes, other.fork, other.refuted])
