/** Runs a call. */
import * as Hex from "@plumbline/codec/hex/Hex"
import type { CallRunOptions, ProvenCall } from "@plumbline/eth-methods/call/CallEngine"
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import * as Effect from "effect/Effect"

import { beyond } from "../rules/callFailures.ts"
import * as Session from "./runSession.ts"

/** Runs the call, and returns its outcome. */
export const callOnce = (
  session: Session.Session,
  request: CallRequest.CallRequest,
  options?: CallRunOptions
): Session.RunEffect<ProvenCall> =>
  Effect.flatMap(Session.prepare(session, request, options), ({ run }) =>
    Effect.flatMap(run(), ({ basis, ended: { outcome } }) => {
      const { returnBytes } = session.bounds
      return returnedBytes(outcome) > returnBytes
        ? Effect.fail(beyond("bytes of return data", returnBytes))
        : Effect.succeed({ outcome, basis })
    })
  )

/** Returns the size of the bytes that a call returned, or reverted with. */
const returnedBytes = (outcome: CallOutcome): number => (outcome._tag === "Halted" ? 0 : Hex.size(outcome.data))
