/**
 * Hex, quantities, RLP and Keccak-256 for Ethereum data: strict, pure and fast.
 *
 * @since 0.1.0
 */
export * as Address from "./Address.ts"
export * as Bytes from "./Bytes.ts"
export * as BytesError from "./BytesError.ts"
export * as CheckedText from "./CheckedText.ts"
export * as Hash32 from "./Hash32.ts"
export * as Hex from "./Hex.ts"
export * as HexError from "./HexError.ts"
export * as Keccak256 from "./Keccak256.ts"
export * as Quantity from "./Quantity.ts"
export * as QuantityError from "./QuantityError.ts"
export * as Rlp from "./Rlp.ts"
export * as RlpError from "./RlpError.ts"
export * as RlpTree from "./RlpTree.ts"
export * as RlpWriter from "./RlpWriter.ts"
export * as WireObject from "./WireObject.ts"
