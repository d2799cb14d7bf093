/**
 * Proves the addresses, the texts and the content of an ENS name, and the name of an address.
 */
export * as CcipRead from "./offchain/CcipRead.ts"
export type * as OffchainFailure from "./offchain/OffchainFailure.ts"
export * as ContentHash from "./content/ContentHash.ts"
export * as ContentHashError from "./content/ContentHashError.ts"
export * as Ens from "./resolve/Ens.ts"
export * as EnsChain from "./resolve/EnsChain.ts"
export * as EnsError from "./resolve/EnsError.ts"
export * as EnsEvidence from "./resolve/EnsEvidence.ts"
export * as EnsName from "./name/EnsName.ts"
export * as EnsNameError from "./name/EnsNameError.ts"
export * as EnsReason from "./resolve/EnsReason.ts"
