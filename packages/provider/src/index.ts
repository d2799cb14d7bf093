/**
 * A proxy in front of a node. It passes on only proven answers. It serves EIP-1193, viem, ethers, web3.js and Effect.
 */
export * as Eip1193Provider from "./eip1193/Eip1193Provider.ts"
export * as Filters from "./node/Filters.ts"
export * as Notice from "./node/Notice.ts"
export * as Policy from "./node/Policy.ts"
export * as ProviderReason from "./node/ProviderReason.ts"
export * as ProviderRpcError from "./eip1193/ProviderRpcError.ts"
export * as ProvingNode from "./node/ProvingNode.ts"
export * as ProvingTransport from "./transport/ProvingTransport.ts"
export * as ProviderRefusal from "./node/ProviderRefusal.ts"
