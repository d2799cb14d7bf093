/**
 * Proves blocks of OP-stack chains from one trusted block of Ethereum: the anchor state, its game and the output root.
 */
export * as ContractLayout from "./contract/ContractLayout.ts"
export * as DisputeGame from "./contract/DisputeGame.ts"
export * as OpStackChain from "./chain/OpStackChain.ts"
export * as OpStackChainError from "./chain/OpStackChainError.ts"
export * as OpStackChains from "./chain/OpStackChains.ts"
export * as OpStackEvidence from "./trust/OpStackEvidence.ts"
export * as OpStackReason from "./trust/OpStackReason.ts"
export * as OpStackTrust from "./trust/OpStackTrust.ts"
export * as OutputRoot from "./contract/OutputRoot.ts"
