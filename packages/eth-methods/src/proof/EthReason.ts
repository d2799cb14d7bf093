/** The reasons why a part of an Ethereum answer is only claimed: the kinds that this package defines. */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Reason from "@plumbline/verdict/Reason"
import type { RefutedError } from "@plumbline/verdict/RefutedError"

import type { CallError } from "../call/CallError.ts"

export * from "./accessListReasons.ts"
export * from "./headerReasons.ts"
export * from "./logReasons.ts"
export * from "./transactionReasons.ts"
export * from "./trustReasons.ts"

/** The node refused to give the proof. */
export const ProofRefused: Reason.ReasonKind<"ProofRefused", { readonly error: JsonRpcError | RefutedError }> =
  /* @__PURE__ */ Reason.kind("ProofRefused", ({ error }) => `the node gives no proof: ${error.message}`)

/** A fact for which this package has no proof at all. */
export const NoProofKnown: Reason.ReasonKind<"NoProofKnown", {}> = /* @__PURE__ */ Reason.kind(
  "NoProofKnown",
  () => "no proof of it is known here; ask for it at the node's word"
)

/** No engine runs calls here. */
export const NoCallEngine: Reason.ReasonKind<"NoCallEngine", {}> = /* @__PURE__ */ Reason.kind(
  "NoCallEngine",
  () => "no engine runs it here: provide the layer of @plumbline/verified-calls, or ask for it at the node's word"
)

/** The engine could not run the call over proven state. */
export const CallNotRun: Reason.ReasonKind<"CallNotRun", { readonly cause: CallError }> = /* @__PURE__ */ Reason.kind(
  "CallNotRun",
  ({ cause }) => cause.message
)
