/**
 * The record of a light client's trust, as bytes: 50 to 80 kB for a committee of 512.
 *
 * | bytes         | meaning                                                                             |
 * | ------------- | ----------------------------------------------------------------------------------- |
 * | 8             | `PLUMBLC` and the form: 3, or 2, which has no bits of the seats that signed         |
 * | 32            | the SHA-256 of all that follows                                                     |
 * | 4             | the length of the JSON that follows, little endian                                  |
 * | that many     | JSON: network, checkpoint, times, both heads with their signatures, maxima of signers |
 * | 48 x 513      | the committee of the finalized head's period, as SSZ                                |
 * | 48 x 513 or 0 | the committee of the next period, as SSZ, if it is known                            |
 * | the rest      | the best update, as SSZ, since the finalized head last moved, if there is one       |
 *
 * The digest detects damage, but not forgery: a program that can write to the store decides what is trusted.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Result from "effect/Result"

import * as Codec from "../container/Codec.ts"
import * as types from "../container/containerTypes.ts"
import type * as Form from "../container/Form.ts"
import * as SyncCommittee from "../container/SyncCommittee.ts"
import type * as Update from "../container/Update.ts"
import * as WrittenForm from "../container/writtenForm.ts"
import type * as Network from "../network/Network.ts"
import * as headerCheck from "../verify/headerCheck.ts"
import type * as LightClientStore from "../verify/LightClientStore.ts"
import { RecordError } from "./RecordError.ts"
import * as TrustRecordJson from "./trustRecordJson.ts"

/** Maximum number of bytes that a store reads as a record. */
export const MAX_BYTES: number = 16 * 1024 * 1024

/** The trust of a light client at one time. */
export interface TrustRecord {
  /** The root of the beacon block from which the light client started. */
  readonly checkpoint: Hash32.Hash32
  /** The time at which the light client first started from the checkpoint, in milliseconds since 1970. */
  readonly givenAt: number
  /** The time at which the finalized head last moved, in milliseconds since 1970. */
  readonly advancedAt: number
  readonly store: LightClientStore.LightClientStore
}

const NAME = /* @__PURE__ */ new TextEncoder().encode("PLUMBLC")

/** The form that is written. */
const FORM = 3

/** The previous form, which is read too. For each head, it has only the number of signers, not their seats. */
const WITHOUT_POSITIONS = 2

const DIGEST = 32
const LENGTH = 4
const HEAD = 8
const START = HEAD + DIGEST

/** Returns the bytes of a record. */
export const encode = (record: TrustRecord, network: Network.Network): Uint8Array => {
  const { advancedAt, checkpoint, givenAt, store } = record
  const { bestUpdate, currentSyncCommittee, finalized, nextSyncCommittee, optimistic } = store
  const text = TrustRecordJson.encode({
    network: network.name,
    genesisValidatorsRoot: network.genesisValidatorsRoot,
    checkpoint,
    givenAt,
    advancedAt,
    finalized: headOf(finalized, network),
    optimistic: headOf(optimistic, network),
    previousMaxParticipants: store.previousMaxParticipants,
    currentMaxParticipants: store.currentMaxParticipants,
    hasNext: nextSyncCommittee !== undefined,
    ...(bestUpdate === undefined ? {} : { best: WrittenForm.familyOfUpdate(bestUpdate) })
  })
  const length = new Uint8Array(LENGTH)
  new DataView(length.buffer).setUint32(0, text.length, true)
  const form = formOf("altair", network)
  const committees = [currentSyncCommittee, ...(nextSyncCommittee === undefined ? [] : [nextSyncCommittee])]
  const rest = Bytes.join([
    length,
    text,
    ...committees.map((one) => Codec.syncCommittee.encode(one, form)),
    ...(bestUpdate === undefined ? [] : [encodeUpdate(bestUpdate, network)])
  ])
  return Bytes.join([NAME, Uint8Array.of(FORM), sha256(rest), rest])
}

/**
 * Reads the bytes of a record.
 *
 * A record of form 2 is read too: its heads do not say which seats signed. Fails with `RecordError`: `OtherChain` if the
 * record is of another beacon chain; `Damaged` if the bytes are damaged or of another form, or if heads contradict
 * themselves or each other.
 */
export const decode = (bytes: Uint8Array, network: Network.Network): Result.Result<TrustRecord, RecordError> =>
  Result.mapError(
    read(bytes, network),
    ({ expected, got, problem }) => new RecordError({ network: network.name, problem, expected, got })
  )

/** A fault of a record. */
type Fault = Pick<RecordError, "problem" | "expected" | "got">

