/** The form of what a reader types, or writes into an address of the page, with the reason why it is refused. */
import * as Place from "./Place.ts"

/** Returns the reason why a text is not an address; undefined if it is one. */
export const addressProblem = (text: string): string | undefined =>
  Place.isAddress(text)
    ? undefined
    : /^0x[0-9a-f]{40}$/iu.test(text)
      ? `${text} has a wrong EIP-55 checksum: a digit, or the case of a letter, is wrong. Check the address.`
      : `${named(text)} is not an address. An address is 0x and 40 digits in hex.`

/** Returns the reason why a text is not 32 bytes in hex; undefined if it is. */
export const hashProblem = (text: string): string | undefined =>
  Place.isHash(text) ? undefined : `${named(text)} is not a hash. A hash is 0x and 64 digits in hex.`

/** Returns the reason why a text is not a slot or a mapping's key; undefined if it is. */
export const wordProblem = (text: string): string | undefined =>
  slotOf(text) === undefined
    ? `${named(text)} is not a number up to 2^256. Write it in decimal, or in hex after 0x.`
    : undefined

/** Reads a slot: a number, or up to 32 bytes in hex. */
export const slotOf = (text: string): string | undefined => {
  if (!/^(?:0x[0-9a-f]{1,64}|\d{1,78})$/iu.test(text)) return undefined
  const number = BigInt(text)
  return number < 2n ** 256n ? `0x${number.toString(16).padStart(64, "0")}` : undefined
}

/** Returns the reason why a path of the page's address names no screen; undefined if its form gives no reason. */
export const pathProblem = (path: string): string | undefined => {
  const parts = path.split("/").filter((part) => part !== "")
  const [network, kind, first, second, third] = parts.map(decoded)
  if (network === "ipfs" && kind !== undefined && kind !== "commands" && first === undefined) {
    return Place.isCid(kind) ? undefined : `${named(kind)} is not a CID.`
  }
  if (network === "webhooks" && kind !== undefined) return `${named(kind)} is not the name of a webhook.`
  if (first === undefined) return undefined
  switch (kind) {
    case "account":
    case "storage":
      return addressProblem(first) ?? (second === undefined ? undefined : blockProblem(second))
    case "block":
      return blockProblem(first)
    case "tx":
      return hashProblem(first)
    case "proof":
      return (
        blockProblem(first) ??
        (third !== undefined && (second === "account" || second === "slot") ? addressProblem(third) : undefined)
      )
    default:
      return undefined
  }
}

const blockProblem = (text: string): string | undefined =>
  Place.isBlock(text) ? undefined : `${named(text)} is not a block. Name its hash, its number in decimal, or a tag.`

const named = (text: string): string => (text === "" ? "The field is empty, which" : text.slice(0, 100))

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
