/**
 * Reads contracts by their ABI: typed functions, errors and events, over proven or plain clients.
 */
export * as AbiError from "./abi/AbiError.ts"
export * as AbiFunction from "./abi/AbiFunction.ts"
export * as AbiParameters from "./abi/AbiParameters.ts"
export * as AbiSignature from "./abi/AbiSignature.ts"
export * as AbiText from "./abi/AbiText.ts"
