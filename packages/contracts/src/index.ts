/**
 * Reads contracts by their ABI: typed functions, errors and events, over proven or plain clients.
 */
export * as AbiError from "./abi/AbiError.ts"
export * as AbiEvent from "./abi/AbiEvent.ts"
export * as AbiFunction from "./abi/AbiFunction.ts"
export * as AbiJson from "./abi/AbiJson.ts"
export * as AbiParameters from "./abi/AbiParameters.ts"
export * as AbiRevert from "./abi/AbiRevert.ts"
export * as AbiSignature from "./abi/AbiSignature.ts"
export * as AbiText from "./abi/AbiText.ts"
export * as AbiType from "./abi/AbiType.ts"
export * as Contract from "./contract/Contract.ts"
export * as ContractCall from "./contract/ContractCall.ts"
export * as ContractError from "./contract/ContractError.ts"
export * as Erc1155 from "./erc/Erc1155.ts"
export * as Erc20 from "./erc/Erc20.ts"
export * as Erc721 from "./erc/Erc721.ts"
export * as VerdictContract from "./contract/VerdictContract.ts"
