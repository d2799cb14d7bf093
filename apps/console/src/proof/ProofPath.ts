/**
 * Checks the chain of hashes from the anchor to a value: hashes every part of the evidence, follows the tries, and
 * names the place where the chain breaks.
 *
 * Every call hashes all bytes again, and remembers nothing. A flipped bit is flipped in the bytes themselves, and the
 * value is read only from bytes whose hashes were compared.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as ProofWalk from "@plumbline/merkle-trie/proof/ProofWalk"
import * as Result from "effect/Result"

import type { ProofSubject } from "./ProofSubject.ts"
import * as RlpFields from "./RlpFields.ts"
import { type StationCell, holds, type Station } from "./Station.ts"
import * as StationRows from "./stationRows.ts"
import type * as ValueEvidence from "./ValueEvidence.ts"

/** A bit of a station's bytes that is flipped. Bit 7 is the highest. */
export interface BitFlip {
  readonly station: string
  readonly byte: number
  readonly bit: number
}

/** The place where the chain of hashes breaks. */
export interface PathBreak {
  /**
   * The index of the first station whose check fails. It is the number of stations if all checks hold, but a statement
   * of the node contradicts the value.
   */
  readonly station: number
  /** The failed check, as the packages name it. */
  readonly check: string
  readonly expected: string
  readonly got: string
}

/** The value at the end of the line. `absent` is proven too: the path ends at the place where the entry would be. */
export interface FoundValue {
  readonly bytes: Uint8Array
  readonly absent: boolean
  readonly kind: "number" | "identifier" | "bytes" | "list"
}

/** The line from the anchor to the value. */
export interface ProofPath {
  readonly stations: ReadonlyArray<Station>
  /** The break; undefined if all checks hold. */
  readonly broken: PathBreak | undefined
  /** The value; undefined if a check fails. */
  readonly value: FoundValue | undefined
  /** The number of hashes that were computed and found equal. */
  readonly hashes: number
}

/** Checks the proof of the subject's value. `flips` are the bits to change on purpose. */
export const checkPath = (
  evidence: ValueEvidence.ValueEvidence,
  subject: ProofSubject,
  flips: ReadonlyArray<BitFlip> = []
): ProofPath => {
  const line = new PathChecker(subject)
  let named = Hash32.fromHexUnsafe(evidence.from.toLowerCase())
  let found: FoundValue | undefined
  let headers = evidence.parts.filter(({ _tag }) => _tag === "Header").length
  for (const part of evidence.parts) {
    const reached: Reached | undefined =
      part._tag === "Header"
        ? line.header(part, named, --headers)
        : part._tag === "Trie"
          ? line.trie(part, named)
          : line.whole(part, named)
    if (line.fault !== undefined || reached === undefined) break
    found = reached.found
    if (reached.next === undefined) break
    named = reached.next
  }
  const stations = line.stations.map((station) => withFlips(station, flips))
  const wrong = stations.findIndex((station) => !holds(station))
  const { fault } = line
  const broken =
    fault !== undefined && (wrong < 0 || fault.station <= wrong)
      ? fault
      : wrong < 0
        ? undefined
        : breakAt(stations, wrong)
  const held = broken === undefined ? stations : stations.slice(0, broken.station)
  return {
    stations,
    broken,
    value: broken === undefined ? found : undefined,
    hashes: held.filter(({ named }) => named !== undefined).length
  }
}

/** The value at the end of one part of the proof. If it names the next part by hash, that hash too. */
interface Reached {
  readonly found: FoundValue
  readonly next: Hash32.Hash32 | undefined
}

/** Flips the bits of one station, and hashes its bytes again. */
const withFlips = (station: Station, flips: ReadonlyArray<BitFlip>): Station => {
  const own = flips.filter(({ byte, station: id }) => id === station.id && byte < station.bytes.length)
  if (own.length === 0) return station
  const bytes = station.bytes.slice()
  for (const { bit, byte } of own) bytes[byte]! ^= 1 << bit
  return { ...station, bytes, digest: Keccak256.hashHex(bytes) }
}

const breakAt = (stations: ReadonlyArray<Station>, station: number): PathBreak => {
  const { digest, id, named } = stations[station]!
  return { station, check: checkOf(id), expected: named!, got: digest }
}

/** Returns the name that the packages use for the check. */
const checkOf = (id: string): string => {
  const [kind = ""] = id.split(".")
  return CHECKS[kind] ?? `${kind} proof`
}

const CHECKS: Readonly<Record<string, string>> = {
  header: "header hash",
  account: "state proof",
  slot: "storage proof",
  code: "code hash",
  uncles: "uncles hash",
  item: "list proof"
}

