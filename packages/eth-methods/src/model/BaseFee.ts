/**
 * The price of gas in the next block, computed from a header alone.
 *
 * Source: EIP-1559. Chains beside Ethereum have the same field, and often another rule.
 */
import type * as Block from "./Block.ts"

/**
 * Returns the wei per unit of gas in the block after the one with this header, by Ethereum's rule; undefined for a
 * header from before London.
 *
 * ```ts import.meta.vitest
 * import { BaseFee } from "@plumbline/eth-methods"
 *
 * const full = { baseFeePerGas: 1_000_000_000n, gasLimit: 30_000_000n, gasUsed: 30_000_000n }
 * BaseFee.next(full) // => 1_125_000_000n
 * BaseFee.next({ ...full, gasUsed: 0n }) // => 875_000_000n
 * ```
 */
export const next = ({
  baseFeePerGas,
  gasLimit,
  gasUsed
}: Pick<Block.Header, "baseFeePerGas" | "gasLimit" | "gasUsed">): bigint | undefined => {
  const target = gasLimit / 2n
  if (baseFeePerGas === undefined || target === 0n) return undefined
  const change = (baseFeePerGas * (gasUsed - target)) / target / 8n
  return baseFeePerGas + (gasUsed > target && change === 0n ? 1n : change)
}
