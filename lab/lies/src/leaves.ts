/**
 * The oracle: compares an accepted value with the truth, leaf by leaf.
 *
 * It uses no code of a verifier or schema. The truth is the honest data itself: JSON from a node, or plain values. The
 * judged value may have been decoded. Two leaves are the same if they mean the same:
 *
 * - hex text in either case;
 * - a number, as `bigint` or as `number`, and the text of that number in hex or in decimal;
 * - bytes and their hex;
 * - `undefined`, `null` and an absent member.
 *
 * Everything else differs: another value, an additional leaf, a missing leaf, and an additional, missing or moved item
 * of a list.
 */

/** A leaf that differs from the truth. */
export interface Difference {
  readonly leaf: string
  readonly expected: string
  readonly got: string
}

export interface Options {
  /**
   * Paths of leaves that an answer may leave out, or set to null, although the honest data has them: `size`,
   * `[].blockTimestamp`. If the answer has a value there, it is judged like any other leaf.
   */
  readonly silent?: ReadonlyArray<string>
  /**
   * The name that claims put before a path into a list. If the name is `receipts`, the claim `receipts[2].status` means
   * `[2].status`.
   */
  readonly root?: string
}

/**
 * Returns the first leaf of `value` that is not claimed and not the truth.
 *
 * A claim is a path: `transactions[3].from`, `[0].status`, `storageProof[1]`. `[]` stands for every index. A claim
 * covers the leaf that it names and everything below; a claim that names no leaf covers nothing. The claim `value`
 * covers the whole value, unless the truth has a member of that name: then it covers only that member.
 */
export const firstFalse = (
  value: unknown,
  truth: unknown,
  claimed: ReadonlyArray<string>,
  options: Options = {}
): Difference | undefined => {
  if (claimed.includes("value") && !(isObject(truth) && Object.hasOwn(truth, "value"))) return undefined
  return compare(value, truth, "", paths(claimed, options.root), paths(options.silent ?? [], options.root))
}

/** A test for paths: true if a path is one of the given ones. */
type Paths = (path: string) => boolean

const paths = (list: ReadonlyArray<string>, root: string | undefined): Paths => {
  if (list.length === 0) return () => false
  const relative = list.map((path) =>
    root !== undefined && path.startsWith(`${root}[`) ? path.slice(root.length) : path
  )
  const exact = new Set(relative)
  const patterns = relative
    .filter((path) => path.includes("[]"))
    .map((path) => new RegExp(`^${path.split("[]").map(escaped).join("\\[\\d+\\]")}$`, "u"))
  return (path) => exact.has(path) || patterns.some((pattern) => pattern.test(path))
}

const escaped = (text: string): string => text.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`)

const compare = (
  value: unknown,
  truth: unknown,
  path: string,
  claimed: Paths,
  silent: Paths
): Difference | undefined => {
  if (value === truth || (path !== "" && claimed(path))) return undefined
  if (Array.isArray(value) && Array.isArray(truth)) {
    for (let at = 0; at < Math.max(value.length, truth.length); at++) {
      const wrong = compare(value[at], truth[at], `${path}[${at}]`, claimed, silent)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }
  if (isObject(value) && isObject(truth)) {
    for (const name of new Set([...Object.keys(truth), ...Object.keys(value)])) {
      const inside = path === "" ? name : `${path}.${name}`
      const wrong = compare(own(value, name), own(truth, name), inside, claimed, silent)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }
  if (value == null && silent(path)) return undefined
  return saysTheSame(value, truth)
    ? undefined
    : { leaf: path === "" ? "value" : path, expected: show(truth), got: show(value) }
}

/** Returns an own member of the object, so that a name such as `constructor` does not give an inherited one. */
const own = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)

const saysTheSame = (a: unknown, b: unknown): boolean => {
  if (a == null || b == null) return a == null && b == null
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? isSameHex(hexOf(a), hexOf(b)) : isSameHex(hexOf(a), b)
  if (b instanceof Uint8Array) return isSameHex(a, hexOf(b))
  if (isNumber(a) || isNumber(b)) {
    const [left, right] = [numberOf(a), numberOf(b)]
    return left !== undefined && left === right
  }
  return a === b || isSameHex(a, b)
}

const HEX = /^0x[0-9a-f]*$/iu

const isSameHex = (a: unknown, b: unknown): boolean =>
  typeof a === "string" &&
  typeof b === "string" &&
  a.length === b.length &&
  HEX.test(a) &&
  a.toLowerCase() === b.toLowerCase()

const isNumber = (value: unknown): boolean => typeof value === "bigint" || typeof value === "number"

const numberOf = (value: unknown): bigint | undefined => {
  if (typeof value === "bigint") return value
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined
  if (typeof value !== "string" || !/^(?:0x[0-9a-f]+|-?\d+)$/iu.test(value)) return undefined
  return BigInt(value)
}

const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString("hex")}`

/** Returns a leaf as text of bounded length. */
const show = (value: unknown): string => {
  const text =
    value instanceof Uint8Array
      ? hexOf(value)
      : typeof value === "object" && value !== null
        ? JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? `${item}` : item))
        : String(value)
  return text.length > 200 ? `${text.slice(0, 200)}... (${text.length} characters)` : text
}
