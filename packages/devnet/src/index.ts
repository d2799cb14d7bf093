/**
 * Embedded nodes as Effect layers: nothing to install, no network.
 */
export * as Anvil from "./Anvil.ts"
export * as AnvilError from "./AnvilError.ts"
export * as History from "./History.ts"
export * as HistoryChain from "./HistoryChain.ts"
export { HistoryError } from "./HistoryError.ts"
export * as IpfsEmbedded from "./IpfsEmbedded.ts"
export { IpfsFolderError } from "./IpfsFolderError.ts"
export * as PreparedState from "./PreparedState.ts"
export * as StarknetPool from "./StarknetPool.ts"
export * as StarknetPoolAccounts from "./StarknetPoolAccounts.ts"
