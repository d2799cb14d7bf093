/** The reasons for which an answer of the door is only claimed, besides those of the Ethereum proofs. */
import * as Reason from "@plumbline/verdict/Reason"

/** No proof of this method's answers is known here. */
export const NodesWord: Reason.Kind<"NodesWord", { readonly method: string }> = /* @__PURE__ */ Reason.kind(
  "NodesWord",
  ({ method }) => `${method} is answered by the node's word; no proof of it is known here`
)

/** The hash is the sent transaction's own; that the node took the transaction is its word. */
export const Accepted: Reason.Kind<"Accepted", {}> = /* @__PURE__ */ Reason.kind(
  "Accepted",
  () => "the hash is the transaction's own; that the node accepted the transaction is its word"
)

/** The node names the chain that the door was configured for. */
export const Configured: Reason.Kind<"Configured", { readonly chainId: bigint }> = /* @__PURE__ */ Reason.kind(
  "Configured",
  ({ chainId }) => `the node says that it serves chain ${chainId}, as configured`
)
