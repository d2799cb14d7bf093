/** The platform's own SHA-2, several times as fast as one in JavaScript; it answers later, and not on every page. */

/** Smaller inputs are hashed sooner than a promise comes back. */
const MIN_SIZE = 8 * 1024

const NAMES: ReadonlyMap<number, string> = new Map([
  [0x12, "SHA-256"],
  [0x13, "SHA-512"]
])

/** The digest; `undefined`, at once or later, where the platform has none of this, or would not be the faster one. */
export const digest = (code: number, bytes: Uint8Array): Promise<Uint8Array | undefined> | undefined => {
  const name = NAMES.get(code)
  // there is no subtle in pages without TLS, and no crypto in some runtimes
  const { crypto } = globalThis as { readonly crypto?: { readonly subtle?: SubtleCrypto } }
  if (bytes.length < MIN_SIZE || name === undefined || crypto?.subtle === undefined) return undefined
  return crypto.subtle.digest(name, bytes as Uint8Array<ArrayBuffer>).then(
    (hash) => new Uint8Array(hash),
    // memory that is shared between threads is refused
    () => undefined
  )
}