/** Collects the stations, and the first fault of the evidence. */
class PathChecker {
  readonly stations: Array<Station> = []
  fault: PathBreak | undefined
  readonly #subject: ProofSubject

  constructor(subject: ProofSubject) {
    this.#subject = subject
  }

  header(part: ValueEvidence.HeaderPart, named: Hash32.Hash32, back: number): Reached | undefined {
    const fields = RlpFields.read("header", part.bytes) ?? []
    this.#add({
      id: back === 0 ? "header" : `header.${back}`,
      kind: fields.length === 0 ? "broken" : "header",
      title: back === 0 ? "Header" : `Header, ${back} later`,
      subtitle: `${part.bytes.length} bytes, ${fields.length} fields`,
      note: NOTES[part.follow] ?? `holds ${part.follow}`,
      bytes: part.bytes,
      named,
      cells: fields.map((field) => StationRows.cellOf(field, field.name === part.follow))
    })
    const field = fields.find(({ name }) => name === part.follow)
    if (field === undefined)
      return this.#fail("header shape", `a header with ${part.follow}`, `${fields.length} fields`)
    return reachedBy(field, RlpFields.kindOf("header", field))
  }

  trie(part: ValueEvidence.TriePart, root: Hash32.Hash32): Reached | undefined {
    const { outcome, steps } = ProofWalk.walk(Hash32.toBytes(root), part.key, part.nodes)
    const isAbsent = Result.isSuccess(outcome) && outcome.success._tag === "Absent"
    const used = steps.reduce((sum, { digits, kind }) => sum + (kind === "leaf" ? 0 : digits.length), 0)
    const path = { of: part.keyOf, digits: Hex.fromBytes(part.key).slice(2), used }
    for (const [at, step] of steps.entries()) {
      const isLast = at === steps.length - 1
      const ends = isAbsent && isLast
      const cells = StationRows.cellsOf(step, ends)
      const value =
        isLast && Result.isSuccess(outcome) && outcome.success._tag === "Included" ? outcome.success.value : undefined
      const leaf = value === undefined ? undefined : StationRows.leafOf(part, value, step.bytes, this.#subject)
      const { byHash, bytes, inParent } = step
      this.#add({
        id: `${part.trie}.${at + 1}`,
        kind: step.kind,
        title: `${StationRows.NAMES[part.trie]}, node ${at + 1}`,
        subtitle: StationRows.subtitleOf(step, ends),
        note: StationRows.noteOf(step, ends),
        ...leaf,
        bytes,
        named: byHash ? namedIn(root, steps[at - 1], inParent) : undefined,
        cells: leaf === undefined ? cells : [...cells.slice(0, -1).map(StationRows.outOfRow), ...leaf.cells],
        ...(at === 0 ? { path } : {})
      })
    }
    if (Result.isFailure(outcome)) {
      const { failure } = outcome
      const check = checkOf(part.trie)
      if (steps.length === 0) this.#missing(part, root)
      if (failure._tag === "HashMismatch") return this.#fail(check, failure.expected, failure.got)
      if (failure._tag === "MissingNode") return this.#fail(check, failure.expected, "no node")
      return this.#fail(check, "a proof of this path", failure.message)
    }
    if (outcome.success._tag === "Absent") return ABSENT
    const found = foundIn(part, outcome.success.value, this.#subject)
    if (found !== undefined) return found
    return this.#fail(checkOf(part.trie), "a value of this form", Hex.fromBytes(outcome.success.value).slice(0, 100))
  }

  whole({ bytes, what }: ValueEvidence.WholePart, named: Hash32.Hash32): Reached | undefined {
    if (what === "code") {
      const cells: ReadonlyArray<StationCell> = [
        { ...StationRows.WHOLE, name: "code", length: bytes.length, state: "taken" }
      ]
      const subtitle = `${bytes.length} bytes`
      this.#add({ id: "code", kind: "code", title: "Code", subtitle, note: "hashed whole", bytes, named, cells })
      return { found: { bytes, absent: false, kind: "bytes" }, next: undefined }
    }
    const { field: wanted, index } = this.#subject._tag === "Item" ? this.#subject : { field: "", index: 0 }
    const list = RlpFields.items(bytes) ?? []
    this.#add({
      id: "uncles",
      kind: "uncles",
      title: "Uncles",
      subtitle: `${list.length} ${list.length === 1 ? "header" : "headers"}, ${bytes.length} bytes`,
      note: "hashed as one list",
      bytes,
      named,
      cells: list.map((item, i) => ({ ...StationRows.cellOf(item, i === index), name: `uncle ${i}` }))
    })
    const item = list[index]
    if (item === undefined) return ABSENT
    const own = bytes.subarray(item.offset, item.offset + item.head + item.length)
    const fields = RlpFields.read("header", own) ?? []
    this.#add({
      id: "uncle",
      kind: "uncle",
      title: `Uncle ${index}`,
      subtitle: `${own.length} bytes, ${fields.length} fields`,
      note: "inside of the list",
      bytes: own,
      named: undefined,
      cells: fields.map((field) => StationRows.cellOf(field, field.name === wanted))
    })
    if (wanted === "") return { found: { bytes: Keccak256.hash(own), absent: false, kind: "bytes" }, next: undefined }
    const field = fields.find(({ name }) => name === wanted)
    return field === undefined
      ? this.#fail("uncle shape", `a header with ${wanted}`, `${fields.length} fields`)
      : { ...reachedBy(field, RlpFields.kindOf("header", field)), next: undefined }
  }

  /** Adds a station: hashes its bytes, and compares the hash. */
  #add(draft: Omit<Station, "digest" | "taken" | "path" | "namedBy"> & { readonly path?: Station["path"] }): void {
    const digest = Keccak256.hashHex(draft.bytes)
    const taken = draft.cells.findIndex(({ state }) => state === "taken" || state === "hollow")
    const namedBy = this.stations.at(-1)?.title ?? "The anchor"
    this.stations.push({ ...draft, digest, taken, namedBy, path: draft.path })
    if (draft.named !== undefined && draft.named !== digest) this.#fail(checkOf(draft.id), draft.named, digest)
  }

  /** Records a fault at the last station, unless an earlier one is recorded. */
  #fail(check: string, expected: string, got: string): undefined {
    this.fault ??= { station: Math.max(0, this.stations.length - 1), check, expected, got }
  }

  /** Makes the station of a trie for which the node sent no trie nodes. */
  #missing({ trie }: ValueEvidence.TriePart, named: Hash32.Hash32): void {
    const title = `${StationRows.NAMES[trie]}, node 1`
    const station = {
      kind: "broken",
      subtitle: "no bytes",
      note: "",
      bytes: new Uint8Array(),
      cells: [],
      taken: -1
    } as const
    const namedBy = this.stations.at(-1)?.title ?? "The anchor"
    this.stations.push({ ...station, id: `${trie}.1`, title, digest: Keccak256.EMPTY, named, namedBy, path: undefined })
  }
}

