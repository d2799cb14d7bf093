/**
 * Calls a contract. The call is run in this page, over state that is proven under the block's header. Where that is not
 * possible, the answer is the node's word.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import type { CallBasis } from "@plumbline/eth-methods/call/CallEngine"
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as Anchor from "@plumbline/verdict/Anchor"
import type * as Evidence from "@plumbline/verdict/Evidence"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import { NetworkClients } from "./NetworkClients.ts"

/** The end of a call. A revert and a halt are results too: a proof covers them as it covers returned bytes. */
export type CallEnd =
  | { readonly _tag: "Returned"; readonly data: Hex.Hex }
  | { readonly _tag: "Reverted"; readonly data: Hex.Hex; readonly reason: string | undefined }
  | { readonly _tag: "Halted"; readonly halt: string }

/** A call that was read. */
export interface CallRead {
  readonly end: CallEnd
  /** The basis of the outcome; undefined if only the node says it. */
  readonly basis: CallBasis | undefined
  /** The anchor of a VERIFIED outcome. */
  readonly anchor: Anchor.Anchor | undefined
  /** The reason why the outcome is not VERIFIED. */
  readonly why: string | undefined
}

/** Returns the basis of a call among the evidence for it; undefined if the call was not run here. */
export const basisOf = (proven: ReadonlyArray<Evidence.Evidence>): CallBasis | undefined =>
  proven.find(EthEvidence.CallRun.is)

/** Calls a contract in the state after a block. Fails with `RefutedError` if the node's state contradicts the block. */
export const read = Effect.fnUntraced(function* (
  request: CallRequest.CallRequest,
  block: BlockParameter.BlockParameter
): Effect.fn.Return<CallRead, JsonRpcError | RefutedError, NetworkClients> {
  const { eth, verdicts } = yield* NetworkClients
  const client = yield* verdicts
  return yield* client.call(request, block).pipe(
    Effect.map(proven),
    Effect.catchTag("UnprovenError", ({ claims }) =>
      Effect.map(
        Effect.catch(
          Effect.map(eth.call(request, block), (data): CallEnd => ({ _tag: "Returned", data })),
          revertOf
        ),
        (end): CallRead => ({ end, basis: undefined, anchor: undefined, why: claims[0]!.reason.sentence })
      )
    )
  )
})

const proven = (verdict: Verdict<CallOutcome>): CallRead => ({
  end: verdict.value,
  basis: basisOf(verdict.proven),
  anchor: verdict._tag === "VERIFIED" ? verdict.anchor : undefined,
  why: verdict._tag === "VERIFIED" ? undefined : verdict.claimed[0]?.reason.sentence
})

/** The code with which nodes answer a call that reverted. */
const REVERTED = 3

/** Returns a revert that a node reports as an error. Fails with any other error. */
const revertOf = (error: JsonRpcError): Effect.Effect<CallEnd, JsonRpcError> => {
  const { reason } = error
  return reason._tag === "RemoteError" && reason.code === REVERTED
    ? Effect.succeed({
        _tag: "Reverted",
        data: typeof reason.data === "string" && Hex.isHex(reason.data) ? reason.data : "0x",
        reason: undefined
      })
    : Effect.fail(error)
}
