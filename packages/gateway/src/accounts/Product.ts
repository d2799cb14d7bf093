/**
 * The products of the service. Allowlists, prices and usage distinguish them.
 *
 * @since 0.1.0
 */

/**
 * A product: JSON-RPC over HTTP and WebSocket, or the IPFS HTTP API.
 *
 * @since 0.1.0
 */
export type Product = "rpc" | "ipfs"
