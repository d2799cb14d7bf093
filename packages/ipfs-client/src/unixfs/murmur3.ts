/** MurmurHash3, x64, 128 bits, seed 0: the first 64 bits. Sharded directories use these bits to place their entries. */

const MASK = (1n << 64n) - 1n
const C1 = 0x87c37b91114253d5n
const C2 = 0x4cf5ad432745937fn

const rotate = (value: bigint, by: bigint): bigint => ((value << by) | (value >> (64n - by))) & MASK

const finish = (value: bigint): bigint => {
  let mixed = value ^ (value >> 33n)
  mixed = (mixed * 0xff51afd7ed558ccdn) & MASK
  mixed ^= mixed >> 33n
  mixed = (mixed * 0xc4ceb9fe1a85ec53n) & MASK
  return mixed ^ (mixed >> 33n)
}

const mix1 = (value: bigint): bigint => (rotate((value * C1) & MASK, 31n) * C2) & MASK
const mix2 = (value: bigint): bigint => (rotate((value * C2) & MASK, 33n) * C1) & MASK

export const hash64 = (bytes: Uint8Array): bigint => {
  const blocks = bytes.length >> 4
  const padded = new Uint8Array((blocks + 1) << 4)
  padded.set(bytes)
  const view = new DataView(padded.buffer)
  let h1 = 0n
  let h2 = 0n
  for (let i = 0; i < blocks; i++) {
    h1 ^= mix1(view.getBigUint64(i << 4, true))
    h1 = ((rotate(h1, 27n) + h2) * 5n + 0x52dce729n) & MASK
    h2 ^= mix2(view.getBigUint64((i << 4) + 8, true))
    h2 = ((rotate(h2, 31n) + h1) * 5n + 0x38495ab5n) & MASK
  }
  // Zeros mix to zero, so the padding of the last bytes changes nothing.
  h1 ^= mix1(view.getBigUint64(blocks << 4, true))
  h2 ^= mix2(view.getBigUint64((blocks << 4) + 8, true))
  const size = BigInt(bytes.length)
  h1 ^= size
  h2 ^= size
  h1 = (h1 + h2) & MASK
  h2 = (h2 + h1) & MASK
  return (finish(h1) + finish(h2)) & MASK
}
