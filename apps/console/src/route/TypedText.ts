/** The form of what a reader types, or writes into an address of the page, with the reason why it is refused. */
import * as ConsoleRoute from "./ConsoleRoute.ts"

/** Returns the reason why a text is not an address; undefined if it is one. */
export const addressProblem = (text: string): string | undefined =>
  ConsoleRoute.isAddress(text)
    ? undefined
    : /^0x[0-9a-f]{40}$/iu.test(text)
      ? `${text} has a wrong EIP-55 checksum: a digit, or the case of a letter, is wrong. Check the address.`
      : `${named(text)} is not an address. An address is 0x and 40 digits in hex.`

/** Returns the reason why a text is not 32 bytes in hex; undefined if it is. */
export const hashProblem = (text: string): string | undefined =>
  ConsoleRoute.isHash(text) ? undefined : `${named(text)} is not a hash. A hash is 0x and 64 digits in hex.`

/** Returns the reason why a text is not a slot or a mapping's key; undefined if it is. */
export const wordProblem = (text: string): string | undefined =>
  slotOf(text) === undefined
    ? `${named(text)} is not a number up to 2^256. Write it in decimal, or in hex after 0x.`
    : undefined

/** Returns the reason why a text is not an API key, or the secret of one; undefined if it has their form. */
export const secretProblem = (text: string, name: string): string | undefined =>
  /^[\w-]{8,128}$/u.test(text)
    ? undefined
    : text === ""
      ? `Enter the ${name}.`
      : `This is not an ${name}, which has 8 to 128 letters, digits, dashes and underscores.`

/** Returns the reason why a text does not name content of IPFS; undefined if it does. */
export const contentProblem = (text: string): string | undefined =>
  ConsoleRoute.contentOf(text) === undefined
    ? `${named(text)} is not a CID, nor a path that begins with one.`
    : undefined

/** Reads a CID without a path; `ipfs://` may stand before it. */
export const cidOf = (text: string): string | undefined => {
  const content = ConsoleRoute.contentOf(text)
  return content?.path?.length === 0 ? content.cid : undefined
}

/** Returns the reason why a text is not a CID without a path; undefined if it is one. */
export const cidProblem = (text: string): string | undefined =>
  cidOf(text) === undefined ? `${named(text)} is not a CID.` : undefined

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
    return cidProblem(kind)
  }
  if (network === "webhooks" && kind !== undefined) return `${named(kind)} is not the name of a webhook.`
  if (first === undefined) return undefined
  switch (kind) {
    case "account":
    case "contract":
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

/** Returns the reason why a text is not a block; undefined if it is one. */
export const blockProblem = (text: string): string | undefined =>
  ConsoleRoute.isBlock(text)
    ? undefined
    : `${named(text)} is not a block. Name its hash, its number in decimal, or a tag.`

const named = (text: string): string => (text === "" ? "The field is empty, which" : text.slice(0, 100))

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
