/**
 * The commands `cid/*`: other forms of CIDs, their parts, and the names of bases, codecs and hash functions. They need no
 * node.
 *
 * Source: kubo 0.43 `core/commands/cid.go`; go-cidutil 0.1 `format.go`; the names of go-multicodec 0.10 and
 * go-multihash.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Result from "effect/Result"

import * as Cid from "./Cid.ts"
import * as Multibase from "./multibase.ts"

/** A code of multiformats and its name. */
export interface MultiformatCode {
  readonly code: number
  readonly name: string
}

const codesOf = (entries: ReadonlyArray<readonly [number, string]>): ReadonlyArray<MultiformatCode> =>
  entries.map(([code, name]) => ({ code, name }))

/** The bases of CIDs, by the code point of their letters. */
export const bases: ReadonlyArray<MultiformatCode> = /* @__PURE__ */ codesOf(
  /* @__PURE__ */ Object.entries(Multibase.encoders).map(([name, { prefix }]) => [prefix.codePointAt(0)!, name])
)

/** The codecs of IPLD. A node need not read all of them. */
export const codecs: ReadonlyArray<MultiformatCode> = /* @__PURE__ */ codesOf([
  [0x51, "cbor"],
  [0x55, "raw"],
  [0x70, "dag-pb"],
  [0x71, "dag-cbor"],
  [0x72, "libp2p-key"],
  [0x78, "git-raw"],
  [0x7b, "torrent-info"],
  [0x7c, "torrent-file"],
  [0x80, "blake3-hashseq"],
  [0x81, "leofcoin-block"],
  [0x82, "leofcoin-tx"],
  [0x83, "leofcoin-pr"],
  [0x85, "dag-jose"],
  [0x86, "dag-cose"],
  [0x90, "eth-block"],
  [0x91, "eth-block-list"],
  [0x92, "eth-tx-trie"],
  [0x93, "eth-tx"],
  [0x94, "eth-tx-receipt-trie"],
  [0x95, "eth-tx-receipt"],
  [0x96, "eth-state-trie"],
  [0x97, "eth-account-snapshot"],
  [0x98, "eth-storage-trie"],
  [0x99, "eth-receipt-log-trie"],
  [0x9a, "eth-receipt-log"],
  [0xb0, "bitcoin-block"],
  [0xb1, "bitcoin-tx"],
  [0xb2, "bitcoin-witness-commitment"],
  [0xc0, "zcash-block"],
  [0xc1, "zcash-tx"],
  [0xd0, "stellar-block"],
  [0xd1, "stellar-tx"],
  [0xe0, "decred-block"],
  [0xe1, "decred-tx"],
  [0xf0, "dash-block"],
  [0xf1, "dash-tx"],
  [0xfa, "swarm-manifest"],
  [0xfb, "swarm-feed"],
  [0xfc, "beeson"],
  [0x129, "dag-json"],
  [0x1f0, "swhid-1-snp"],
  [0x200, "json"],
  [0xb403, "rdfc-1"],
  [0xb601, "json-jcs"]
])

/** Codecs that Kubo's commands read or write. */
const SUPPORTED: ReadonlySet<string> = new Set([
  "cbor",
  "dag-cbor",
  "dag-jose",
  "dag-json",
  "dag-pb",
  "git-raw",
  "json",
  "libp2p-key",
  "raw"
])

/** The codecs that Kubo's commands read or write. */
export const supportedCodecs: ReadonlyArray<MultiformatCode> = /* @__PURE__ */ codecs.filter(({ name }) =>
  SUPPORTED.has(name)
)

/** Returns the functions of blake2 with digests from 160 bits to their longest. The code of each follows from its size. */
const blake2 = (kind: "b" | "s", base: number, most: number): ReadonlyArray<readonly [number, string]> =>
  Array.from({ length: most - 19 }, (_, index) => [base + 20 + index, `blake2${kind}-${(20 + index) * 8}`])

