/** Describes values and stations of a proof in words. */
import * as TextFormats from "../look/TextFormats.ts"
import type { FoundValue } from "./ProofPath.ts"
import type { WordPart, ProofSubject } from "./ProofSubject.ts"
import * as RlpFields from "./RlpFields.ts"
import type { Station } from "./Station.ts"

/** A value as text, in its main form and in a second form. */
export interface WordedValue {
  readonly main: string
  readonly also: string | undefined
  /** The full value, for copying. */
  readonly whole: string
}

/** Returns the text of a value. */
export const valueOf = (found: FoundValue, subject: ProofSubject): WordedValue => {
  const { absent, bytes, kind } = found
  if (absent) return absence(subject)
  const hex = `0x${Array.from(bytes, TextFormats.digitsOf).join("")}`
  if (subject._tag === "Slot") return wordOf(subject.part === undefined ? bytes : cut(bytes, subject.part))
  const field = subject.field
  if (kind === "list") return { main: TextFormats.count(bytes.length, "byte"), also: undefined, whole: hex }
  if (kind === "bytes") {
    const text = field === "extraData" ? TextFormats.printable(bytes) : undefined
    const isLong = bytes.length > 32
    if (bytes.length === 0) return { main: "empty", also: "0x", whole: "0x" }
    return {
      main: isLong ? TextFormats.count(bytes.length, "byte") : TextFormats.short(hex),
      also: text === undefined ? undefined : `"${text}"`,
      whole: hex
    }
  }
  const number = RlpFields.numberOf(bytes)
  const main = kind === "identifier" ? String(number) : TextFormats.grouped(number)
  if (WEI.has(field))
    return { main: TextFormats.ether(number), also: `${TextFormats.grouped(number)} wei`, whole: String(number) }
  return { main, also: field === "timestamp" ? TextFormats.time(number) : undefined, whole: String(number) }
}

const WEI: ReadonlySet<string> = new Set(["balance", "value"])

const absence = (subject: ProofSubject): WordedValue => {
  switch (subject._tag) {
    case "Slot":
      return { main: "0", also: "the slot was never written", whole: "0" }
    case "Account":
      return { main: "none", also: "there is no such account", whole: "" }
    default:
      return { main: "none", also: "the list has no such item", whole: "" }
  }
}

/** Returns the bytes of a word that a variable occupies. */
const cut = (word: Uint8Array, { bytes, offset }: WordPart): Uint8Array =>
  word.subarray(word.length - offset - bytes, word.length - offset)

/** Formats a word of storage that has no type, or a part of such a word: as a number if it is small, and in hex. */
const wordOf = (bytes: Uint8Array): WordedValue => {
  const hex = `0x${Array.from(bytes, TextFormats.digitsOf).join("")}`
  const number = RlpFields.numberOf(bytes)
  const trimmed = `0x${number.toString(16)}`
  if (number < 2n ** 64n) return { main: TextFormats.grouped(number), also: trimmed, whole: hex }
  return {
    main: TextFormats.short(number < 2n ** 160n ? `0x${number.toString(16).padStart(40, "0")}` : hex),
    also: TextFormats.count(bytes.length, "byte"),
    whole: hex
  }
}

/** Explains a station in one or two sentences. */
export const explain = (station: Station): string => {
  const taken = station.cells[station.taken]
  const name = taken?.name ?? ""
  switch (station.kind) {
    case "header":
      return `A header is a list of ${station.cells.length} fields. Its Keccak-256 is the hash of the block, so the hash fixes every one of them. The line goes on through ${name}.`
    case "branch":
      return taken?.state === "hollow"
        ? `A branch has 16 children. The next digit of the path is ${name}, and child ${name} is empty. So the trie has no entry for this path.`
        : `A branch has 16 children. Each child that is not empty is the hash of a node. The next digit of the path is ${name}, so the proof goes on through child ${name}.`
    case "extension":
      return taken?.state === "hollow"
        ? "An extension leads along several digits at once. These are not the digits of the path, so the trie has no entry for it."
        : "An extension leads along several digits at once: all entries below share them. It holds the hash of the node that follows."
    case "leaf":
      return "A leaf holds the rest of a path, and a value. This path is another one, so the trie has no entry for the one asked for."
    case "account":
      return `A leaf of the state trie holds an account: nonce, balance, the root of its storage, and the hash of its code. The line goes on through ${name}.`
    case "slot":
      return "A leaf of the storage trie holds one word. Zeros at its front are left out, which is why it may be shorter than 32 bytes."
    case "item":
      return `A leaf of this trie holds one item of the block's list, with ${TextFormats.count(station.cells.filter(({ isInRow }) => isInRow).length, "field")}. Its place in the list is the path.`
    case "code":
      return "The code of an account is hashed whole. The account's codeHash names it."
    case "uncles":
      return "The headers of all uncles are one list, which is hashed whole. The header's sha3Uncles names it."
    case "uncle":
      return "The header of an uncle lies inside of the list above, so it has no hash of its own on this line. Break the list to break it."
    case "broken":
      return "These bytes are not a node of a trie, or none came."
  }
}
