/**
 * The platform's own SHA-2, several times as fast as one in JavaScript. Node and similar platforms have a synchronous
 * function. A browser has an asynchronous one, and only on some pages.
 */

/** Inputs below this size, in bytes, are hashed here: that takes less time than waiting for a promise. */
const MIN_SIZE = 8 * 1024

const NAMES: ReadonlyMap<number, string> = new Map([
  [0x12, "SHA-256"],
  [0x13, "SHA-512"]
])

/** The function `hash` of `node:crypto`. */
type Hash = (name: string, bytes: Uint8Array, encoding: "buffer") => Uint8Array

interface Runtime {
  readonly getBuiltinModule?: (name: "node:crypto") => { readonly hash?: Hash } | undefined
}

let found: { readonly hash: Hash | undefined } | undefined

/** Returns the runtime's hash function; `undefined` in browsers, and in runtimes older than Node 22. */
const hashOfRuntime = (): Hash | undefined => {
  if (found === undefined) {
    const { process } = globalThis as { readonly process?: Runtime }
    found = { hash: process?.getBuiltinModule?.("node:crypto")?.hash }
  }
  return found.hash
}

/** Returns the digest where the platform has it at once; `undefined` where it does not. */
export const digestNow = (code: number, bytes: Uint8Array): Uint8Array | undefined => {
  const name = NAMES.get(code)
  const hash = name === undefined ? undefined : hashOfRuntime()
  // The result is a plain `Uint8Array`, not Node's `Buffer`.
  return hash === undefined ? undefined : new Uint8Array(hash(name!, bytes, "buffer"))
}

/** True if `digestNow` computes this function. */
export const isNow = (code: number): boolean => NAMES.has(code) && hashOfRuntime() !== undefined

/**
 * Returns the digest. Returns `undefined`, at once or later, if the platform does not have this function or would not
 * be faster.
 */
export const digest = (code: number, bytes: Uint8Array): Promise<Uint8Array | undefined> | undefined => {
  const name = NAMES.get(code)
  // Pages without TLS have no `subtle`, and some runtimes have no `crypto`.
  const { crypto } = globalThis as { readonly crypto?: { readonly subtle?: SubtleCrypto } }
  if (bytes.length < MIN_SIZE || name === undefined || crypto?.subtle === undefined) return undefined
  return crypto.subtle.digest(name, bytes as Uint8Array<ArrayBuffer>).then(
    (hash) => new Uint8Array(hash),
    // The platform refuses memory that is shared between threads.
    () => undefined
  )
}