const read = (bytes: Uint8Array, network: Network.Network): Result.Result<TrustRecord, Fault> =>
  Result.gen(function* () {
    yield* must(bytes.length <= MAX_BYTES, `at most ${MAX_BYTES} bytes`, `${bytes.length} bytes`)
    const form = Bytes.equals(bytes.subarray(0, NAME.length), NAME) ? bytes[NAME.length] : undefined
    const found = form === undefined ? "other bytes" : `one of form ${form}`
    yield* must(form === WITHOUT_POSITIONS || form === FORM, "a record of form 2 or 3", found)
    const rest = bytes.subarray(START)
    const isWhole = Bytes.equals(bytes.subarray(HEAD, START), sha256(rest))
    yield* must(isWhole && rest.length >= LENGTH, "a whole record", "a damaged one")
    const length = new DataView(rest.buffer, rest.byteOffset, LENGTH).getUint32(0, true)
    const meta = TrustRecordJson.decode(rest.subarray(LENGTH, LENGTH + length))
    if (meta === undefined) return yield* refused(`JSON of form ${form}`, "something else")
    const { genesisValidatorsRoot, name } = network
    const chain = chainOf({ network: name, genesisValidatorsRoot })
    yield* must(chainOf(meta) === chain, chain, chainOf(meta), "OtherChain")
    const finalized = yield* readHead(meta.finalized, network)
    const optimistic = yield* readHead(meta.optimistic, network)
    const isOrdered = finalized.header.beacon.slot <= optimistic.header.beacon.slot
    yield* must(isOrdered, "an optimistic head that is not older", "an older one")
    const parts = rest.subarray(LENGTH + length)
    const size = (network.syncCommitteeSize + 1) * KEY
    const end = meta.hasNext ? 2 * size : size
    const bestUpdate = yield* readUpdate(meta.best, parts.slice(end), network)
    return {
      checkpoint: meta.checkpoint,
      givenAt: meta.givenAt,
      advancedAt: meta.advancedAt,
      store: {
        finalized,
        optimistic,
        currentSyncCommittee: yield* readCommittee(parts.slice(0, size), network),
        nextSyncCommittee: meta.hasNext ? yield* readCommittee(parts.slice(size, end), network) : undefined,
        bestUpdate,
        previousMaxParticipants: meta.previousMaxParticipants,
        currentMaxParticipants: meta.currentMaxParticipants
      }
    }
  })

/** The name of a beacon chain, with the root that tells it from a chain of the same name. */
const chainOf = (of: { readonly network: string; readonly genesisValidatorsRoot: string }): string =>
  `${of.network} of genesis validators root ${of.genesisValidatorsRoot.toLowerCase()}`

const refused = (expected: string, got: string, problem: Fault["problem"] = "Damaged"): Result.Result<never, Fault> =>
  Result.fail({ problem, expected, got })

const must = (holds: boolean, ...fault: Parameters<typeof refused>): Result.Result<void, Fault> =>
  holds ? Result.succeed(undefined) : refused(...fault)

const headOf = (
  { header, support }: LightClientStore.SupportedHeader,
  network: Network.Network
): TrustRecordJson.RecordedHead => {
  const fork = WrittenForm.familyOfHeader(header)
  return { fork, header: Codec.header.toJson(header, formOf(fork, network)), support }
}

/** Writes the update, with zeros for its missing parts, as the protocol does. */
const encodeUpdate = (update: Update.AnyUpdate, network: Network.Network): Uint8Array => {
  const type = types.update(WrittenForm.familyOfUpdate(update), network.syncCommitteeSize)
  return type.encode({ ...type.zero, ...update })
}

/** Reads the best update. Its signature was checked when it was received; its signed header is checked again. */
const readUpdate = (
  family: Form.ForkFamily | undefined,
  bytes: Uint8Array,
  network: Network.Network
): Result.Result<Update.AnyUpdate | undefined, Fault> =>
  Result.gen(function* () {
    if (family === undefined) {
      yield* must(bytes.length === 0, "no further bytes", `${bytes.length} bytes`)
      return undefined
    }
    const update = yield* asStore(Codec.update.decode(bytes, formOf(family, network)))
    const refusal = headerCheck.refusalOf(network, update.attestedHeader, "best update")
    return refusal === undefined ? update : yield* asStore(Result.fail(refusal))
  })

const readHead = (
  { fork, header, support }: TrustRecordJson.RecordedHead,
  network: Network.Network
): Result.Result<LightClientStore.SupportedHeader, Fault> =>
  Result.gen(function* () {
    const read = yield* asStore(Codec.header.fromJson(header, formOf(fork, network)))
    const refusal = headerCheck.refusalOf(network, read, "header")
    if (refusal !== undefined) return yield* asStore(Result.fail(refusal))
    if (support._tag === "Checkpoint") return { header: read, support }
    const { bits, of, signed } = support
    const size = network.syncCommitteeSize
    yield* must(of === size && signed <= size, `signatures of at most ${size} members`, `${signed} of ${of}`)
    if (bits !== undefined) {
      const seats = 8 * Hex.size(bits)
      const counted = `${SyncCommittee.signers({ syncCommitteeBits: bits }).length} of ${seats}`
      yield* must(counted === `${signed} of ${size}`, `${signed} of ${size} seats`, counted)
    }
    return { header: read, support: { ...support, bits } }
  })

const readCommittee = (
  bytes: Uint8Array,
  network: Network.Network
): Result.Result<SyncCommittee.SyncCommittee, Fault> =>
  asStore(Codec.syncCommittee.decode(bytes, formOf("altair", network)))

/** The bytes of a compressed key. */
const KEY = 48

const formOf = (
  fork: TrustRecordJson.RecordedHead["fork"],
  { syncCommitteeSize }: Network.Network
): Form.ContainerForm => ({
  fork,
  syncCommitteeSize
})

/** Blames the store in the refusal: these bytes came from the store, not from a node. */
const asStore = <A>(result: Result.Result<A, RefutedError>): Result.Result<A, Fault> =>
  Result.mapError(result, ({ check, expected, got, subject }) => ({
    problem: "Damaged",
    expected: `${subject}: ${check}: ${expected}`,
    got
  }))
