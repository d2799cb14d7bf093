/**
 * The platform's SHA-2, which is several times as fast as SHA-2 in JavaScript. Node and similar platforms have a
 * synchronous function. A browser has an asynchronous function, and only on some pages.
 */

/** Inputs below this size, in bytes, are hashed in JavaScript, which takes less time than waiting for a promise. */
const MIN_SIZE = 8 * 1024

/** The names of a hash function: in the Web Cryptography API, and in `node:crypto` of every runtime. */
interface Names {
  readonly web: string
  /** The name in `node:crypto`, written without a dash, because Deno accepts no other form. */
  readonly node: string
}

const NAMES: ReadonlyMap<number, Names> = new Map([
  [0x12, { web: "SHA-256", node: "sha256" }],
  [0x13, { web: "SHA-512", node: "sha512" }]
])

/** The function `hash` of `node:crypto`. */
type Hash = (name: string, bytes: Uint8Array, encoding: "buffer") => Uint8Array

interface Runtime {
  readonly getBuiltinModule?: (name: "node:crypto") => { readonly hash?: Hash } | undefined
}

let found: { readonly hash: Hash | undefined } | undefined

/**
 * Returns the runtime's hash function; `undefined` in browsers, in runtimes older than Node 22, and if the function
 * refuses one of the names.
 */
const hashOfRuntime = (): Hash | undefined => {
  if (found === undefined) {
    const { process } = globalThis as { readonly process?: Runtime }
    found = { hash: working(process?.getBuiltinModule?.("node:crypto")?.hash) }
  }
  return found.hash
}

/** Returns the function if its results have the right lengths, because imitations of Node differ here. */
export const working = (hash: Hash | undefined): Hash | undefined => {
  if (hash === undefined) return undefined
  try {
    const sizes = [...NAMES.values()].map(({ node }) => hash(node, new Uint8Array(0), "buffer").length)
    return sizes.join() === "32,64" ? hash : undefined
  } catch {
    return undefined
  }
}

/** Returns the digest if the platform can compute it synchronously; `undefined` otherwise. */
export const digestNow = (code: number, bytes: Uint8Array): Uint8Array | undefined => {
  const names = NAMES.get(code)
  const hash = names === undefined ? undefined : hashOfRuntime()
  // The result is a plain `Uint8Array`, not Node's `Buffer`.
  return hash === undefined ? undefined : new Uint8Array(hash(names!.node, bytes, "buffer"))
}

/** True if `digestNow` supports this function. */
export const isNow = (code: number): boolean => NAMES.has(code) && hashOfRuntime() !== undefined

/**
 * Returns the digest; or `undefined`, synchronously or in the promise, if the platform lacks this function or would not
 * be faster.
 */
export const digest = (code: number, bytes: Uint8Array): Promise<Uint8Array | undefined> | undefined => {
  const name = NAMES.get(code)?.web
  // Pages without TLS have no `subtle`, and some runtimes have no `crypto`.
  const { crypto } = globalThis as { readonly crypto?: { readonly subtle?: SubtleCrypto } }
  if (bytes.length < MIN_SIZE || name === undefined || crypto?.subtle === undefined) return undefined
  return crypto.subtle.digest(name, bytes as Uint8Array<ArrayBuffer>).then(
    (hash) => new Uint8Array(hash),
    // The platform refuses memory that is shared between threads.
    () => undefined
  )
}
