/** Subjects of proofs: the values that the microscope can prove from a block. */
import * as Address from "@plumbline/codec/value/Address"

/** A value of one block. */
export type ProofSubject =
  /** A field of the header. */
  | { readonly _tag: "Header"; readonly field: string }
  /** A field of an account, or its code. */
  | { readonly _tag: "Account"; readonly address: string; readonly field: AccountField }
  /** A slot of an account's storage; `name` is the path of a variable, if a layout gave one. */
  | {
      readonly _tag: "Slot"
      readonly address: string
      readonly slot: string
      readonly name?: string | undefined
      /** The bytes of the word that the variable occupies. */
      readonly part?: WordPart | undefined
      /** All variables that share the word, if a layout gave them. Links do not hold them. */
      readonly shares?: ReadonlyArray<NamedPart> | undefined
    }
  /** A field of an item of a list: `index` is the place in the list. An empty field is the whole item. */
  | { readonly _tag: "Item"; readonly list: SubjectList; readonly index: number; readonly field: string }

/** A part of a word: `bytes` bytes, starting `offset` bytes from the low-order end. */
export interface WordPart {
  readonly offset: number
  readonly bytes: number
}

/** A part of a word that has a name. */
export interface NamedPart extends WordPart {
  readonly path: string
}

/** The lists of a block that a root or a hash of the header proves. */
export type SubjectList = "transactions" | "receipts" | "uncles" | "withdrawals"

/** The fields of an account, and its `code`, which hashes to `codeHash`. */
export type AccountField = "nonce" | "balance" | "storageRoot" | "codeHash" | "code"

const ACCOUNT: ReadonlySet<string> = new Set(["nonce", "balance", "storageRoot", "codeHash", "code"])
const LISTS: ReadonlySet<string> = new Set(["transactions", "receipts", "uncles", "withdrawals"])

/** Returns the parts of the path that names the subject in a link. */
export const toPath = (subject: ProofSubject): ReadonlyArray<string> => {
  switch (subject._tag) {
    case "Header":
      return ["header", subject.field]
    case "Account":
      return ["account", subject.address, subject.field]
    case "Slot":
      return ["slot", subject.address, subject.slot, ...namesOf(subject)]
    case "Item":
      return [subject.list, String(subject.index), ...(subject.field === "" ? [] : [subject.field])]
  }
}

/**
 * Returns the name of a variable, and its range if it does not fill its word: `20:8` is 8 bytes, 20 bytes from the
 * low-order end.
 */
const namesOf = ({ name, part }: Extract<ProofSubject, { readonly _tag: "Slot" }>): ReadonlyArray<string> =>
  name === undefined ? [] : part === undefined ? [name] : [name, `${part.offset}:${part.bytes}`]

const partOf = (text: string): WordPart | undefined => {
  const [, offset = "", bytes = ""] = /^(\d{1,2}):(\d{1,2})$/u.exec(text) ?? []
  const part = { offset: Number(offset), bytes: Number(bytes) }
  return offset !== "" && part.bytes > 0 && part.offset + part.bytes <= 32 ? part : undefined
}

/** Reads the subject from the parts of a link's path; undefined if they name no value. */
export const fromPath = ([kind, first = "", second = "", third, ...rest]: ReadonlyArray<string>):
  | ProofSubject
  | undefined => {
  const [span, ...more] = rest
  if (kind === undefined || more.length > 0 || (span !== undefined && kind !== "slot")) return undefined
  if (kind === "header") return isName(first) && second === "" ? { _tag: "Header", field: first } : undefined
  if (kind === "account") {
    if (!isAddress(first) || third !== undefined || !ACCOUNT.has(second)) return undefined
    return { _tag: "Account", address: first.toLowerCase(), field: second as AccountField }
  }
  if (kind === "slot") {
    if (!isAddress(first) || !/^0x[0-9a-f]{1,64}$/iu.test(second)) return undefined
    const slot = `0x${second.slice(2).toLowerCase().padStart(64, "0")}`
    const part = span === undefined ? undefined : partOf(span)
    if (span !== undefined && part === undefined) return undefined
    const name = third === undefined ? {} : { name: third, ...(part === undefined ? {} : { part }) }
    return { _tag: "Slot", address: first.toLowerCase(), slot, ...name }
  }
  if (!LISTS.has(kind) || third !== undefined || !/^(?:0|[1-9]\d{0,5})$/u.test(first)) return undefined
  if (second !== "" && !isName(second)) return undefined
  return { _tag: "Item", list: kind as SubjectList, index: Number(first), field: second }
}

/** True for 20 bytes in hex. If the letters differ in case, they hold the checksum of EIP-55, which must be valid. */
export const isAddress = (text: string): boolean => Address.isAddress(text) && Address.isChecksumValid(text)

const isName = (text: string): boolean => /^[A-Za-z0-9]{1,40}$/u.test(text)

/** Returns the name of a subject for the title of the microscope. */
export const nameOf = (subject: ProofSubject): string => {
  switch (subject._tag) {
    case "Header":
      return subject.field
    case "Account":
      return subject.field
    case "Slot":
      return subject.name ?? `slot ${numberOf(subject.slot)}`
    case "Item":
      return `${subject.list.slice(0, -1)} ${subject.index}${subject.field === "" ? "" : `, ${subject.field}`}`
  }
}

const numberOf = (slot: string): string => {
  const number = BigInt(slot)
  return number < 1_000_000n ? String(number) : `${slot.slice(0, 8)}…${slot.slice(-4)}`
}
