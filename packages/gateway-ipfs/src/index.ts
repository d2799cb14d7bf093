/**
 * IPFS for many projects, as a product of the gateway: the HTTP API, the trustless gateway, pins and quotas.
 */
export * as IpfsProduct from "./IpfsProduct.ts"
export * as IpfsOptions from "./IpfsOptions.ts"
export * as IpfsNodes from "./IpfsNodes.ts"
export * as IpfsProjects from "./IpfsProjects.ts"
