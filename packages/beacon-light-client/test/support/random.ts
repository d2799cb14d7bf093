/** Seeded randomness: the same seed gives the same bytes. */
import { createHash } from "node:crypto"

/**
 * Returns the size of a heavy test: `full` in CI, otherwise the share of `full` that `vitest.shared.ts` sets, but at
 * least 1.
 */
export const sized = (full: number): number =>
  Math.max(1, Math.round(full * Number(process.env["PLUMBLINE_SHARE"] ?? 1)))

/** Bytes that follow from a seed. */
export class Random {
  #state: Buffer

  constructor(seed: string) {
    this.#state = createHash("sha512").update(seed).digest()
  }

  bytes(size: number): Uint8Array {
    const parts: Array<Buffer> = []
    for (let left = size; left > 0; left -= 32) {
      this.#state = createHash("sha512").update(this.#state).digest()
      parts.push(this.#state.subarray(32))
    }
    return new Uint8Array(Buffer.concat(parts).subarray(0, size))
  }

  below(limit: number): number {
    return Buffer.from(this.bytes(6)).readUIntBE(0, 6) % limit
  }

  pick<A>(items: ReadonlyArray<A>): A {
    return items[this.below(items.length)]!
  }
}
