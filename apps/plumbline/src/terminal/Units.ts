/** Formats numbers for people. Only percentages are rounded. */

/** `1,234,567` */
export const grouped = (n: bigint): string => n.toString().replaceAll(/\B(?=(?:\d{3})+$)/gu, ",")

/** Writes a word as a number: `1,234,567`, or without commas if it has more than 128 bits, as hashes and texts have. */
export const word = (n: bigint): string => (n < 2n ** 128n ? grouped(n) : n.toString())

/** Formats wei as ETH, exactly: `1.5 ETH`. */
export const ether = (wei: bigint): string => `${decimal(wei, 18)} ETH`

/** Formats wei as gwei, exactly: `1.875 gwei`. */
export const gwei = (wei: bigint): string => `${decimal(wei, 9)} gwei`

/** Writes Unix seconds as `2023-11-14 22:13:20 UTC`, or returns undefined after the year 9999. */
export const utc = (seconds: bigint): string | undefined =>
  seconds <= 253_402_300_799n
    ? `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`
    : undefined

/** Formats a percentage, `12.5 %`. `whole` must not be zero. */
export const percent = (part: bigint, whole: bigint): string => {
  const permille = (part * 1000n) / whole
  return permille === 0n && part > 0n ? "under 0.1 %" : `${Number(permille) / 10} %`
}

/** `1 transaction`, `2 transactions`. */
export const count = (n: number, one: string, many = `${one}s`): string =>
  `${grouped(BigInt(n))} ${n === 1 ? one : many}`

const decimal = (n: bigint, places: number): string => {
  const unit = 10n ** BigInt(places)
  const rest = (n % unit).toString().padStart(places, "0").replace(/0+$/u, "")
  return `${grouped(n / unit)}${rest === "" ? "" : `.${rest}`}`
}
