/**
 * Hex, quantities, RLP and Keccak-256 for Ethereum data: strict, pure and fast.
 *
 * @since 0.1.0
 */
export * as Address from "./value/Address.ts"
export * as BatchHash from "./hash/BatchHash.ts"
export * as Bytes from "./hex/Bytes.ts"
export * as BytesError from "./hex/BytesError.ts"
export * as CheckedText from "./hex/CheckedText.ts"
export * as Hash32 from "./hash/Hash32.ts"
export * as Hex from "./hex/Hex.ts"
export * as HexBatch from "./hex/HexBatch.ts"
export * as HexError from "./hex/HexError.ts"
export * as Keccak256 from "./hash/Keccak256.ts"
export * as Quantity from "./value/Quantity.ts"
export * as QuantityError from "./value/QuantityError.ts"
export * as Rlp from "./rlp/Rlp.ts"
export * as RlpError from "./rlp/RlpError.ts"
export * as RlpTree from "./rlp/RlpTree.ts"
export * as RlpWriter from "./rlp/RlpWriter.ts"
export * as WireObject from "./wire/WireObject.ts"
export * as WordPair from "./hash/WordPair.ts"
