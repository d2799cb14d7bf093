/** Computes the fee of a transaction from its receipt. */
import type * as Receipt from "@plumbline/eth-methods/model/Receipt"
import type * as EthTransaction from "@plumbline/eth-methods/model/Transaction"
import type * as Claim from "@plumbline/verdict/Claim"

/** A fee, in wei. */
export interface TransactionFee {
  readonly wei: bigint
  /** The price of a unit of gas, in wei. */
  readonly price: bigint
  /** The part for blobs, in wei (EIP-4844). */
  readonly ofBlobs: bigint
  /** True if each number of the fee is proven, once the receipt is. */
  readonly isProven: boolean
}

/** Returns the fee: gas used times price, and the same for blobs. A deposit of the OP stack pays none. */
export const of = (
  transaction: EthTransaction.KnownTransaction,
  receipt: Receipt.Receipt,
  claimed: ReadonlyArray<Claim.Claim>
): TransactionFee => {
  const { blobGasPrice = 0n, blobGasUsed = 0n, effectiveGasPrice, gasUsed } = receipt
  const price = effectiveGasPrice ?? ("gasPrice" in transaction ? transaction.gasPrice : undefined) ?? 0n
  const ofBlobs = transaction.type === 3n ? blobGasUsed * blobGasPrice : 0n
  const parts = new Set(["gasUsed", "effectiveGasPrice", ...(ofBlobs === 0n ? [] : ["blobGasUsed", "blobGasPrice"])])
  return {
    wei: gasUsed * price + ofBlobs,
    price,
    ofBlobs,
    isProven: !claimed.some(({ about, field }) => about === "Value" || parts.has(field))
  }
}
