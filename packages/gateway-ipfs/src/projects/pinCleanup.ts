/** Removes the pins of removed projects, and continues the unfinished work of processes that have ended. */
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"

import type { PinLedger } from "./pinLedger.ts"
import type { ProjectPins } from "./projectPins.ts"

/**
 * Returns the given projects that were removed.
 */
export type RemovedPins = (
  projects: ReadonlyArray<string>
) => Effect.Effect<ReadonlyArray<string>, { readonly message: string }>

export const make = (
  ledger: PinLedger,
  pins: ProjectPins,
  removed: RemovedPins | undefined
): Effect.Effect<void, IpfsNodeError> => {
  const forget = Effect.fnUntraced(function* (project: string) {
    let count = 0
    for (const recursive of [true, false]) {
      for (let page = yield* ledger.page(project, recursive, undefined); page.length > 0;) {
        for (const { cid } of page) {
          yield* Effect.catchIf(
            pins.remove({ id: project, limit: 0 }, cid, true),
            // another process has already removed the pin
            ({ reason }) => reason._tag === "PinRefused",
            () => Effect.void
          )
          count++
        }
        page = yield* ledger.page(project, recursive, page.at(-1)!.cid)
      }
    }
    yield* Effect.logInfo(`${count} pins of a project that was removed are let go`)
  })
  const forgetRemoved = Effect.fnUntraced(function* (removed: RemovedPins) {
    for (let page = yield* ledger.projects(undefined); page.length > 0; page = yield* ledger.projects(page.at(-1))) {
      const those = yield* Effect.catch(removed(page), (error) =>
        Effect.as(Effect.logWarning(`it is not known which projects are removed: ${error.message}`), [])
      )
      yield* Effect.forEach(those, forget, { discard: true })
    }
  })
  return removed === undefined ? pins.goOn : Effect.andThen(forgetRemoved(removed), pins.goOn)
}