/** The hash functions that Kubo accepts in CIDs. */
export const hashes: ReadonlyArray<MultiformatCode> = /* @__PURE__ */ codesOf([
  [0x0, "identity"],
  [0x11, "sha1"],
  [0x12, "sha2-256"],
  [0x13, "sha2-512"],
  [0x14, "sha3-512"],
  [0x15, "sha3-384"],
  [0x16, "sha3-256"],
  [0x17, "sha3-224"],
  [0x19, "shake-256"],
  [0x1a, "keccak-224"],
  [0x1b, "keccak-256"],
  [0x1c, "keccak-384"],
  [0x1d, "keccak-512"],
  [0x1e, "blake3"],
  [0x56, "dbl-sha2-256"],
  .../* @__PURE__ */ blake2("b", 0xb200, 64),
  .../* @__PURE__ */ blake2("s", 0xb240, 32)
])

/** The options of `cid/format`: a form of printf, a version, a codec and a base. */
export interface CidFormatOptions {
  readonly f?: string | undefined
  readonly v?: string | undefined
  readonly mc?: string | undefined
  readonly b?: string | undefined
}

/** A CID in another form, or the reason why it has no such form. */
export interface FormattedCid {
  readonly cid: string
  readonly formatted: string
  readonly error: string
}

/** Maximum length of a form in characters. */
const MAX_FORM = 1024

/**
 * Makes the function that writes texts of CIDs in another form. Fails with a sentence if the options contradict each
 * other.
 *
 * ```ts import.meta.vitest
 * import { CidForms } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const format = Result.getOrThrow(CidForms.formatter({ f: "%P %B" }))
 * format("bafkqaaqha4").formatted // => "cidv1-raw-identity-2 b"
 * format("nothing").error // => "invalid cid: selected encoding not supported"
 * ```
 */
export const formatter = ({
  b = "",
  f = "%s",
  mc = "",
  v = ""
}: CidFormatOptions): Result.Result<(text: string) => FormattedCid, string> => {
  if (f.length > MAX_FORM || !f.includes("%"))
    return Result.fail(`invalid format string: ${JSON.stringify(f.slice(0, 80))}`)
  const bad = /%(?![%bBvVcChHLmMdDsSP])(.?)/su.exec(f.replaceAll(/%[%bBvVcChHLmMdDsSP]/gu, ""))
  if (bad !== null) {
    return Result.fail(
      bad[1] === "" ? "premature end of format string" : `unrecognized specifier in format string: %${bad[1]}`
    )
  }
  const codec = mc === "" ? undefined : codecs.find(({ name }) => name === mc)
  if (mc !== "" && codec === undefined) return Result.fail(`unknown multicodec: ${JSON.stringify(mc.slice(0, 80))}`)
  if (!["", "0", "1"].includes(v)) return Result.fail(`invalid cid version: ${JSON.stringify(v.slice(0, 80))}`)
  if (v === "0" && codec !== undefined && codec.name !== "dag-pb") {
    return Result.fail("cannot convert to CIDv0 with any codec other than dag-pb")
  }
  if (v === "0" && b !== "" && b !== "base58btc") {
    return Result.fail("cannot convert to CIDv0 with any multibase other than the implicit base58btc")
  }
  const base = b === "" ? undefined : Cid.baseOf(b)
  if (b !== "" && base === undefined) return Result.fail(`unsupported multibase encoding: ${b.slice(0, 80)}`)
  const version = v === "0" ? 0 : v === "1" || base !== undefined ? 1 : undefined
  return Result.succeed((text) => {
    const said = (formatted: string, error = ""): FormattedCid => ({ cid: text, formatted, error })
    const parsed = Cid.fromText(text)
    if (Result.isFailure(parsed)) return said("", INVALID)
    const given = parsed.success
    const recoded =
      codec === undefined || codec.code === given.code
        ? given
        : Cid.make(codec.code, given.multihash.code, given.multihash.digest)
    if (version === 0 && recoded.code !== DAG_PB) return said("", "can't convert non-dag-pb nodes to cidv0")
    if (version === 0 && !isV0able(recoded)) return said("", "cannot convert to cidv0: not a sha2-256 of 32 bytes")
    const cid = version === 0 ? recoded.toV0() : version === 1 ? Cid.toV1(recoded) : recoded
    const own =
      cid.version === 0 ? "base58btc" : (Cid.baseOf(String.fromCodePoint(text.codePointAt(0)!)) ?? "base58btc")
    return said(written(cid, f, base ?? own))
  })
}

