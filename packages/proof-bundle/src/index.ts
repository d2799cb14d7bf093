/**
 * Proofs as CAR files: made from a node, published on IPFS, and read offline against one block hash.
 */
export * as BundleCall from "./bundle/BundleCall.ts"
export * as BundleClient from "./read/BundleClient.ts"
export * as BundleEvidence from "./bundle/BundleEvidence.ts"
export * as BundleIpfs from "./ipfs/BundleIpfs.ts"
export * as BundleReason from "./bundle/BundleReason.ts"
export * as CallReplay from "./read/CallReplay.ts"
export * as NotInBundleError from "./read/NotInBundleError.ts"
export * as ProofBundle from "./bundle/ProofBundle.ts"
export * as ProvenStorage from "./read/ProvenStorage.ts"
export { BundleError } from "./bundle/BundleError.ts"
export { PublishError } from "./ipfs/PublishError.ts"
