/**
 * Embedded nodes as Effect layers, which need no installation and no network.
 */
export * as Anvil from "./anvil/Anvil.ts"
export * as AnvilError from "./anvil/AnvilError.ts"
export * as BeaconChain from "./beacon/BeaconChain.ts"
export * as BeaconServer from "./beacon/BeaconServer.ts"
export * as History from "./history/History.ts"
export * as HistoryChain from "./history/HistoryChain.ts"
export { HistoryError } from "./history/HistoryError.ts"
export * as IpfsEmbedded from "./ipfs/IpfsEmbedded.ts"
export * as IpfsFolder from "./ipfs/IpfsFolder.ts"
export { IpfsFolderError } from "./ipfs/IpfsFolderError.ts"
export * as PreparedState from "./anvil/PreparedState.ts"
export * as StarknetPool from "./pool/StarknetPool.ts"
export * as StarknetPoolAccounts from "./pool/StarknetPoolAccounts.ts"
