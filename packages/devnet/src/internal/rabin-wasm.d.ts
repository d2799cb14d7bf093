/** What is used of the package, which has no types. */
declare module "rabin-wasm" {
  interface Rabin {
    /** The sizes of the chunks that end within these bytes, which follow those of the call before. */
    readonly fingerprint: (bytes: Uint8Array) => Int32Array
  }
  export const create: (bits: number, min: number, max: number, window: number) => Promise<Rabin>
}