const NOTES: Readonly<Record<string, string>> = {
  stateRoot: "holds the root of all state",
  transactionsRoot: "holds the root of its transactions",
  receiptsRoot: "holds the root of its receipts",
  withdrawalsRoot: "holds the root of its withdrawals",
  sha3Uncles: "holds the hash of its uncles",
  parentHash: "names the block before"
}

const ABSENT: Reached = { found: { bytes: new Uint8Array(), absent: true, kind: "bytes" }, next: undefined }

const reachedBy = ({ content, length }: RlpFields.Field, kind: FoundValue["kind"]): Reached => ({
  found: { bytes: content, absent: false, kind },
  next: length === 32 && kind === "bytes" ? Hash32.fromBytesUnsafe(content) : undefined
})

/**
 * Returns the hash that names a trie node: the root for the first node, otherwise 32 bytes of the previous node on the
 * path.
 */
const namedIn = (
  root: Hash32.Hash32,
  parent: ProofWalk.ProofStep | undefined,
  inParent: ProofWalk.ProofStep["inParent"]
) =>
  inParent === null || parent === undefined
    ? root
    : Hash32.fromBytesUnsafe(parent.bytes.subarray(inParent.offset, inParent.offset + inParent.length))

/** Reads the subject's value from the value at the end of a path. */
const foundIn = ({ trie }: ValueEvidence.TriePart, value: Uint8Array, subject: ProofSubject): Reached | undefined => {
  if (trie === "storage") {
    const content =
      value.length === 1 && value[0]! < 0x80 ? value : value[0] === 0x7f + value.length ? value.subarray(1) : undefined
    if (content === undefined || content.length > 32) return undefined
    const word = new Uint8Array(32)
    word.set(content, 32 - content.length)
    return { found: { bytes: word, absent: false, kind: "bytes" }, next: undefined }
  }
  const wanted = StationRows.wantedIn(trie, subject)
  if (wanted === "") return { found: { bytes: Keccak256.hash(value), absent: false, kind: "bytes" }, next: undefined }
  const form = trie === "state" ? "account" : trie
  const field = RlpFields.read(form, value)?.find(({ name }) => name === wanted)
  return field === undefined ? undefined : reachedBy(field, RlpFields.kindOf(form, field))
}
