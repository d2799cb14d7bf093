/**
 * Proofs as CAR files: made from a node, published on IPFS, and read offline against one block hash.
 */
export * as BundleClient from "./BundleClient.ts"
export * as BundleEvidence from "./BundleEvidence.ts"
export * as BundleIpfs from "./BundleIpfs.ts"
export * as BundleReason from "./BundleReason.ts"
export * as NotInBundle from "./NotInBundle.ts"
export * as ProofBundle from "./ProofBundle.ts"
export * as ProvenStorage from "./ProvenStorage.ts"
export { BundleError } from "./BundleError.ts"
export { PublishError } from "./PublishError.ts"
