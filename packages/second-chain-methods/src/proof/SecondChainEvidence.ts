/** The kinds of evidence of proofs about the second chain. */
import * as Evidence from "@plumbline/verdict/Evidence"

import type * as Felt from "../model/Felt.ts"

/** The fields of a transaction give its hash on this chain. `fields` are the hashed fields of the transaction. */
export const TransactionHash: Evidence.EvidenceKind<
  "TransactionHash",
  { readonly fields: ReadonlyArray<string>; readonly hash: Felt.Felt; readonly chainId: Felt.Felt }
> = /* @__PURE__ */ Evidence.kind(
  "TransactionHash",
  ({ chainId, fields, hash }) => `${fields.join(", ")} hash to ${hash} on the chain ${chainId}`
)

/** The address of a new contract follows from the parts of its deployment. */
export const DeployedAddress: Evidence.EvidenceKind<"DeployedAddress", { readonly address: Felt.Felt }> =
  /* @__PURE__ */ Evidence.kind(
    "DeployedAddress",
    ({ address }) => `the address ${address} follows from class_hash, contract_address_salt, constructor_calldata`
  )

/** The known key of the account made the signature. */
export const Signed: Evidence.EvidenceKind<"Signed", { readonly account: Felt.Felt; readonly publicKey: Felt.Felt }> =
  /* @__PURE__ */ Evidence.kind("Signed", ({ account, publicKey }) => `the key ${publicKey} of ${account} signed it`)