const INVALID = "invalid cid: selected encoding not supported"

const DAG_PB = 0x70

const isV0able = ({ code, multihash: { code: hash, digest } }: Cid.Cid): boolean =>
  code === DAG_PB && hash === 0x12 && digest.length === 32

const nameOf = (list: ReadonlyArray<MultiformatCode>, code: number): string | undefined =>
  list.find((known) => known.code === code)?.name

const written = (cid: Cid.Cid, form: string, base: Cid.MultibaseName): string => {
  const { prefix } = Multibase.encoders[base]
  const encoded = (bytes: Uint8Array): string => Multibase.encoders[base].encode(bytes)
  const bare = (text: string): string => text.slice(prefix.length)
  const { digest, code: hash, bytes: multihash } = cid.multihash
  const codec = nameOf(codecs, cid.code) ?? `Code(${cid.code})`
  const hashed = nameOf(hashes, hash) ?? `hash?${hash}`
  const parts: Readonly<Record<string, () => string>> = {
    "%": () => "%",
    b: () => base,
    B: () => prefix,
    v: () => `cidv${cid.version}`,
    V: () => String(cid.version),
    c: () => codec,
    C: () => String(cid.code),
    h: () => hashed,
    H: () => String(hash),
    L: () => String(digest.length),
    m: () => encoded(multihash),
    M: () => bare(encoded(multihash)),
    d: () => encoded(digest),
    D: () => bare(encoded(digest)),
    s: () => Cid.toText(cid, base),
    S: () => bare(encoded(cid.bytes)),
    P: () => `cidv${cid.version}-${codec}-${hashed}-${digest.length}`
  }
  return form.replaceAll(/%(.)/gsu, (_, mark: string) => parts[mark]!())
}

/** The parts of a CID, in the form of the command's answer. */
export interface InspectedCid {
  readonly cid: string
  readonly version: number
  readonly multibase: { readonly prefix: string; readonly name: string }
  readonly multicodec: MultiformatCode
  readonly multihash: MultiformatCode & { readonly length: number; readonly digest: string }
  readonly cidV0?: string
  readonly cidV1: string
  readonly errorMsg?: string
}

const NOTHING = { code: 0, name: "" }

/**
 * Returns the parts of a CID. If the text is not a CID, `errorMsg` has the reason.
 *
 * ```ts import.meta.vitest
 * import { CidForms } from "@plumbline/ipfs-client"
 *
 * const { multicodec, multihash } = CidForms.inspect("bafkqaaqha4")
 * multicodec // => { code: 0x55, name: "raw" }
 * multihash.digest // => "0707"
 * ```
 */
export const inspect = (text: string): InspectedCid => {
  const parsed = Cid.fromText(text)
  if (Result.isFailure(parsed)) {
    return {
      cid: text,
      version: 0,
      multibase: { prefix: "", name: "" },
      multicodec: NOTHING,
      multihash: { ...NOTHING, length: 0, digest: "" },
      cidV1: "",
      errorMsg: `invalid CID: ${INVALID}`
    }
  }
  const cid = parsed.success
  const { code, digest } = cid.multihash
  const prefix = cid.version === 0 ? "z" : String.fromCodePoint(text.codePointAt(0)!)
  return {
    cid: text,
    version: cid.version,
    multibase: { prefix, name: Cid.baseOf(prefix) ?? "" },
    multicodec: { code: cid.code, name: nameOf(codecs, cid.code) ?? "unknown" },
    multihash: {
      code,
      name: nameOf(hashes, code) ?? "unknown",
      length: digest.length,
      digest: Hex.fromBytes(digest).slice(2)
    },
    ...(isV0able(cid) ? { cidV0: cid.toV0().toString() } : {}),
    // keys of libp2p are written in base36
    cidV1: Cid.toText(Cid.toV1(cid), cid.code === 0x72 ? "base36" : "base32")
  }
}
