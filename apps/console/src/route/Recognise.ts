/** Search: says what a text names, while it is typed. */
import * as Place from "./Place.ts"

/** The meaning of a searched text. */
export interface Recognised {
  /** The sentence that says what it was taken for. */
  readonly says: string
  /** The places that the text may name, in the order in which they are tried; empty if it names none. */
  readonly places: ReadonlyArray<Place.Place>
}

/** Recognises a hash, a number, a tag, an address and a CID. `network` is where hashes and numbers are looked up. */
export const recognise = (text: string, network: string): Recognised => {
  const asked = text.trim()
  const compact = asked.replaceAll(/[,_ ]/gu, "")
  if (asked === "") return { says: "", places: [] }
  if (Place.isHash(asked)) {
    const hash = asked.toLowerCase()
    return {
      says: `A hash of 32 bytes: a transaction or a block of ${network}`,
      places: [
        { _tag: "Transaction", network, hash },
        { _tag: "Block", network, block: hash, trust: hash }
      ]
    }
  }
  if (Place.isAddress(asked)) {
    return {
      says: `An address: an account of ${network}`,
      places: [{ _tag: "Account", network, address: asked.toLowerCase(), block: "latest" }]
    }
  }
  if (/^\d{1,19}$/u.test(compact)) {
    const block = BigInt(compact).toString()
    return { says: `Block ${block} of ${network}`, places: [{ _tag: "Block", network, block }] }
  }
  if (/^0x(?:0|[1-9a-f][0-9a-f]{0,14})$/iu.test(asked)) {
    const block = BigInt(asked).toString()
    return { says: `Block ${block} of ${network}, written in hex`, places: [{ _tag: "Block", network, block }] }
  }
  if (["latest", "safe", "finalized", "earliest"].includes(asked.toLowerCase())) {
    const block = asked.toLowerCase()
    return { says: `The ${block} block of ${network}`, places: [{ _tag: "Block", network, block }] }
  }
  if (Place.isCid(asked)) {
    return BUNDLE.test(asked)
      ? { says: "A CID of a block: a proof bundle to verify", places: [{ _tag: "Verify", cid: asked }] }
      : { says: "A CID: content on IPFS", places: [{ _tag: "Ipfs", cid: asked }] }
  }
  if (/^0x[0-9a-f]*$/iu.test(asked)) {
    const digits = asked.length - 2
    return { says: `${digits} digits: a hash has 64, an address 40`, places: [] }
  }
  return { says: "Not a hash, a number, an address or a CID", places: [] }
}

/** A CID of version 1 in Base32, with the codec of Ethereum's blocks and Keccak-256, as bundles have them. */
const BUNDLE = /^bagiacg/u
