/** Recognises what a search text names, while the reader types. */
import * as ConsoleRoute from "./ConsoleRoute.ts"

/** The meaning of a searched text. */
export interface RecognisedText {
  /** A sentence that names the recognised subject. */
  readonly says: string
  /** The place to go to; undefined if the text names no place. */
  readonly place: ConsoleRoute.ConsoleRoute | undefined
}

/** Recognises a hash, a number, a tag, an address, a name and a CID. Hashes and numbers are looked up on `network`. */
export const recognise = (text: string, network: string): RecognisedText => {
  const asked = text.trim()
  const compact = asked.replaceAll(/[,_ ]/gu, "")
  if (asked === "") return { says: "", place: undefined }
  if (ConsoleRoute.isHash(asked)) {
    // if the hash is that of a block, the screen of a transaction leads on to the block's screen
    return {
      says: `A hash of 32 bytes: a transaction or a block of ${network}`,
      place: { _tag: "Transaction", network, hash: asked.toLowerCase() }
    }
  }
  if (ConsoleRoute.isAddress(asked)) {
    return {
      says: `An address: an account of ${network}`,
      place: { _tag: "Account", network, address: asked.toLowerCase(), block: "latest" }
    }
  }
  if (/^\d{1,19}$/u.test(compact)) {
    const block = BigInt(compact).toString()
    return { says: `Block ${block} of ${network}`, place: { _tag: "Block", network, block } }
  }
  if (/^0x(?:0|[1-9a-f][0-9a-f]{0,14})$/iu.test(asked)) {
    const block = BigInt(asked).toString()
    return { says: `Block ${block} of ${network}, written in hex`, place: { _tag: "Block", network, block } }
  }
  if (["latest", "safe", "finalized", "earliest"].includes(asked.toLowerCase())) {
    const block = asked.toLowerCase()
    return { says: `The ${block} block of ${network}`, place: { _tag: "Block", network, block } }
  }
  const content = ConsoleRoute.contentOf(asked)
  if (content !== undefined) {
    if (content.path?.length !== 0) return { says: "A path: content on IPFS", place: content }
    return BUNDLE.test(content.cid)
      ? { says: "A CID of a block: a proof bundle to verify", place: { _tag: "Verify", cid: content.cid } }
      : { says: "A CID: content on IPFS", place: content }
  }
  if (ConsoleRoute.isName(asked)) {
    return {
      says: `A name: the address that it has in ENS on ${network}`,
      place: { _tag: "Name", network, name: asked, block: "latest" }
    }
  }
  if (/^0x[0-9a-f]*$/iu.test(asked)) {
    const digits = asked.length - 2
    const says = digits === 40 ? "An address with a wrong checksum" : `${digits} digits: a hash has 64, an address 40`
    return { says, place: undefined }
  }
  return { says: "Not a hash, a number, an address, a name or a CID", place: undefined }
}

/** The beginning of a bundle's CID: version 1 in Base32, with the codec of Ethereum's blocks and Keccak-256. */
const BUNDLE = /^bagiacg/u
