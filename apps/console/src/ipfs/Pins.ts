/** The pins of the key's project: content that the service keeps. */
import type * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as PageSession from "../chain/PageSession.ts"
import { registry } from "../look/useAtom.ts"
import type { ReadFailure } from "../parts/ReadState.tsx"
import * as IpfsStore from "./IpfsStore.ts"

/** The pins, and whether there are more than the page lists. */
export interface PinList {
  readonly pins: ReadonlyArray<IpfsApi.Pin>
  readonly isCut: boolean
}

/** Maximum number of pins that are listed. */
export const MAX_PINS = 2000

/** The pins; undefined without a key. */
export const list = Atom.make((get) => {
  const access = get(PageSession.access)
  return access === undefined
    ? Effect.succeed(undefined)
    : Effect.gen(function* () {
        const client = yield* IpfsStore.clientOf(access)
        const found = yield* Stream.runCollect(
          Stream.take(client.pinLs({ type: "recursive", names: true }), MAX_PINS + 1)
        )
        const pinned: PinList = { pins: found.slice(0, MAX_PINS), isCut: found.length > MAX_PINS }
        return pinned
      })
})

/** Changes a pin, and reads the list again. Returns the failure, if there is one. */
export const change = async (
  access: PageSession.ProjectAccess,
  work: (client: IpfsStore.AccessClient) => Effect.Effect<unknown, ReadFailure>
): Promise<ReadFailure | undefined> => {
  const done = await Effect.runPromise(Effect.result(Effect.flatMap(IpfsStore.clientOf(access), work)))
  if (Result.isFailure(done)) return done.failure
  registry.refresh(list)
  return undefined
}
