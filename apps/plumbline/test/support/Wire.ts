/** Finds the leaves of nodes' JSON by their paths, and changes each leaf to another valid value. */

/** Member names and array indices from the outside in. */
export type Path = ReadonlyArray<string | number>

/** Returns the path of each leaf. An empty array is a leaf. */
export const leaves = (value: unknown, at: Path = []): ReadonlyArray<Path> => {
  if (Array.isArray(value)) {
    return value.length === 0 ? [at] : value.flatMap((item, index) => leaves(item, [...at, index]))
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, member]) => leaves(member, [...at, name]))
  }
  return [at]
}

/** `transactions[2].accessList[0].address` */
export const format = (path: Path): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? key : `${text}.${key}`),
    ""
  )

/** Returns the value at a path. */
export const get = (value: any, path: Path): any => path.reduce((inner, key) => inner[key], value)

/** Changes a value at a path, in place, and returns the whole value. */
export const set = <A>(value: A, path: Path, leaf: unknown): A => {
  get(value, path.slice(0, -1))[path.at(-1)!] = leaf
  return value
}

/** Removes a member, in place, and returns the whole value. */
export const remove = <A>(value: A, path: Path): A => {
  delete get(value, path.slice(0, -1))[path.at(-1)!]
  return value
}

/** Returns another valid value of the same kind: another number, hash or address, or other data of the same length. */
export const another = (path: Path, value: unknown): unknown => {
  const field = path.at(-1)
  if (value === null) return field === "to" ? ADDRESS : HASH
  if (Array.isArray(value)) {
    const item = items[String(field)]
    if (item === undefined) throw new Error(`no item for ${format(path)}`)
    return [item]
  }
  if (typeof value !== "string") throw new Error(`no other value for ${format(path)}`)
  if (isData(String(field), value)) {
    if (value === "0x") return "0x00"
    return `${value.slice(0, -1)}${value.endsWith("1") ? "2" : "1"}`
  }
  const n = BigInt(value)
  // `v` and `yParity` have two values each, so this returns the other one.
  if (field === "yParity" || field === "v") return hex(n % 2n === (n < 2n ? 0n : 1n) ? n + 1n : n - 1n)
  // 0x64 is an unknown type; a size is not changed by one, because the changed size could be right by chance
  if (field === "type") return "0x64"
  return hex(n + 2n)
}

/** Returns a number as a quantity. */
export const quantity = (n: number): string => `0x${n.toString(16)}`

/** An address and a hash that do not exist on the chain. */
export const ADDRESS = "0x00000000000000000000000000000000deadbeef"
export const HASH = `0x${"ab".repeat(32)}`

const hex = (n: bigint): string => `0x${n.toString(16)}`

/** True for fields of a fixed length and for data: a test changes their last digit. The integers r and s count as data. */
const isData = (field: string, value: string): boolean =>
  [42, 66, 514].includes(value.length) || dataFields.has(field) || value === "0x" || isBlockNonce(field, value)

/** True for a block's nonce, which has 8 bytes. No nonce of a transaction has so many digits. */
const isBlockNonce = (field: string, value: string): boolean => field === "nonce" && value.length === 18

const dataFields: ReadonlySet<string> = new Set(["input", "extraData", "r", "s", "logsBloom"])

const items: Readonly<Record<string, unknown>> = {
  accessList: { address: ADDRESS, storageKeys: [] },
  storageKeys: HASH,
  transactions: HASH,
  uncles: HASH,
  withdrawals: { index: "0x0", validatorIndex: "0x1", address: ADDRESS, amount: "0x1" },
  authorizationList: { chainId: "0x1", address: ADDRESS, nonce: "0x0", yParity: "0x0", r: "0x1", s: "0x1" }
}
