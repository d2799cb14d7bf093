/** Finds the access list of a call, by runs of it over proven state, and the gas that the call uses with it. */
import type { CallRunOptions, ProvenCall } from "@plumbline/eth-methods/call/CallEngine"
import { type AccessListOutcome, revertMessage } from "@plumbline/eth-methods/call/CallOutcome"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import type { AccessListItem } from "@plumbline/eth-methods/model/Transaction"
import * as Effect from "effect/Effect"

import type { ReadFailure } from "../state/provenReads.ts"
import * as Session from "./runSession.ts"

/**
 * Runs the call with the list of its last run until the list no longer grows: a call that sees its gas can touch more with
 * a list than without one.
 */
export const listAccess = Effect.fnUntraced(function* (
  session: Session.Session,
  request: CallRequest.CallRequest,
  options?: CallRunOptions
): Effect.fn.Return<ProvenCall<AccessListOutcome>, ReadFailure> {
  const { run } = yield* Session.prepare(session, request, options)
  let { basis, ended } = yield* run()
  for (;;) {
    const { accessList, left, outcome } = ended
    if (left === undefined && outcome._tag === "Halted") return { outcome, basis }
    const next = yield* run({ accessList })
    ;({ basis, ended } = next)
    if (ended.left !== undefined && countOf(ended.accessList) > countOf(accessList)) continue
    const after = ended.outcome
    // with the list, the call can have too little gas to begin
    if (ended.left === undefined && after._tag === "Halted") return { outcome: after, basis }
    return {
      outcome: {
        _tag: "Listed",
        list: {
          accessList,
          gasUsed: after.gasUsed,
          ...(after._tag === "Returned" ? {} : { error: after._tag === "Reverted" ? revertMessage(after) : after.halt })
        }
      },
      basis
    }
  }
})

const countOf = (list: ReadonlyArray<AccessListItem>): number =>
  list.reduce((count, { storageKeys }) => count + 1 + storageKeys.length, 0)
