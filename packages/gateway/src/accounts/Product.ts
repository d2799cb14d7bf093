/**
 * The products of the service. Allowlists, prices and usage distinguish them.
 */

/**
 * A product: calls to chains, which are JSON-RPC over HTTP and WebSocket and light client data, or the IPFS HTTP API.
 */
export type Product = "rpc" | "ipfs"
