/**
 * The products of the service. Allowlists, prices and usage distinguish them.
 */

/**
 * A product: JSON-RPC over HTTP and WebSocket, or the IPFS HTTP API.
 */
export type Product = "rpc" | "ipfs"
