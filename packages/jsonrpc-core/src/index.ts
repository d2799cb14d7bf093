/**
 * JSON-RPC 2.0: messages, methods as values, a typed client, a server and transports. Knows no chain.
 */
export * as Dispatcher from "./Dispatcher.ts"
export * as ErrorCode from "./ErrorCode.ts"
export * as ErrorObject from "./ErrorObject.ts"
export * as HttpTransport from "./HttpTransport.ts"
export * as JsonRpcClient from "./JsonRpcClient.ts"
export * as JsonRpcError from "./JsonRpcError.ts"
export * as JsonRpcServer from "./JsonRpcServer.ts"
export * as MemoryTransport from "./MemoryTransport.ts"
export * as Message from "./Message.ts"
export * as Method from "./Method.ts"
export * as MethodGroup from "./MethodGroup.ts"
export * as Transport from "./Transport.ts"
