/**
 * The node access service as Effect layers: API keys, routing, JSON-RPC over HTTP and WebSocket.
 *
 * @since 0.1.0
 */
export * as ApiKeys from "./ApiKeys.ts"
export * as ApiKeysError from "./ApiKeysError.ts"
export * as Authentication from "./Authentication.ts"
export * as Check from "./Check.ts"
export * as Gateway from "./Gateway.ts"
export * as GatewayError from "./GatewayError.ts"
export * as GatewayOptions from "./GatewayOptions.ts"
export * as HttpUpstream from "./HttpUpstream.ts"
export * as Network from "./Network.ts"
export * as Pipeline from "./Pipeline.ts"
export * as Project from "./Project.ts"
export * as Redaction from "./Redaction.ts"
export * as Refusal from "./Refusal.ts"
export * as Routing from "./Routing.ts"
export * as Upstream from "./Upstream.ts"
export * as UpstreamFault from "./UpstreamFault.ts"
