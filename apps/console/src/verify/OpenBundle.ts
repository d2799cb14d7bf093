/** Opens a bundle from a file: lists its blocks, checks all of it, and reads the values in it. It needs no network. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"
import * as BundleClient from "@plumbline/proof-bundle/read/BundleClient"
import * as ProvenStorage from "@plumbline/proof-bundle/read/ProvenStorage"
import type * as Layout from "@plumbline/storage-layout/layout/Layout"
import * as ContractStorage from "@plumbline/storage-layout/read/ContractStorage"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as GatherEvidence from "../chain/GatherEvidence.ts"
import { NetworkClients } from "../chain/NetworkClients.ts"
import * as TextFormats from "../look/TextFormats.ts"
import type { PictureBlock } from "../parts/BlockPicture.tsx"
import type { ProofSubject } from "../proof/ProofSubject.ts"
import * as ValueText from "../variables/ValueText.ts"

/** A file that was opened. */
export interface OpenedBundle {
  readonly name: string
  readonly size: number
  /** The block hash that the file names. */
  readonly root: Hash32.Hash32 | undefined
  readonly sections: ReadonlyArray<PictureBlock>
  readonly bundle: Result.Result<ProofBundle.ProofBundle, ProofBundle.BundleError | RefutedError>
}

/** Opens a file. The anchor is the hash that the reader trusts, or else the hash that the file names. */
export const open = (name: string, file: Uint8Array, trusted: Hash32.Hash32 | undefined): OpenedBundle => {
  const claimed = ProofBundle.claimedBlock(file)
  const root = Result.isSuccess(claimed) ? claimed.success : undefined
  const under = trusted ?? root
  const bundle =
    under === undefined
      ? Result.fail(Result.isFailure(claimed) ? claimed.failure : never())
      : ProofBundle.open(file, under)
  return { name, size: file.length, root, sections: sectionsOf(file), bundle }
}

const never = (): never => {
  throw new Error("a file without a root has an error")
}

/** Maximum number of blocks that are drawn. */
const MAX_SECTIONS = 2000

/** Reads as many sections of a CAR as possible, for the drawing. Only `open` verifies them. */
export const sectionsOf = (file: Uint8Array): ReadonlyArray<PictureBlock> => {
  const sections: Array<PictureBlock> = []
  let at = 0
  const size = (): number => {
    let value = 0
    for (let shift = 0; at < file.length && shift < 35; shift += 7) {
      const byte = file[at++]!
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    return Number.NaN
  }
  const head = size()
  if (!(head >= 0)) return sections
  at += head
  while (at < file.length && sections.length < MAX_SECTIONS) {
    const length = size()
    if (!(length > 0) || at + length > file.length) break
    const read = Cid.firstOf(file.subarray(at, at + length))
    at += length
    if (Result.isFailure(read)) break
    const [cid, bytes] = read.success
    sections.push({
      codec: Block.codecs.get(cid.code) ?? "unknown",
      bytes: bytes.length,
      named: Hex.fromBytes(cid.multihash.digest),
      digest: Keccak256.hashHex(bytes)
    })
  }
  return sections
}

/** A value of a bundle. */
export interface BundleRow {
  readonly name: string
  readonly value: string
  readonly type: string
  readonly subject: ProofSubject
}

/**
 * Lists the values that a bundle proves: the fields and slots of its accounts, and, with a layout, their variables by
 * name.
 */
export const rowsOf = Effect.fnUntraced(function* (bundle: ProofBundle.ProofBundle, layout: Layout.Layout | undefined) {
  const verdicts = BundleClient.makeVerdicts(bundle)
  const rows: Array<BundleRow> = []
  for (const address of bundle.accounts) {
    const { balance, nonce } = (yield* verdicts.getProof(address, [])).value
    const account = TextFormats.short(address)
    const of = (field: "balance" | "nonce"): ProofSubject => ({ _tag: "Account", address, field })
    rows.push({ name: `${account} balance`, value: TextFormats.ether(balance), type: "wei", subject: of("balance") })
    rows.push({ name: `${account} nonce`, value: String(nonce), type: "number", subject: of("nonce") })
    if (layout !== undefined) rows.push(...(yield* variables(bundle, address, layout)))
  }
  return rows
})

const variables = Effect.fnUntraced(function* (
  bundle: ProofBundle.ProofBundle,
  address: Address.Address,
  layout: Layout.Layout
) {
  const contract = { address, layout }
  const found = ProvenStorage.find(bundle, contract)
  if (Result.isFailure(found) || found.success.locations.length === 0) return []
  const { locations } = found.success
  const read = yield* ContractStorage.ContractStorage.use((storage) =>
    storage.readMany(
      contract,
      locations.map(({ path }) => path),
      { maxWords: ProvenStorage.MAX_WORDS }
    )
  ).pipe(Effect.provide(BundleClient.layer(bundle)))
  return read.value.variables.flatMap(({ value }, i): ReadonlyArray<BundleRow> => {
    const { bytes, offset, path, slot, type } = locations[i]!
    return [
      {
        name: path,
        value: ValueText.line(value, type, layout),
        type: type.label,
        subject: {
          _tag: "Slot",
          address,
          slot: `0x${slot.toString(16).padStart(64, "0")}`,
          name: path,
          ...(bytes < 32n ? { part: { offset, bytes: Number(bytes) } } : {})
        }
      }
    ]
  })
})

/** Gathers the evidence for a value from the bundle alone. */
export const gather = (bundle: ProofBundle.ProofBundle, subject: ProofSubject, isTrusted: boolean) => {
  const plain = BundleClient.make(bundle)
  // only the header, because a bundle may lack the transactions of its block
  const block = Effect.succeed({ ...bundle.header, hash: bundle.blockHash, transactions: [] })
  const eth = { ...plain, getBlockByHash: () => block as never, getBlockByNumber: () => block as never }
  const trust: TrustedBlock.TrustedBlock["Service"] = {
    resolve: () =>
      isTrusted
        ? Effect.succeed({ _tag: "OnChain", hash: bundle.blockHash, by: "a pinned hash" })
        : Effect.flatMap(TrustedBlock.TrustedBlock, ({ resolve }) => resolve("latest")).pipe(
            Effect.provide(TrustedBlock.layerNone())
          )
  }
  return GatherEvidence.gather(bundle.blockHash, subject).pipe(
    Effect.provideService(NetworkClients, {
      network: {
        name: "bundle",
        chainId: 0,
        open: false,
        lie: null,
        liars: [],
        forks: null,
        beacon: null,
        anchor: null
      },
      eth,
      trust,
      verdicts: Effect.succeed(BundleClient.makeVerdicts(bundle))
    })
  )
}
